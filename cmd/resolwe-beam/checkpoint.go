package main

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"resolwe"
	"resolwe/cmd/internal/flags"

	"resolwe/cmd/resolwe-beam/shard"
)

// checkpointArgs say how to save a run.
type checkpointArgs struct{ flags.Checkpoints }

// read returns the checkpoint to resume from, nil if there is none or none is wanted. It refuses to replace an existing one without being
// asked.
func (a *checkpointArgs) read(ctx context.Context, e *environment) ([]byte, error) {
	if a.Checkpoint == "" {
		return nil, a.Check(false)
	}
	if !a.Resume {
		return nil, a.Check(shard.Exists(ctx, a.Checkpoint))
	}
	data, err := shard.Read(ctx, a.Checkpoint)
	switch {
	case err == nil:
		return data, nil
	case !shard.IsRemote(a.Checkpoint) && !errors.Is(err, fs.ErrNotExist):
		return nil, &resolwe.PathError{Path: a.Checkpoint, Err: errors.Unwrap(err)}
	}
	e.log.Info("there is no checkpoint yet: the run starts from the beginning", "checkpoint", a.Checkpoint)
	return nil, nil
}

// write saves a checkpoint, if one is wanted.
func (a *checkpointArgs) write(ctx context.Context, e *environment, data []byte) error {
	return e.write(ctx, a.Checkpoint, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
