package flink_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"resolwe/internal/test/check"

	"resolwe/cmd/resolwe-beam/internal/test/proc"
)

// process is a server that was started here.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
	log  string // path of what it prints
}

// start starts a server, which ends with the test at the latest.
func start(t *testing.T, log, name string, args ...string) *process {
	t.Helper()
	out, err := os.Create(log)
	check.OK(t, err)
	defer out.Close() // the server has its own
	c := exec.Command(name, args...)
	c.Dir = filepath.Dir(log)
	c.Stdout, c.Stderr = out, out
	check.OK(t, c.Start())
	p := &process{cmd: c, done: make(chan struct{}), log: log}
	go func() {
		_ = c.Wait() // killed, or its log tells
		close(p.done)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill ends a server at once.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // or it has ended
	<-p.done
}

// until waits for something, as long as servers live.
func until(t *testing.T, what string, ready func() bool, servers ...*process) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ready(); time.Sleep(50 * time.Millisecond) {
		for _, p := range servers {
			select {
			case <-p.done:
				t.Fatalf("%s ended: see %s", filepath.Base(p.cmd.Path), p.log)
			default:
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// listens reports whether a port is open.
func listens(port int) bool {
	c, err := net.Dial("tcp", address(port))
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

func address(port int) string { return "localhost:" + strconv.Itoa(port) }

// freePort returns a port that nobody listens at.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	check.OK(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// ticks is how many of its units of CPU time Linux tells a second.
const ticks = 100

// cpu returns the CPU seconds that a process and its ended children have used.
func cpu(pid int) float64 {
	sum := 0.0
	if fields := proc.Stat(pid); len(fields) > 14 {
		for _, f := range fields[11:15] {
			v, _ := strconv.ParseFloat(f, 64) // 0 where it is none
			sum += v / ticks
		}
	}
	return sum
}
