package flags

import (
	"errors"
	"fmt"

	"resolwe"
	"resolwe/cmd/internal/console"
)

// Checkpoints say how a run is saved.
type Checkpoints struct {
	Checkpoint string `help:"Keep the state of the run in a file, from which --resume goes on." placeholder:"FILE"`
	Resume     bool   `help:"Go on from the checkpoint; where there is none, begin anew." xor:"checkpoint"`
	Overwrite  bool   `help:"Begin anew, and replace the checkpoint that is there." xor:"checkpoint"`
}

// Check returns an error where the checkpoint is not named, or a file is there that nothing is said of.
func (a *Checkpoints) Check(there bool) error {
	switch {
	case a.Checkpoint == "" && a.Resume:
		return console.UsageError("--resume needs --checkpoint FILE")
	case a.Checkpoint == "" && a.Overwrite:
		return console.UsageError("--overwrite needs --checkpoint FILE")
	case there && !a.Resume && !a.Overwrite:
		return console.UsageError(a.Checkpoint + " is there already: --resume goes on from it, --overwrite replaces it")
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
