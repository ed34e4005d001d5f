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

// checkpointArgs are the flags that save and resume a run.
type checkpointArgs struct{ flags.Checkpoints }

// span is a number of steps, or a time.
type span struct {
	steps int
	time  time.Duration
}

// MarshalText writes what UnmarshalText of an interval or a delay reads.
func (s span) MarshalText() ([]byte, error) { //nolint:unparam // encoding.TextMarshaler
	if s.time > 0 {
		return []byte(s.time.String()), nil
	}
	return strconv.AppendInt(nil, int64(s.steps), 10), nil
}

// interval is a number of updates or a time.
type interval struct{ span }

// UnmarshalText reads an interval.
func (i *interval) UnmarshalText(text []byte) (err error) {
	if i.steps, err = strconv.Atoi(string(text)); err == nil && i.steps > 0 {
		return nil
	}
	i.steps = 0
	if i.time, err = time.ParseDuration(string(text)); err != nil || i.time <= 0 {
		return fmt.Errorf("want a number of updates, or a time like 30s, above 0; got %q", text)
	}
	return nil
}

// due returns a function that reports true once at the end of each interval.
func (i interval) due() func() bool {
	if i.steps > 0 {
		n := 0
		return func() bool {
			n++
			return n%i.steps == 0
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

// options returns how to save and resume the run. The checkpoint must not replace an input or another output.
func (a *checkpointArgs) options(e *environment) (resolwe.Checkpoints, error) {
	if a.Checkpoint == "" {
		return resolwe.Checkpoints{}, a.Check(false)
	}
	if err := e.Writes(a.Checkpoint); err != nil {
		return resolwe.Checkpoints{}, err
	}
	probe, err := atomicfile.Create(a.Checkpoint) // finds before any work that it cannot be written
	if err != nil {
		return resolwe.Checkpoints{}, pathError(a.Checkpoint, err)
	}
	probe.Abort()
	info, err := os.Stat(a.Checkpoint)
	if err := a.Check(err == nil); err != nil {
		return resolwe.Checkpoints{}, err
	}
	out := resolwe.Checkpoints{
		Due: interval{span{time: time.Minute}}.due(), Save: func(data []byte) error { return e.save(a.Checkpoint, data) },
	}
	switch {
	case !a.Resume:
		return out, nil
	case errors.Is(err, fs.ErrNotExist):
		e.log.Info("there is no checkpoint yet: the run starts from the beginning", "checkpoint", a.Checkpoint)
		return out, nil
	case err != nil:
		return out, err
	case !info.Mode().IsRegular() || info.Size() > maxCheckpoint:
		return out, &resolwe.CheckpointError{Reason: "this is not a checkpoint", Damaged: true}
	}
	out.Resume, err = os.ReadFile(a.Checkpoint)
	return out, err
}

// maxCheckpoint bounds the size of a checkpoint to read, in bytes.
const maxCheckpoint = 1 << 32

// replace writes a file so that it has either the old bytes or the new ones, whenever the program ends.
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
