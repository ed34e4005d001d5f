package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"resolwe"
	"resolwe/cmd/internal/console"

	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

// checkpointArgs say how a run is saved.
type checkpointArgs struct {
	Checkpoint string `help:"Keep the state of the run in a file, from which --resume goes on." placeholder:"FILE"`
	Resume     bool   `help:"Go on from the checkpoint; where there is none, begin anew."`
}

// read returns the checkpoint to go on from, nil where there is none or none is wanted.
func (a *checkpointArgs) read(ctx context.Context, e *environment) ([]byte, error) {
	switch {
	case !a.Resume:
		return nil, nil
	case a.Checkpoint == "":
		return nil, console.UsageError("--resume needs --checkpoint FILE")
	}
	files, err := filesystem.New(ctx, a.Checkpoint)
	if err != nil {
		return nil, err
	}
	defer files.Close()
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
func (a *checkpointArgs) write(ctx context.Context, data []byte) error {
	if a.Checkpoint == "" {
		return nil
	}
	return job.Write(ctx, a.Checkpoint, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// named puts the file's path before an error of its checkpoint.
func (a *checkpointArgs) named(err error) error {
	if errors.As(err, new(*resolwe.CheckpointError)) {
		return fmt.Errorf("%s: %w", a.Checkpoint, err)
	}
	return err
}
