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
	Resume     bool   `help:"Continue from the checkpoint; start from the beginning if there is none."`
}

// Check returns an error if --resume is given without a checkpoint, or if the checkpoint exists and --resume is not given.
func (a *Checkpoints) Check(there bool) error {
	switch {
	case a.Checkpoint == "" && a.Resume:
		return console.UsageError("--resume needs --checkpoint FILE")
	case there && !a.Resume:
		return console.UsageError(a.Checkpoint + " already exists: --resume continues from it; to begin anew, remove it")
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
