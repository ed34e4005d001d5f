package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// command is one of the commands that both programs have.
type command struct {
	name  string
	args  []string // without stream and outputs
	file  bool     // it writes a model with -o
	files bool     // resolwe-beam writes a folder of files with -o, which behind one another are what resolwe prints
	same  bool     // the bytes of resolwe are promised; else those of resolwe-beam without Flink
}

// commands lists what is run.
func (d *data) commands() []command {
	sampling := []string{"--json", "--method", "mcsat", "--samples", strconv.Itoa(d.samples), "--burn-in", "10"}
	with := func(command, model string, flags ...string) []string {
		return append([]string{command, model}, flags...)
	}
	return []command{
		{"select, gain", with("select", d.task, "--json"), true, false, true},
		{"select, paper", with("select", d.task, "--json", "--criterion", "paper", "--k2", "1000000"), true, false, true},
		{"learn, exact", with("learn", d.independent, "--json"), true, false, true},
		{"learn, mixing", with("learn", d.tied, "--json", "--mix", "cd", "--passes", "2"), true, false, false},
		{"infer", with("infer", d.tied, sampling[1:]...), false, true, true},
		{"map", with("map", d.tied, "--sweeps", "50"), false, true, true},
		{"eval", with("eval", d.tied, sampling...), false, false, true},
		{"crossval", with("crossval", d.task, "--json", "--systems", "gain,base"), false, false, true},
	}
}

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

// run runs a command. during is called once it has begun, with its process and the folder for
// what is on its way; it may be nil.
func (b *bench) run(ctx context.Context, c command, at where, stream string, during func(p *os.Process, work string) error) (*outcome, error) {
	b.number++
	dir := filepath.Join(b.dir, fmt.Sprintf("run-%03d", b.number))
	work, out := filepath.Join(dir, "work"), filepath.Join(dir, "out")
	if err := errors.Join(os.MkdirAll(work, 0o750), os.MkdirAll(out, 0o750)); err != nil {
		return nil, err
	}
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
	process := exec.CommandContext(ctx, program, args...) //nolint:gosec // built here
	var stdout, stderr bytes.Buffer
	process.Stdout, process.Stderr = &stdout, &stderr
	flink, workers := b.cluster.cpu()
	began := time.Now()
	if err := process.Start(); err != nil {
		return nil, err
	}
	var disturbing error
	if during != nil {
		disturbing = during(process.Process, work)
	}
	err := process.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	o := &outcome{status: process.ProcessState.ExitCode(), message: strings.TrimSpace(stderr.String()), seconds: time.Since(began).Seconds()}
	after, working := b.cluster.cpu()
	o.flink = after - flink
	o.cpu = process.ProcessState.UserTime().Seconds() + process.ProcessState.SystemTime().Seconds() + working - workers
	o.bytes, err = results(stdout.String(), c, at, model)
	left, counting := b.left()
	o.left = left
	return o, errors.Join(err, counting, disturbing)
}

// left counts the files in the folders of the last run.
func (b *bench) left() (n int, err error) {
	for _, folder := range []string{"work", "out"} {
		list, reading := os.ReadDir(filepath.Join(b.dir, fmt.Sprintf("run-%03d", b.number), folder))
		n += len(list)
		err = errors.Join(err, reading)
	}
	return n, err
}

// beams are the flags by which a program's jobs go to Flink.
func (b *bench) beams(work, environment string, more ...string) []string {
	return append([]string{
		"--runner", "universal", "--endpoint", address(b.cluster.service), "--work", work, "--",
		fmt.Sprintf("--parallelism=%d", taskManagers), "--environment_type=" + environment,
	}, more...)
}

// results returns all that a run printed and wrote.
func results(stdout string, c command, at where, model string) (string, error) {
	var all strings.Builder
	switch {
	case c.files && at != local:
		for path := range strings.Lines(stdout) {
			data, err := os.ReadFile(strings.TrimSpace(path))
			if err != nil {
				return "", err
			}
			all.Write(data)
		}
	default:
		all.WriteString(stdout)
	}
	if data, err := os.ReadFile(model); c.file && err == nil { // a run that failed wrote none
		all.Write(data)
	}
	return all.String(), nil
}
