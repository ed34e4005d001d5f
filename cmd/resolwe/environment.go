package main

import (
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"resolwe"
	"resolwe/cmd/internal/console"
	"resolwe/cmd/internal/report"
	"resolwe/internal/machine"
	"resolwe/internal/progress"
)

// Common are the options of all commands.
type Common struct {
	Workers    int           `help:"Goroutines that work on subgraphs, at most 4096; 0 for one on each core. Results do not depend on it." default:"0" placeholder:"N" group:"common"`
	Seed       uint64        `help:"Seed of all random numbers." default:"1" group:"common"`
	Profile    string        `help:"Write a profile for pprof, however the command ends: ${enum}." enum:"none,cpu,mem,mutex,block,trace" default:"none" group:"common"`
	ProfileDir string        `help:"Folder for the profile." default:"." type:"path" group:"common"`
	Memory     machine.Size  `help:"Memory that may be used at most, mapped streams aside, as 512MiB or 4GiB; by default what GOMEMLIMIT says, else what there is. What needs more ends with status 4." placeholder:"SIZE" group:"common"`
	LogLevel   string        `help:"Least level of messages: debug, info, warn or error." enum:"debug,info,warn,error" default:"info" group:"common"`
	Progress   progress.Mode `help:"Progress on standard error: ${enum}." enum:"auto,never" default:"auto" group:"common"`
}

// maxWorkers bounds --workers: each has memory of its own.
const maxWorkers = 4096

// environment is what commands run in.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	common         *Common
	log            *slog.Logger
	endProfile     func() error // may be called again, from any goroutine
	meter          *progress.Meter
	console.Paths

	mu   sync.Mutex
	open []func() // leave nothing of the outputs that are being written
	ends []func() // of a command: what it has opened is closed
}

// atEnd has the command end with this.
func (e *environment) atEnd(end func()) { e.ends = append(e.ends, end) }

// start applies the common options.
func (e *environment) start() error {
	var level slog.Level
	_ = level.UnmarshalText([]byte(e.common.LogLevel)) // one of the levels, or none, which is info
	e.log = slog.New(console.NewMessages("resolwe", e.stderr, level))
	if e.common.Workers < 0 || e.common.Workers > maxWorkers {
		return &resolwe.OptionError{Option: "--workers", Reason: fmt.Sprintf("0 to %d", maxWorkers)}
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

// stop closes what a command has opened, the last first, ends progress and writes the profile.
func (e *environment) stop() error {
	for _, end := range slices.Backward(e.ends) {
		end()
	}
	e.endProgress()
	return e.endProfile()
}

// run returns how to carry out a computation over n subgraphs, -1 where that is not known, with its progress.
func (e *environment) run(what string, total int) resolwe.Run {
	return e.runOver(what, "subgraphs", int64(total))
}

// runOver is run over other units, which the name gives in the plural.
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

// parts returns what shows how far each of several parts is, one after the other: so much of a total, -1 where that is not known.
func (e *environment) parts(what, units string) func(name string, done, total int64) {
	part, seen := "", int64(0)
	var run resolwe.Run
	return func(name string, done, total int64) {
		if name != part {
			part, seen = name, 0
			run = e.runOver(what+" "+name, units, total)
		}
		run.Progress(int(max(done-seen, 0)))
		seen = done
	}
}

// abandon leaves nothing of the outputs of a command that is given up, but for the profile. The program has to end after it.
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

// opened takes in what gives up an output.
func (e *environment) opened(discard func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open = append(e.open, discard)
}

func (e *environment) endProgress() {
	if e.meter != nil {
		e.meter.Close()
		e.meter = nil
	}
}
