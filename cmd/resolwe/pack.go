package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"resolwe"
	"resolwe/format/facttables"
	"resolwe/format/origin"
	"resolwe/format/rsg"
)

type packCmd struct {
	modelArg
	Facts []string `arg:"" help:"Facts: .db or .rsg files (also .gz, .zst, .bz2), globs, a folder, or - for standard input; or one folder of tables."`
	shardedArgs
	Zstd        bool `help:"Compress, for archives: a compressed stream is decoded, not mapped."`
	streamFlags `group:"input"`
}

func (*packCmd) Help() string {
	return `Writes the facts of the model's predicates as a binary stream, which the other commands read without copying.
With --shards, it writes several streams of consecutive subgraphs and about equal work, for several machines.

A folder of tables has a Parquet, CSV, TSV or JSON lines file for each predicate, called as it is, in any order of rows, with the
columns subgraph, the arguments in their order, and where they are truth (empty where it is to be predicted), center, fold and time. The tables
subgraphs (subgraph, center, fold, time, position) and entities (subgraph, type, entity, position) may be added.

Examples:

	resolwe pack task.mln data -o - | resolwe select task.mln --stream -
	resolwe pack task.mln tables -o data.rsg
	resolwe pack task.mln data.rsg --shards 64 -o shards`
}

func (c *packCmd) Run(ctx context.Context, e *environment) error {
	m, err := c.read(e, noConstants)
	if err != nil {
		return err
	}
	s, err := c.open(ctx, e, m)
	if err != nil {
		return err
	}
	e.closeAtEnd(s)
	return c.stream(ctx, e, m, rsg.WriterOptions{Zstd: c.Zstd}, func(w *rsg.Writer) error {
		if err := resolwe.Each(ctx, s.AsStored(), e.run("pack", s.Len()), w.Write); err != nil {
			return err
		}
		made, err := c.origin(s)
		if err != nil {
			return err
		}
		return w.SetOrigin(made)
	})
}

// originFile is the file, beside tables of facts, that says what these were made of.
const originFile = "origin.json"

// origin returns what a stream that was read, or a folder of tables, was made of; nil if neither says.
func (c *packCmd) origin(s *resolwe.Stream) (*origin.Origin, error) {
	path := filepath.Join(c.Facts[0], originFile)
	if _, err := os.Stat(path); err == nil && len(c.Facts) == 1 && s.Origin() == nil {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, pathError(path, err)
		}
		made, err := origin.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return made, nil
	}
	return s.Origin(), nil
}

// open opens the facts: those of a folder of tables, or a stream.
func (c *packCmd) open(ctx context.Context, e *environment, m *resolwe.Model) (*resolwe.Stream, error) {
	arg := streamArg{Stream: c.Facts, streamFlags: c.streamFlags}
	if info, err := os.Stat(c.Facts[0]); len(c.Facts) > 1 || err != nil || !info.IsDir() {
		return arg.open(ctx, e, m, true)
	}
	s, err := arg.open(ctx, e, m, true)
	if !errors.As(err, new(*resolwe.PathError)) { // the folder has streams
		return s, err
	}
	if has, missing := facttables.Has(c.Facts[0]); missing != nil || !has {
		return nil, cmp.Or(missing, err)
	}
	f, err := facttables.Read(ctx, c.Facts[0], m.Schema, c.IgnoreUnknown)
	if err != nil {
		return nil, err
	}
	e.atEnd(func() { _ = f.Close() }) // temporary files
	return resolwe.StreamOf(m, f.Subgraphs(ctx)), e.Reads(f.Files()...)
}
