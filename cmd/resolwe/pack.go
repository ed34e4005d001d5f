package main

import (
	"bufio"
	"context"
	"io"

	"resolwe"
	"resolwe/format/subgraph"
)

type packCmd struct {
	modelArg
	Facts       []string `arg:"" help:"Facts: .db files (also .gz, .zst), globs, a folder, or - for standard input."`
	Output      string   `help:"Stream to write (.rsg); - for standard output." short:"o" required:"" placeholder:"STREAM.rsg"`
	Zstd        bool     `help:"Compress, for archives: such a stream is decoded, not mapped."`
	SkipDamaged bool     `help:"Leave out damaged subgraphs, and say how many."`
}

// Help says what the command does.
func (*packCmd) Help() string {
	return `Writes the facts of the model's predicates as a binary stream, which the other commands read without copying.

Examples:

	resolwe pack task.mln data/*.db -o data.rsg
	resolwe pack task.mln data -o - | resolwe select task.mln --stream -`
}

// Run packs.
func (c *packCmd) Run(ctx context.Context, e *environment) error {
	m, err := c.read(e)
	if err != nil {
		return err
	}
	arg := streamArg{Stream: c.Facts, SkipDamaged: c.SkipDamaged}
	s, err := arg.open(e, m, true)
	if err != nil {
		return err
	}
	defer arg.close(e, s)
	write := func(w io.Writer) error {
		out, err := subgraph.NewWriter(w, m.Schema, subgraph.WriterOptions{Zstd: c.Zstd})
		if err != nil {
			return err
		}
		if err := resolwe.Each(ctx, s, e.run("pack", s.Len()), out.Write); err != nil {
			return err
		}
		return out.Close()
	}
	if c.Output == "-" {
		w := bufio.NewWriterSize(e.stdout, 1<<16)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	}
	out, err := e.create(c.Output, m, s)
	if err != nil {
		return err
	}
	defer out.abort()
	return out.write(write)
}
