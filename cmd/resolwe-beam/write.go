package main

import (
	"context"
	"fmt"

	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"

	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/cmd/resolwe-beam/stage"
)

// writeArgs are the input and the output of a command that writes one file for each shard.
type writeArgs struct {
	modelArg
	streamArg
	JSON   bool   `help:"Print JSON." name:"json"`
	Output string `help:"Folder for the results, a file for each shard, on any file system." short:"o" required:"" placeholder:"DIR"`
}

// run predicts, prints the paths of the files, and returns the figures besides them.
func (c *writeArgs) run(ctx context.Context, e *environment, args stage.WriteArgs) (*stage.Written, error) {
	in, err := e.open(ctx, &c.modelArg, &c.streamArg)
	if err != nil {
		return nil, err
	}
	defer in.close()
	if err := report.DoubtWeights(e.log, in.model); err != nil {
		return nil, err
	}
	folder, err := shard.MakeFolder(c.Output)
	if err != nil {
		return nil, err
	}
	args.JSON = c.JSON
	list := shard.Divided(in.shards, e.common.Element)
	paths, all, err := stage.Write(ctx, in.runner, in.task, args, e.common.Seed, list, folder)
	if err != nil {
		return nil, err
	}
	e.skipped(uint64(all.Skipped))
	for _, path := range paths {
		if _, err := fmt.Fprintln(e.stdout, path); err != nil {
			return nil, err
		}
	}
	return &all, nil
}

type inferCmd struct {
	writeArgs
	flags.Infer
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
	all, err := c.run(ctx, e, stage.WriteArgs{Infer: &c.Infer})
	if err != nil {
		return err
	}
	report.Doubt(e.log, &all.Quality, c.TargetError)
	return nil
}

type mapCmd struct {
	writeArgs
	flags.Map
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
	all, err := c.run(ctx, e, stage.WriteArgs{Map: &c.Map})
	if err != nil {
		return err
	}
	return all.Broken.Err()
}
