package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"resolwe/format/archive"
	"resolwe/format/facts"
	"resolwe/format/facttables"
	"resolwe/format/lex"
	"resolwe/format/origin"
	"resolwe/format/rsg"
	"resolwe/format/shards"
	"resolwe/internal/atomicfile"
	"resolwe/internal/printable"
	"resolwe/internal/render"
)

type inspectCmd struct {
	Stream   string `arg:"" help:"Stream (.rsg, also .gz, .zst, .bz2)."`
	Subgraph string `help:"Print one subgraph as .db text." placeholder:"NAME"`
	Tables   string `help:"Write all facts as Parquet tables, which pack reads, to this folder, which must be new or empty." placeholder:"DIR"`
	JSON     bool   `help:"Print JSON." name:"json"`
}

func (*inspectCmd) Help() string {
	return `Prints the schema, the number of subgraphs, entities and facts, and the sizes, and, if the stream tells, how the target's atoms were drawn; or one
subgraph as .db text. --json adds the columns of the tables that the stream was built from.
With --tables, it writes the facts of each predicate as a Parquet file, and the tables subgraphs and entities; pack makes the same stream from them.

Examples:

	resolwe inspect data.rsg
	resolwe inspect data.rsg --subgraph s17
	resolwe inspect data.rsg --tables tables`
}

func (c *inspectCmd) Run(ctx context.Context, e *environment) error {
	if c.Subgraph != "" && c.JSON {
		return usageError("--json does not go with --subgraph, which prints .db text")
	}
	if c.Tables != "" && (c.Subgraph != "" || c.JSON) {
		return usageError("--tables prints nothing: it does not go with --subgraph and --json")
	}
	if err := e.Reads(c.Stream); err != nil {
		return err
	}
	f, err := c.open()
	if errors.As(err, new(*os.PathError)) {
		return pathError(c.Stream, err)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if c.Subgraph != "" {
		return f.Guard(func() error { return c.one(e, f) })
	}
	if c.Tables != "" {
		return f.Guard(func() error { return c.tables(ctx, e, f) })
	}
	var in *rsg.Survey
	err = f.Guard(func() (err error) {
		in, err = f.Survey(ctx, e.run("inspect", f.Len()).Progress)
		return err
	})
	if err != nil {
		return err
	}
	return e.print(c.JSON, &render.Document{Data: in, Page: inspected(in)})
}

// open maps the stream. An archive must first be unpacked into a file, because the index is at the end of a stream.
func (c *inspectCmd) open() (*rsg.File, error) {
	opt := rsg.ReaderOptions{Names: true, Shared: true}
	f, err := os.Open(c.Stream)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := archive.NewReader(f, c.Stream)
	if err != nil || !in.Packed {
		return rsg.OpenFile(c.Stream, opt)
	}
	var t *os.File
	name, release, err := atomicfile.Claim(filepath.Join(os.TempDir(), "resolwe-inspect-"), func(name string) (err error) {
		t, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer release()
	defer os.Remove(name)
	if _, err := rsg.Verify(io.TeeReader(in, t), c.Stream); err != nil { // so that damage is found before the disk is full
		return nil, errors.Join(err, t.Close())
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return rsg.OpenFileOf(c.Stream, name, opt)
}

// one prints one subgraph.
func (c *inspectCmd) one(e *environment, f *rsg.File) error {
	i, ok := f.Find(c.Subgraph)
	if !ok {
		names := make([]string, f.Len())
		for k := range names {
			names[k] = f.Entry(k).Name
		}
		return usageError(fmt.Sprintf("%s: no subgraph is named %s", c.Stream, c.Subgraph) + lex.DidYouMean(c.Subgraph, names))
	}
	s, err := f.At(i)
	if err != nil {
		return err
	}
	return e.results(func(w io.Writer) error { return facts.Write(w, s, f.Schema()) })
}

// tables writes all subgraphs as tables.
func (c *inspectCmd) tables(ctx context.Context, e *environment, f *rsg.File) error {
	folder, err := shards.CreateFolder(c.Tables)
	if err != nil {
		return pathError(c.Tables, err)
	}
	defer folder.Abort()
	e.opened(folder.Discard)
	w, err := facttables.NewWriter(f.Schema(), func(name string) (io.WriteCloser, error) { return os.Create(folder.Path(name)) })
	if err != nil {
		return err
	}
	run := e.run("inspect", f.Len())
	for i := range f.Len() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s, err := f.At(i)
		if err != nil {
			return err
		}
		if err := w.Write(s); err != nil {
			return err
		}
		run.Progress(1)
	}
	if err := w.Close(); err != nil {
		return err
	}
	if made := f.Origin(); made != nil {
		text, err := made.Text()
		if err == nil {
			err = os.WriteFile(folder.Path(originFile), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return folder.Move()
}

// inspected presents a survey in tables.
func inspected(in *rsg.Survey) render.Page {
	head := fmt.Sprintf("%s, %d bytes", printable.Count(in.Subgraphs, "subgraph"), in.Bytes)
	if in.Subgraphs > 0 {
		head += fmt.Sprintf("; the largest, %s, has %d", in.Largest.Subgraph, in.Largest.Bytes)
	}
	columns, header := "lrrr", []string{"predicate", "true", "false", "unknown"}
	if sh := in.Shared; sh != nil {
		head += fmt.Sprintf("\nshared: relations of %d bytes (bases: %d), by %d subgraphs", sh.Bytes, sh.Bases, sh.Subgraphs)
		columns, header = columns+"r", append(header, "shared")
	}
	types := render.NewTable("lr", "type", "entities")
	for _, t := range in.Types {
		types.Row(t.Name, t.Entities)
	}
	predicates := render.NewTable(columns, header...)
	for _, p := range in.Predicates {
		predicates.Row([]any{p.Declaration, p.True, p.False, p.Unknown, p.Shared}[:len(columns)]...)
	}
	out := render.Page{head + "\n\n", types, "\n", predicates}
	if len(in.Folds) > 0 {
		folds := render.NewTable("rr", "fold", "subgraphs")
		for _, fold := range slices.Sorted(maps.Keys(in.Folds)) {
			folds.Row(fold, in.Folds[fold])
		}
		out = append(out, "\n", folds)
	}
	if in.Origin != nil {
		out = append(out, originOf(in.Origin)...)
	}
	return out
}

// originOf presents what a stream was made of: how the targets' atoms were drawn, and how many columns of the tables it tells.
func originOf(o *origin.Origin) (out render.Page) {
	var targets []string
	sums := map[string]*[4]int64{} // eligible and kept, of the true and of the false
	for _, d := range o.Draws {
		s := sums[d.Target]
		if s == nil {
			s = new([4]int64)
			targets, sums[d.Target] = append(targets, d.Target), s
		}
		at := 0
		if !d.Truth {
			at = 2
		}
		s[at] += d.Eligible
		s[at+1] += d.Kept
	}
	if len(targets) > 0 {
		draws := render.NewTable("lrrrrr", "drawn", "true", "kept", "false", "kept", "share true")
		for _, target := range targets {
			s := sums[target]
			rate, _ := o.Rate(target)
			draws.Row(target, s[0], s[1], s[2], s[3], fmt.Sprintf("%.1f%%", 100*rate))
		}
		out = append(out, "\n", draws)
	}
	if n := len(o.Columns); n > 0 {
		out = append(out, fmt.Sprintf("\ntables: %s; --json lists them\n", printable.Count(n, "column")))
	}
	return out
}
