package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"resolwe"
	"resolwe/cmd/internal/console"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/internal/machine"
	"resolwe/internal/progress"
)

// Common are the flags of all commands.
type Common struct {
	Workers    int           `help:"Goroutines that work on subgraphs, at most 4096; 0 for one per core. Results do not depend on it." default:"0" placeholder:"N" group:"common"`
	Seed       uint64        `help:"Seed of all random numbers; 0 stands for 1." default:"1" group:"common"`
	Profile    string        `help:"Write a profile for pprof, however the command ends: ${enum}." enum:"none,cpu,mem,mutex,block,trace" default:"none" group:"common"`
	ProfileDir string        `help:"Folder for the profile." default:"." type:"path" group:"common"`
	Memory     machine.Size  `help:"Memory limit, without mapped streams, such as 512MiB or 4GiB; by default GOMEMLIMIT, or else what the machine has. A command that needs more ends with status 4." placeholder:"SIZE" group:"common"`
	LogLevel   string        `help:"Show messages of this level and above: debug, info, warn or error." enum:"debug,info,warn,error" default:"info" group:"common"`
	Progress   progress.Mode `help:"Progress on standard error: ${enum}." enum:"auto,never" default:"auto" group:"common"`
}

// environment is what commands share: streams, flags, log, progress and cleanup.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	common         *Common
	log            *slog.Logger
	endProfile     func() error // may be called again, from any goroutine
	meter          *progress.Meter
	console.Paths

	mu    sync.Mutex
	open  []func() // discard the outputs that are being written
	saved string   // the checkpoint that was written last
	ends  []func() // close what the command has opened
}

// atEnd registers a function to call when the command ends.
func (e *environment) atEnd(end func()) { e.ends = append(e.ends, end) }

// start applies the common options.
func (e *environment) start() error {
	var level slog.Level
	_ = level.UnmarshalText([]byte(e.common.LogLevel)) // one of the levels, or none, which is info
	e.log = slog.New(console.NewMessages("resolwe", e.stderr, level))
	e.common.Seed = cmp.Or(e.common.Seed, 1)
	if err := flags.CheckWorkers(e.common.Workers); err != nil {
		return err
	}
	if e.common.Profile == "none" {
		e.endProfile = func() error { return nil }
		return nil
	}
	path := filepath.Join(e.common.ProfileDir, profiles[e.common.Profile].name)
	if err := e.Writes(path); err != nil {
		return err
	}
	stop, err := startProfile(e.common.Profile, path)
	if err != nil {
		return err
	}
	e.endProfile = sync.OnceValue(func() error {
		spares := e.Spares(path) == nil // else the command that reads it has said so
		if err := stop(spares); spares && err != nil {
			return fmt.Errorf("profile: %w", err)
		}
		return nil
	})
	return nil
}

// stop closes what the command has opened, in reverse order, ends progress and writes the profile.
func (e *environment) stop() error {
	for _, end := range slices.Backward(e.ends) {
		end()
	}
	e.endProgress()
	return e.endProfile()
}

// run returns the Run of a computation over total subgraphs, or -1 if that is not known, and shows its progress.
func (e *environment) run(what string, total int) resolwe.Run {
	return e.runOver(what, "subgraphs", int64(total))
}

// runOver is run for other units, named in the plural.
func (e *environment) runOver(what, units string, total int64) resolwe.Run {
	e.endProgress()
	e.meter = progress.New(progress.Options{Mode: e.common.Progress, Writer: e.stderr, Log: e.log, Now: time.Now}, what, units, total)
	return resolwe.Run{
		Workers: e.common.Workers, Labels: e.common.Profile == "cpu", Tight: machine.Tight,
		Progress: func(n int) { e.meter.Add(int64(n)) },
		Watch: func() func(resolwe.Effort) {
			return report.LongGroundings(e.log, time.Now, e.common.Progress != progress.Never)
		},
	}
}

// parts returns a function that shows the progress of successive parts, of which one may come again: done of total, or -1 if that
// is not known.
func (e *environment) parts(what, units string) func(name string, done, total int64) {
	part, seen := "", int64(0)
	var run resolwe.Run
	return func(name string, done, total int64) {
		if name != part || done < seen {
			part, seen = name, 0
			run = e.runOver(what+" "+name, units, total)
		}
		run.Progress(int(max(done-seen, 0)))
		seen = done
	}
}

// passes is run for a number of passes over a number of subgraphs, -1 if that is not known. If the number of passes is 0, that is not
// known, and each shows its own progress.
func (e *environment) passes(what string, subgraphs, passes int) resolwe.Run {
	if subgraphs <= 0 || passes > 0 {
		return e.run(what, max(-1, subgraphs*passes))
	}
	run, parts, done := e.run(what, -1), e.parts(what+":", "subgraphs"), 0
	run.Progress = func(n int) {
		done += n
		pass := (done - 1) / subgraphs
		parts(fmt.Sprintf("pass %d", pass+1), int64(done-pass*subgraphs), int64(subgraphs))
	}
	return run
}

// abandon discards the outputs of a command that is given up, except the profile. The program must exit after it.
func (e *environment) abandon() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, discard := range e.open {
		discard()
	}
	if err := e.endProfile(); err != nil {
		e.log.Warn(err.Error())
	}
}

// opened registers a function that discards an output.
func (e *environment) opened(discard func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open = append(e.open, discard)
}

// save writes a checkpoint.
func (e *environment) save(path string, data []byte) error {
	err := replace(path, data)
	if err == nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.saved = path
	}
	return err
}

// tellSaved says how to continue a run that has not ended well.
func (e *environment) tellSaved() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.saved != "" {
		e.log.Info("the state of the run is saved: the same command with --resume continues it", "checkpoint", e.saved)
	}
}

func (e *environment) endProgress() {
	if e.meter != nil {
		e.meter.Close()
		e.meter = nil
	}
}
