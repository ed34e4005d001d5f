package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/internal/atomicfile"
)

// checkpointArgs say how a run is saved.
type checkpointArgs struct{ flags.Checkpoints }

// interval is a number of updates or a time.
type interval struct {
	updates int
	time    time.Duration
}

// UnmarshalText reads an interval.
func (i *interval) UnmarshalText(text []byte) (err error) {
	if i.updates, err = strconv.Atoi(string(text)); err == nil && i.updates > 0 {
		return nil
	}
	i.updates = 0
	if i.time, err = time.ParseDuration(string(text)); err != nil || i.time <= 0 {
		return fmt.Errorf("want a number of updates, or a time like 30s, above 0; got %q", text)
	}
	return nil
}

// due returns what reports once in each interval that it is over.
func (i interval) due() func() bool {
	if i.updates > 0 {
		n := 0
		return func() bool {
			n++
			return n%i.updates == 0
		}
	}
	last := time.Now()
	return func() bool {
		over := time.Since(last) >= i.time
		if over {
			last = time.Now()
		}
		return over
	}
}

// over returns what reports that the time of --budget is over, nil for no end.
func over(budget time.Duration) (stop func() bool, err error) {
	if budget < 0 {
		return nil, &resolwe.OptionError{Option: "--budget", Reason: "at least 0"}
	}
	end := time.Now().Add(budget)
	if stop = func() bool { return !time.Now().Before(end) }; budget == 0 {
		stop = nil
	}
	return stop, nil
}

// options returns how to save a run, which must not replace an input, nor another output.
func (a *checkpointArgs) options(e *environment) (resolwe.Checkpoints, error) {
	if a.Checkpoint == "" {
		return resolwe.Checkpoints{}, a.Check(false)
	}
	if err := e.Writes(a.Checkpoint); err != nil {
		return resolwe.Checkpoints{}, err
	}
	probe, err := atomicfile.Create(a.Checkpoint) // that it cannot be written is found before any work
	if err != nil {
		return resolwe.Checkpoints{}, pathError(a.Checkpoint, err)
	}
	probe.Abort()
	_, err = os.Stat(a.Checkpoint)
	if err := a.Check(err == nil); err != nil {
		return resolwe.Checkpoints{}, err
	}
	out := resolwe.Checkpoints{
		Due: interval{time: time.Minute}.due(), Save: func(data []byte) error { return replace(a.Checkpoint, data) },
	}
	if !a.Resume {
		return out, nil
	}
	out.Resume, err = readCheckpoint(a.Checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		e.log.Info("there is no checkpoint yet: the run begins anew", "checkpoint", a.Checkpoint)
		return out, nil
	}
	return out, err
}

// maxCheckpoint bounds what is read as a checkpoint, in bytes.
const maxCheckpoint = 1 << 32

// readCheckpoint reads a file that has to be a regular one.
func readCheckpoint(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxCheckpoint {
		return nil, &resolwe.CheckpointError{Reason: "this is none", Damaged: true}
	}
	return os.ReadFile(path)
}

// replace writes a file that holds the old bytes or the new ones, whenever the program ends.
func replace(path string, data []byte) error {
	f, err := atomicfile.Create(path)
	if err != nil {
		return pathError(path, err)
	}
	defer f.Abort()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}
