package main_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"resolwe/internal/test/check"

	"resolwe/cmd/resolwe-beam/internal/test/beamtest"
)

// start starts a program of play, which ends with the test. It returns how to kill it.
func start(t *testing.T, what string, port int) (kill func()) {
	t.Helper()
	c := exec.Command(os.Args[0], strconv.Itoa(port))
	c.Env = append(os.Environ(), role+"="+what)
	if testing.Verbose() {
		c.Stderr = os.Stderr
	}
	check.OK(t, c.Start())
	done := make(chan struct{})
	go func() {
		_ = c.Wait() // killed
		close(done)
	}()
	kill = func() {
		_ = c.Process.Kill() // or it has ended
		<-done
	}
	t.Cleanup(kill)
	until(t, func() bool {
		conn, err := net.Dial("tcp", "localhost:"+strconv.Itoa(port))
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return kill
}

// until waits for something to become true.
func until(t *testing.T, ready func() bool) {
	t.Helper()
	for tick, end := time.NewTicker(10*time.Millisecond), time.After(20*time.Second); ; {
		if ready() {
			tick.Stop()
			return
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatal("it did not happen in time")
		}
	}
}

// port returns a port that is free.
func port(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	check.OK(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// program runs the program as a process of its own, and calls during while it runs.
func program(t *testing.T, during func(p *os.Process), args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], args...)
	c.Env = append(os.Environ(), role+"=program")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	check.OK(t, c.Start())
	during(c.Process)
	err := c.Wait()
	if ctx.Err() != nil {
		t.Fatalf("the program did not end: %s", stderr.String())
	}
	exit := (*exec.ExitError)(nil)
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

// Prism in a process of its own, with workers in the program's or in one of their own: the same bytes. Where one of the
// processes is killed in the middle of a job, the job fails and says so, or gives the same bytes; and once it is there
// again, the next run gives them.
func TestServers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	d := beamtest.New(t, 60, 12, 10)
	work := t.TempDir()
	infer := []string{"eval", d.Weighted, "--json", "--method", "mcsat", "--samples", "600", "--workers", "1"}
	want := resolwe(t, append(infer, "--stream", d.Stream)...)
	prismPort, workersPort := port(t), port(t)
	killPrism, killWorkers := start(t, "prism", prismPort), start(t, "workers", workersPort)
	args := slices.Concat(infer, []string{
		"--stream", d.Folder, "--runner", "universal", "--work", work,
		"--endpoint", "localhost:" + strconv.Itoa(prismPort), "--",
	})
	loopback := slices.Concat(args, []string{"--environment_type=LOOPBACK"})
	external := slices.Concat(args, []string{
		"--environment_type=EXTERNAL", "--environment_config=localhost:" + strconv.Itoa(workersPort),
	})
	begun := func() { // some shards are done, others are not
		until(t, func() bool {
			files, _ := filepath.Glob(filepath.Join(work, "*result-*"))
			return len(files) > 1
		})
	}
	restartWorkers := func(*os.Process) {
		begun()
		killWorkers()
		killWorkers = start(t, "workers", workersPort)
	}
	again := slices.Insert(slices.Clone(external), slices.Index(external, "--"), "--retries", "3")
	nothing := func(*os.Process) {}
	for _, c := range []struct {
		name   string
		args   []string
		during func(*os.Process)
		whole  bool // it has to succeed
	}{
		{"loopback", loopback, nothing, true},
		{"external workers", external, nothing, true},
		{"prism killed", loopback, func(*os.Process) {
			begun()
			killPrism()
		}, false},
		{"prism back", loopback, func(*os.Process) { killPrism = start(t, "prism", prismPort) }, true},
		{"workers killed", external, restartWorkers, false},
		{"workers back", external, nothing, true},
		{"workers killed, run again", again, restartWorkers, true},
	} {
		began := time.Now()
		got := program(t, c.during, c.args...)
		t.Logf("%s: exit status %d after %v: %s", c.name, got.status, time.Since(began), got.stderr)
		switch {
		case got.status == 0 && got.stdout != want:
			t.Errorf("%s: got %s, want %s", c.name, got.stdout, want)
		case got.status != 0 && (c.whole || got.stdout != "" || !strings.Contains(got.stderr, "job")):
			t.Errorf("%s: got exit status %d, %q and %q", c.name, got.status, got.stdout, got.stderr)
		}
	}
}
