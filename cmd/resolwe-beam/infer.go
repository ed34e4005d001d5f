package main

import (
	"context"
	"fmt"

	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/cmd/resolwe-beam/stage"
)

type inferCmd struct {
	modelArg
	streamArg
	stage.InferArgs
	Output string `help:"Folder for the marginals, a file for each shard, on any file system." short:"o" required:"" placeholder:"DIR"`
}

// Help says what the command does.
func (*inferCmd) Help() string {
	return `Writes the marginal probability of each query atom, a file for each shard, and prints the paths of the files. Behind
one another they are what resolwe infer prints; with --json each is an array by itself.

Example:

	resolwe-beam infer weighted.mln --stream shards/ -o marginals`
}

// Run infers.
func (c *inferCmd) Run(ctx context.Context, e *environment) error {
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
	paths, skipped, err := stage.Infer(ctx, r, in.task, c.InferArgs, e.common.Seed, list, folder)
	if err != nil {
		return err
	}
	e.skipped(skipped)
	for _, path := range paths {
		if _, err := fmt.Fprintln(e.stdout, path); err != nil {
			return err
		}
	}
	return nil
}
