package flink_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"resolwe/internal/test/check"
)

// where is a place at which commands run.
type where string

const (
	local    where = "local"
	alone    where = "resolwe-beam"
	loopback where = "Flink, LOOPBACK"
	external where = "Flink, EXTERNAL"
)

// outcome is what a run left.
type outcome struct {
	status  int
	bytes   string // all that was printed and written
	message string
	seconds float64
	cpu     float64 // of the program and the workers
	flink   float64 // CPU seconds of Flink and the job server
	left    int     // files in the folders for results and for what is on its way
}

// bench is what runs are made in.
type bench struct {
	dir, local, beam string
	cluster          *cluster
	number           int
}

// newBench builds the programs, and starts the cluster.
func newBench(t *testing.T, jars string) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{dir: dir, local: filepath.Join(dir, "resolwe"), beam: filepath.Join(dir, "resolwe-beam")}
	for _, c := range []struct{ path, module, main string }{{b.local, "../../..", "./cmd/resolwe"}, {b.beam, "..", "."}} {
		build := exec.CommandContext(t.Context(), "go", "build", "-o", c.path, c.main)
		build.Dir = c.module
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("go build %s: %v: %s", c.main, err, out)
		}
	}
	b.cluster = startCluster(t, jars, b.beam)
	return b
}

// run runs a command. during is called once it has begun, with its process and the folder for
// what is on its way; it may be nil.
func (b *bench) run(t *testing.T, c command, at where, stream string, during func(p *os.Process, work string)) *outcome {
	t.Helper()
	b.number++
	dir := filepath.Join(b.dir, fmt.Sprintf("run-%03d", b.number))
	work, out := filepath.Join(dir, "work"), filepath.Join(dir, "out")
	check.OK(t, errors.Join(os.MkdirAll(work, 0o750), os.MkdirAll(out, 0o750)))
	program, args := b.beam, append([]string{}, c.args...)
	args = append(args, "--stream", stream)
	model := filepath.Join(dir, "model.mln")
	switch {
	case c.file:
		args = append(args, "-o", model)
	case c.files && at != local:
		args = append(args, "-o", out)
	}
	switch at {
	case local:
		program = b.local
	case alone:
	case loopback:
		args = append(args, b.beams(work, "LOOPBACK")...)
	case external:
		args = append(args, b.beams(work, "EXTERNAL", "--environment_config="+address(b.cluster.pool))...)
	}
	process := exec.CommandContext(t.Context(), program, args...)
	var stdout, stderr bytes.Buffer
	process.Stdout, process.Stderr = &stdout, &stderr
	flink, workers := b.cluster.cpu()
	began := time.Now()
	check.OK(t, process.Start())
	if during != nil {
		during(process.Process, work)
	}
	if err := process.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	o := &outcome{status: process.ProcessState.ExitCode(), message: strings.TrimSpace(stderr.String()), seconds: time.Since(began).Seconds()}
	after, working := b.cluster.cpu()
	o.flink = after - flink
	o.cpu = process.ProcessState.UserTime().Seconds() + process.ProcessState.SystemTime().Seconds() + working - workers
	o.bytes, o.left = results(t, stdout.String(), c, at, model), b.left(t)
	return o
}

// left counts the files in the folders of the last run.
func (b *bench) left(t *testing.T) (n int) {
	t.Helper()
	for _, folder := range []string{"work", "out"} {
		list, err := os.ReadDir(filepath.Join(b.dir, fmt.Sprintf("run-%03d", b.number), folder))
		check.OK(t, err)
		n += len(list)
	}
	return n
}

// beams are the flags by which a program's jobs go to Flink.
func (b *bench) beams(work, environment string, more ...string) []string {
	return append([]string{
		"--runner", "universal", "--endpoint", address(b.cluster.service), "--work", work, "--",
		fmt.Sprintf("--parallelism=%d", taskManagers), "--environment_type=" + environment,
	}, more...)
}

// results returns all that a run printed and wrote.
func results(t *testing.T, stdout string, c command, at where, model string) string {
	t.Helper()
	var all strings.Builder
	if c.files && at != local {
		for path := range strings.Lines(stdout) {
			data, err := os.ReadFile(strings.TrimSpace(path))
			check.OK(t, err)
			all.Write(data)
		}
	} else {
		all.WriteString(stdout)
	}
	if data, err := os.ReadFile(model); c.file && err == nil { // a run that failed wrote none
		all.Write(data)
	}
	return all.String()
}
