package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"resolwe/cmd/internal/report"
	"resolwe/format/facts"
	"resolwe/format/lex"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/atomicfile"
)

type inspectCmd struct {
	Stream   string `arg:"" help:"Stream (.rsg, also .gz, .zst, .bz2)."`
	Subgraph string `help:"Print one subgraph as .db text." placeholder:"NAME"`
	JSON     bool   `help:"Print JSON." name:"json"`
}

// Help says what the command does.
func (*inspectCmd) Help() string {
	return `Prints the schema, the number of subgraphs, entities and facts, and the sizes; or one subgraph as .db text.

Examples:

	resolwe inspect data.rsg
	resolwe inspect data.rsg --subgraph s17`
}

// Run inspects.
func (c *inspectCmd) Run(ctx context.Context, e *environment) error {
	if c.Subgraph != "" && c.JSON {
		return usageError("--json does not go with --subgraph, which prints .db text")
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
	var in *inspection
	err = f.Guard(func() (err error) {
		in, err = inspect(ctx, f, e.run("inspect", f.Len()).Progress)
		return err
	})
	if err != nil {
		return err
	}
	return e.print(c.JSON, &report.Document{Data: in, Page: in.page()})
}

// open maps the stream, which has to be unpacked into a file first where it is an archive: its index is at its end.
func (c *inspectCmd) open() (*rsg.File, error) {
	opt := rsg.ReaderOptions{Names: true, Shared: true}
	f, err := os.Open(c.Stream)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	packed := bufio.NewReader(f)
	in, err := rsg.Unpack(packed, c.Stream)
	if err != nil || in == packed {
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
	if _, err := rsg.Verify(io.TeeReader(in, t), c.Stream); err != nil { // before it fills the disk
		return nil, errors.Join(err, t.Close())
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return rsg.OpenFileOf(c.Stream, name, opt)
}

// one prints a subgraph.
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

// inspection is what inspect prints with --json.
type inspection struct {
	Bytes      int64           `json:"bytes"`
	Subgraphs  int             `json:"subgraphs"`
	Folds      map[int]int     `json:"folds"` // subgraphs by fold
	Types      []typeJSON      `json:"types"`
	Predicates []predicateJSON `json:"predicates"`
	Largest    recordJSON      `json:"largest"`
	Shared     *sharedJSON     `json:"shared,omitempty"` // nil where subgraphs share nothing
}

type typeJSON struct {
	Name     string `json:"name"`
	Entities int    `json:"entities"` // distinct ones
}

type predicateJSON struct {
	Declaration string `json:"declaration"`
	True        int    `json:"true"`
	False       int    `json:"false"`
	Unknown     int    `json:"unknown"`
	Shared      int    `json:"shared,omitempty"` // subgraphs that share the relation
}

type recordJSON struct {
	Subgraph string `json:"subgraph"`
	Bytes    int64  `json:"bytes"`
}

// sharedJSON is what subgraphs have in common, which the stream does not repeat.
type sharedJSON struct {
	Bases     int   `json:"bases"`
	Bytes     int64 `json:"bytes"`     // of the bases
	Subgraphs int   `json:"subgraphs"` // that share in them
	last      *subgraph.Background
}

// add takes in a subgraph that shares in a base.
func (in *inspection) add(s *subgraph.Shared) {
	if in.Shared == nil {
		in.Shared = &sharedJSON{}
	}
	sh := in.Shared
	sh.Subgraphs++
	if s.Background != sh.last {
		sh.last = s.Background
		sh.Bases++
		sh.Bytes += s.Background.Bytes()
	}
	for k, induced := range s.Induced {
		if induced {
			in.Predicates[k].True += s.Counts[k]
			in.Predicates[k].Shared++
		}
	}
}

// window is how many bytes of a stream are let go of at a time.
const window = 16 << 20

// inspect adds up what the stream holds.
func inspect(ctx context.Context, f *rsg.File, progress func(int)) (*inspection, error) {
	schema := f.Schema()
	in := &inspection{Bytes: f.Bytes(), Subgraphs: f.Len(), Folds: map[int]int{}}
	for t, name := range schema.Types {
		in.Types = append(in.Types, typeJSON{name, f.Entities(t)})
	}
	for _, p := range schema.Predicates {
		in.Predicates = append(in.Predicates, predicateJSON{Declaration: schema.Declaration(p)})
	}
	freed := int64(0)
	for i := range f.Len() {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		entry := f.Entry(i)
		if entry.Fold >= 0 {
			in.Folds[entry.Fold]++
		}
		if entry.Bytes > in.Largest.Bytes {
			in.Largest = recordJSON{entry.Name, entry.Bytes}
		}
		s, err := f.At(i)
		if err != nil {
			return nil, err
		}
		if entry.Offset-freed > window {
			f.Release(freed, entry.Offset)
			freed = entry.Offset
		}
		for k := range s.Relations {
			r, p := &s.Relations[k], &in.Predicates[k]
			p.True += r.True.Len()
			p.False += r.False.Len()
			p.Unknown += r.Unknown.Len()
		}
		if s.Shared != nil {
			in.add(s.Shared)
		}
		progress(1)
	}
	return in, nil
}

// page is the inspection in tables.
func (in *inspection) page() report.Page {
	head := fmt.Sprintf("%d subgraphs, %d bytes", in.Subgraphs, in.Bytes)
	if in.Subgraphs > 0 {
		head += fmt.Sprintf("; the largest, %s, has %d", in.Largest.Subgraph, in.Largest.Bytes)
	}
	columns, header := "lrrr", []string{"predicate", "true", "false", "unknown"}
	if sh := in.Shared; sh != nil {
		head += fmt.Sprintf("\nshared: relations of %d bytes (bases: %d), by %d subgraphs", sh.Bytes, sh.Bases, sh.Subgraphs)
		columns, header = columns+"r", append(header, "shared")
	}
	types := report.NewTable("lr", "type", "entities")
	for _, t := range in.Types {
		types.Row(t.Name, t.Entities)
	}
	predicates := report.NewTable(columns, header...)
	for _, p := range in.Predicates {
		predicates.Row([]any{p.Declaration, p.True, p.False, p.Unknown, p.Shared}[:len(columns)]...)
	}
	out := report.Page{head + "\n\n", types, "\n", predicates}
	if len(in.Folds) > 0 {
		folds := report.NewTable("rr", "fold", "subgraphs")
		for _, fold := range slices.Sorted(maps.Keys(in.Folds)) {
			folds.Row(fold, in.Folds[fold])
		}
		out = append(out, "\n", folds)
	}
	return out
}
