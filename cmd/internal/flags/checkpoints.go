package flags

import (
	"errors"
	"fmt"

	"resolwe"
	"resolwe/cmd/internal/console"
)

// Checkpoints are the flags that save and resume a run.
type Checkpoints struct {
	Checkpoint string `help:"Save the state of the run in a file, from which --resume continues." placeholder:"FILE"`
	Resume     bool   `help:"Continue from the checkpoint; start from the beginning if there is none." xor:"checkpoint"`
	Overwrite  bool   `help:"Start from the beginning and replace an existing checkpoint." xor:"checkpoint"`
}

// Check returns an error if --resume or --overwrite is given without a checkpoint, or if the checkpoint exists and neither is given.
func (a *Checkpoints) Check(there bool) error {
	switch {
	case a.Checkpoint == "" && a.Resume:
		return console.UsageError("--resume needs --checkpoint FILE")
	case a.Checkpoint == "" && a.Overwrite:
		return console.UsageError("--overwrite needs --checkpoint FILE")
	case there && !a.Resume && !a.Overwrite:
		return console.UsageError(a.Checkpoint + " already exists: --resume continues from it, --overwrite replaces it")
	}
	return nil
}

// Named puts the file's path before an error of its checkpoint.
func (a *Checkpoints) Named(err error) error {
	if errors.As(err, new(*resolwe.CheckpointError)) {
		return fmt.Errorf("%s: %w", a.Checkpoint, err)
	}
	return err
}
