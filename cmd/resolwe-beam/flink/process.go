package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"resolwe/cmd/resolwe-beam/internal/proc"
)

// process is a server that was started here.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
	log  string // path of what it prints
}

// start starts a server, which ends with the context at the latest.
func start(ctx context.Context, log, name string, args ...string) (*process, error) {
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer out.Close()                            // the server has its own
	c := exec.CommandContext(ctx, name, args...) //nolint:gosec // one of four
	c.Dir = filepath.Dir(log)
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: c, done: make(chan struct{}), log: log}
	go func() {
		_ = c.Wait() // killed, or its log tells
		close(p.done)
	}()
	return p, nil
}

// kill ends a server at once.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // or it has ended
	<-p.done
}

// until waits for something, as long as servers live.
func until(ctx context.Context, what string, ready func() bool, servers ...*process) error {
	deadline := time.After(time.Minute)
	for !ready() {
		for _, p := range servers {
			select {
			case <-p.done:
				return fmt.Errorf("%s ended: see %s", filepath.Base(p.cmd.Path), p.log)
			default:
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return fmt.Errorf("%s: not within a minute", what)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
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
func freePort() (int, error) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
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
