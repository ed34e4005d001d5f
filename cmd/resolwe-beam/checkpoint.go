package main

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"resolwe"
	"resolwe/cmd/internal/flags"

	"resolwe/cmd/resolwe-beam/shard"
)

// checkpointArgs say how a run is saved.
type checkpointArgs struct{ flags.Checkpoints }

// read returns the checkpoint to go on from, nil where there is none or none is wanted. One that is there is not to be replaced
// unasked.
func (a *checkpointArgs) read(ctx context.Context, e *environment) ([]byte, error) {
	if a.Checkpoint == "" {
		return nil, a.Check(false)
	}
	files, err := filesystem.New(ctx, a.Checkpoint)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	if !a.Resume {
		_, err := files.Size(ctx, a.Checkpoint)
		return nil, a.Check(err == nil)
	}
	data, err := filesystem.Read(ctx, files, a.Checkpoint)
	switch {
	case err == nil:
		return data, nil
	case !shard.IsRemote(a.Checkpoint) && !errors.Is(err, fs.ErrNotExist):
		return nil, &resolwe.PathError{Path: a.Checkpoint, Err: errors.Unwrap(err)}
	}
	e.log.Info("there is no checkpoint yet: the run begins anew", "checkpoint", a.Checkpoint)
	return nil, nil
}

// write keeps a checkpoint, where one is wanted.
func (a *checkpointArgs) write(ctx context.Context, e *environment, data []byte) error {
	return e.write(ctx, a.Checkpoint, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
