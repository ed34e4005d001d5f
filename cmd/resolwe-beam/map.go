package main

import (
	"context"
	"fmt"

	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/cmd/resolwe-beam/stage"
)

type mapCmd struct {
	modelArg
	streamArg
	stage.MapArgs
	Output string `help:"Folder for the states, a file for each shard, on any file system." short:"o" required:"" placeholder:"DIR"`
}

// Help says what the command does.
func (*mapCmd) Help() string {
	return `Writes the most probable state of the query atoms, a file for each shard, and prints the paths of the files. Behind one
another they are what resolwe map prints; with --json each is an array by itself. The exit status is 1 where hard formulas
are broken.

Example:

	resolwe-beam map weighted.mln --stream shards/ -o states`
}

// Run finds the states.
func (c *mapCmd) Run(ctx context.Context, e *environment) error {
	r, in, err := e.open(ctx, &c.modelArg, &c.streamArg)
	if err != nil {
		return err
	}
	defer e.close(r)
	folder, err := shard.MakeFolder(c.Output)
	if err != nil {
		return err
	}
	list := shard.Divided(in.shards, e.common.Element)
	paths, result, err := stage.Map(ctx, r, in.task, c.MapArgs, e.common.Seed, list, folder)
	if err != nil {
		return err
	}
	e.skipped(result.Skipped)
	for _, path := range paths {
		if _, err := fmt.Fprintln(e.stdout, path); err != nil {
			return err
		}
	}
	return result.Broken.Err()
}
