package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

type packCmd struct {
	modelArg
	Facts       []string `arg:"" help:"Facts: .db files (also .gz, .zst), globs, a folder, or - for standard input."`
	Output      string   `help:"Stream to write (.rsg); - for standard output." short:"o" required:"" placeholder:"STREAM.rsg"`
	Zstd        bool     `help:"Compress, for archives: such a stream is decoded, not mapped."`
	SkipDamaged bool     `help:"Leave out damaged subgraphs, and say how many."`
}

// Help shows an example.
func (*packCmd) Help() string {
	return "Example:\n  resolwe pack task.mln data/*.db -o data.rsg"
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
	defer e.close(s)
	run := e.run("pack", s.Len())
	write := func(w io.Writer) error {
		out, err := subgraph.NewWriter(w, m.Schema, subgraph.WriterOptions{Zstd: c.Zstd})
		if err != nil {
			return err
		}
		if err := resolwe.Each(ctx, s, run, out.Write); err != nil {
			return err
		}
		return out.Close()
	}
	if c.Output != "-" {
		return e.file(c.Output, append([]string{c.Model}, c.Facts...), write)
	}
	w := bufio.NewWriterSize(e.stdout, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

type inspectCmd struct {
	Stream   string `arg:"" help:"Stream (.rsg)."`
	Subgraph string `help:"Print one subgraph as .db text." placeholder:"NAME"`
	JSON     bool   `help:"Print JSON." name:"json"`
}

// Help shows an example.
func (*inspectCmd) Help() string {
	return "Example:\n  resolwe inspect data.rsg\n  resolwe inspect data.rsg --subgraph s17"
}

// inspection is what inspect prints with --json.
type inspection struct {
	Bytes      int64           `json:"bytes"`
	Subgraphs  int             `json:"subgraphs"`
	Folds      map[string]int  `json:"folds"`
	Types      []typeJSON      `json:"types"`
	Predicates []predicateJSON `json:"predicates"`
	Largest    recordJSON      `json:"largest"`
}

type typeJSON struct {
	Name     string `json:"name"`
	Entities int    `json:"entities"`
}

type predicateJSON struct {
	Declaration string `json:"declaration"`
	True        int    `json:"true"`
	False       int    `json:"false"`
	Unknown     int    `json:"unknown"`
}

type recordJSON struct {
	Subgraph string `json:"subgraph"`
	Bytes    int64  `json:"bytes"`
}

// Run inspects.
func (c *inspectCmd) Run(ctx context.Context, e *environment) error {
	if _, err := os.Stat(c.Stream); err != nil {
		return usageError(err.Error())
	}
	f, err := subgraph.OpenFile(c.Stream, subgraph.ReaderOptions{Names: true})
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	if c.Subgraph != "" {
		return c.one(e, f)
	}
	in, err := c.inspect(ctx, e, f)
	if err != nil {
		return err
	}
	if c.JSON {
		return e.json(in)
	}
	return e.results(func(w io.Writer) error { return in.text(w) })
}

// one prints a subgraph.
func (c *inspectCmd) one(e *environment, f *subgraph.File) error {
	i, ok := f.Find(c.Subgraph)
	if !ok {
		return usageError(fmt.Sprintf("%s: no subgraph is named %s", c.Stream, c.Subgraph))
	}
	s, err := f.At(i)
	if err != nil {
		return err
	}
	if c.JSON {
		return usageError("--json does not go with --subgraph, which prints .db text")
	}
	return e.results(func(w io.Writer) error { return s.WriteText(w, f.Schema()) })
}

// inspect adds up what the stream holds.
func (c *inspectCmd) inspect(ctx context.Context, e *environment, f *subgraph.File) (*inspection, error) {
	info, err := os.Stat(c.Stream)
	if err != nil {
		return nil, err
	}
	schema := f.Schema()
	in := &inspection{Bytes: info.Size(), Subgraphs: f.Len(), Folds: map[string]int{}}
	for t, name := range schema.Types {
		in.Types = append(in.Types, typeJSON{name, f.Entities(t)})
	}
	for _, p := range schema.Predicates {
		in.Predicates = append(in.Predicates, predicateJSON{Declaration: declaration(schema, &p)})
	}
	run := e.run("inspect", f.Len())
	for i := range f.Len() {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		entry := f.Entry(i)
		if entry.Fold >= 0 {
			in.Folds[fmt.Sprint(entry.Fold)]++
		}
		if entry.Bytes > in.Largest.Bytes {
			in.Largest = recordJSON{entry.Name, entry.Bytes}
		}
		s, err := f.At(i)
		if err != nil {
			return nil, err
		}
		for k := range s.Relations {
			r, p := &s.Relations[k], &in.Predicates[k]
			p.True += r.True.Len()
			p.False += r.False.Len()
			p.Unknown += r.Unknown.Len()
		}
		run.Progress(1)
	}
	return in, nil
}

// declaration prints a predicate as a task file declares it.
func declaration(schema *mln.Schema, p *mln.Predicate) string {
	d := mln.Declaration{Name: p.Name, Role: p.Role}
	for _, t := range p.Args {
		d.Types = append(d.Types, schema.Types[t])
	}
	return d.String()
}

func (in *inspection) text(out io.Writer) error {
	fmt.Fprintf(out, "%d subgraphs, %d bytes; the largest, %s, has %d\n\n", in.Subgraphs, in.Bytes, in.Largest.Subgraph, in.Largest.Bytes)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "type\tentities\t\t")
	for _, t := range in.Types {
		fmt.Fprintf(w, "%s\t%d\t\t\n", t.Name, t.Entities)
	}
	fmt.Fprintln(w, "\t\t\t")
	fmt.Fprintln(w, "predicate\ttrue\tfalse\tunknown")
	for _, p := range in.Predicates {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", p.Declaration, p.True, p.False, p.Unknown)
	}
	if len(in.Folds) > 0 {
		fmt.Fprintf(w, "\t\t\t\nfolds (subgraphs): %v\t\t\t\n", in.Folds)
	}
	return w.Flush()
}

type verifyCmd struct {
	Stream string `arg:"" help:"Stream (.rsg); - for standard input."`
}

// Help shows an example.
func (*verifyCmd) Help() string {
	return "Example:\n  resolwe verify data.rsg"
}

// Run verifies.
func (c *verifyCmd) Run(e *environment) error {
	r := e.stdin
	if c.Stream != "-" {
		f, err := os.Open(c.Stream)
		if err != nil {
			return usageError(err.Error())
		}
		defer f.Close() //nolint:errcheck // only read
		r = f
	}
	sum, err := subgraph.Verify(bufio.NewReaderSize(r, 1<<20), c.Stream)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%s: sound; %d subgraphs, %d bytes\n", c.Stream, sum.Subgraphs, sum.Bytes)
	return err
}
