package main

import (
	"context"

	"resolwe"
	"resolwe/format/rsg"
)

type packCmd struct {
	modelArg
	Facts []string `arg:"" help:"Facts: .db or .rsg files (also .gz, .zst, .bz2), globs, a folder, or - for standard input."`
	shardedArgs
	Zstd        bool `help:"Compress, for archives: a compressed stream is decoded, not mapped."`
	streamFlags `group:"input"`
}

func (*packCmd) Help() string {
	return `Writes the facts of the model's predicates as a binary stream, which the other commands read without copying.
With --shards, it writes several streams of consecutive subgraphs and about equal work, for several machines.

Examples:

	resolwe pack task.mln data -o - | resolwe select task.mln --stream -
	resolwe pack task.mln data.rsg --shards 64 -o shards`
}

func (c *packCmd) Run(ctx context.Context, e *environment) error {
	m, err := c.read(e, noConstants)
	if err != nil {
		return err
	}
	arg := streamArg{Stream: c.Facts, streamFlags: c.streamFlags}
	s, err := arg.open(ctx, e, m, true)
	if err != nil {
		return err
	}
	e.closeAtEnd(s)
	return c.stream(ctx, e, m, rsg.WriterOptions{Zstd: c.Zstd}, func(w *rsg.Writer) error {
		return resolwe.Each(ctx, s.AsStored(), e.run("pack", s.Len()), w.Write)
	})
}
