// Package building cuts subgraphs out of tables by a recipe, and writes streams as shards.
package building

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"resolwe/format/mln"
	"resolwe/format/origin"
	"resolwe/format/recipe"
	"resolwe/format/rsg"
	"resolwe/format/shards"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/internal/isotime"
	"resolwe/internal/stage/run"
	"resolwe/kernels/cut"
	"resolwe/pool"
)

// Options say how to build a stream from tables. The zero value is valid.
type Options struct {
	Dir string // folder of the tables
	// AsOf is the last day of evidence, which recipes compare with @asof. The zero time sets no bound.
	AsOf time.Time
	Null *uint64                                      // seed of a null stream, see [recipe.Recipe.Null]; nil for the ordinary stream
	Run  func(what, unit string, total int64) run.Run // called as each step begins, for its workers and progress; may be nil
}

// Built describes the stream that Build made.
type Built struct {
	Centers   int // found in the tables
	Subgraphs int // written
	Refused   int // centers that failed a `require` of the recipe
	// Warnings name tables and rules without rows, requirements that no center meets, and tables whose days may be others than those of the rest.
	Warnings []mln.Diagnostic
	// Undrawn is set for a null stream if the tables state the candidates and their labels, so that it cannot test how candidates
	// were drawn.
	Undrawn bool
	Origin  *origin.Origin // how the query atoms were drawn, and the columns of the tables
}

// Build is described with resolwe.Build.
func Build(
	ctx context.Context, m *run.Model, path string, src []byte, opt Options, write func(*subgraph.Subgraph) error,
) (*Built, error) {
	if err := run.NeedsCallback(write != nil); err != nil {
		return nil, err
	}
	begin := opt.Run
	if begin == nil {
		begin = func(string, string, int64) run.Run { return run.Run{} }
	}
	r, err := recipe.Parse(path, src, m.Schema)
	if err != nil {
		return nil, err
	}
	if !opt.AsOf.IsZero() {
		if err := r.Freeze(isotime.FloorDiv(opt.AsOf.Unix(), isotime.SecondsOfDay)); err != nil {
			return nil, err
		}
	}
	out := &Built{}
	if opt.Null != nil {
		null, drawn, err := r.Null(path, src, *opt.Null)
		if err != nil {
			return nil, err
		}
		r, out.Undrawn = null, !drawn
	}
	plan, tables, columns, err := load(ctx, r, opt.Dir, begin)
	if err != nil {
		return nil, err
	}
	centers := plan.Centers()
	run := begin("build", "centers", int64(len(centers)))
	out.Centers = len(centers)
	work := func(_ context.Context, c *cut.Cutter, center int) (*subgraph.Subgraph, error) {
		sub := &subgraph.Subgraph{}
		if ok, err := c.Cut(sub, center); !ok || err != nil {
			return nil, err
		}
		return sub, nil
	}
	var cutters []*cut.Cutter
	var mu sync.Mutex
	cutter := func() *cut.Cutter {
		c := plan.NewCutter()
		mu.Lock()
		defer mu.Unlock()
		cutters = append(cutters, c)
		return c
	}
	err = pool.Map(ctx, run.Workers, pool.Numbers(len(centers)), cutter, work, func(sub *subgraph.Subgraph) error {
		run.Advance(1)
		if sub == nil {
			out.Refused++
			return nil
		}
		out.Subgraphs++
		return write(sub)
	})
	if err != nil {
		return nil, err
	}
	drawn := cut.Drawn{}
	for _, c := range cutters {
		drawn.Merge(c.Drawn())
	}
	if !opt.AsOf.IsZero() {
		columns = nil // later rows are in them
	}
	out.Origin = &origin.Origin{Draws: plan.Draws(drawn), Columns: columns}
	note(out.Origin, string(src))
	if opt.Null != nil {
		return out, nil // the ordinary stream warns of these
	}
	covered := plan.Coverage()
	for _, c := range cutters {
		covered.Merge(c.Coverage())
	}
	out.Warnings = r.Barren(path, src, tables, func(rule int) bool { return covered.Rules[rule] == cut.Barren },
		func(require int) bool { return covered.Requires[require] == cut.Barren })
	return out, nil
}

// load reads a recipe's tables, tells their columns and plans the rules.
func load(
	ctx context.Context, r *recipe.Recipe, dir string, begin func(string, string, int64) run.Run,
) (plan *cut.RecipePlan, tables []*table.Table, columns []origin.Column, err error) {
	if dir == "" {
		dir = "."
	}
	universe := table.NewUniverse(r.Types)
	var reader tablefile.Reader
	tables = make([]*table.Table, len(r.Tables))
	for i := range r.Tables {
		spec := &r.Tables[i]
		run := begin("read "+spec.Name, "rows", -1)
		seen := int64(0)
		tables[i], err = reader.Load(ctx, universe, spec, dir, func(rows int64) {
			run.Advance(int(rows - seen))
			seen = rows
		})
		if err != nil {
			return nil, nil, nil, err
		}
	}
	columns = columnsOf(r, universe, tables)
	begin("plan", "rules", -1)
	plan, err = cut.Compile(r, universe, tables)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", dir, err)
	}
	return plan, tables, columns, nil
}

// ShardOptions say how WriteShards works. The zero value is valid except for Shards.
type ShardOptions struct {
	Shards int                                          // number of shards, at least 1, at most the number of subgraphs
	Writer rsg.WriterOptions                            // of the shards
	Run    func(what, unit string, total int64) run.Run // called as each step begins, for its workers and progress; may be nil
}

// WriteShards writes the subgraphs that fill passes to a writer as shards of about equal work, with a manifest, to a folder, whose
// Commit it calls. Meanwhile it takes as much space again on the folder's disk. The bytes do not depend on the number of workers.
// If there are fewer subgraphs than shards, the error is a *shards.TooManyError.
func WriteShards(
	ctx context.Context, schema *mln.Schema, folder *shards.Folder, opt ShardOptions, fill func(*rsg.Writer) error,
) (*shards.Manifest, error) {
	if err := run.NeedsCallback(fill != nil); err != nil {
		return nil, err
	}
	begin := opt.Run
	if begin == nil {
		begin = func(string, string, int64) run.Run { return run.Run{} }
	}
	if opt.Shards < 1 || opt.Shards > shards.MaxShards {
		return nil, &run.OptionError{Option: "ShardOptions.Shards", Reason: fmt.Sprintf("1 to %d", shards.MaxShards)}
	}
	path := folder.Path("stream.rsg")
	if err := writeStream(path, schema, fill); err != nil {
		return nil, err
	}
	f, err := rsg.OpenFile(path, rsg.ReaderOptions{Names: true, Shared: true})
	if err != nil {
		return nil, err
	}
	m, err := cutStream(ctx, f, folder, &opt, begin)
	if err := errors.Join(err, f.Close(), os.Remove(path)); err != nil {
		return nil, err
	}
	return m, folder.Commit(m)
}

// writeStream writes a temporary stream.
func writeStream(path string, schema *mln.Schema, fill func(*rsg.Writer) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w, err := rsg.NewWriter(file, schema, rsg.WriterOptions{})
	if err != nil {
		return err
	}
	if err := fill(w); err != nil {
		return err
	}
	return w.Close()
}

// cutStream writes the shards of a stream into a folder.
func cutStream(
	ctx context.Context, f *rsg.File, folder *shards.Folder, opt *ShardOptions, begin func(string, string, int64) run.Run,
) (*shards.Manifest, error) {
	work := make([]int64, f.Len())
	for i := range work {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s, err := f.At(i)
		if err != nil {
			return nil, err
		}
		work[i] = shards.Work(s)
	}
	sizes, err := shards.Cut(work, opt.Shards)
	if err != nil {
		return nil, err
	}
	firsts := make([]int, len(sizes))
	for i, n := range sizes[:len(sizes)-1] {
		firsts[i+1] = firsts[i] + n
	}
	m := &shards.Manifest{Format: shards.Format, Subgraphs: f.Len()}
	run := begin("write", "shards", int64(len(sizes)))
	write := func(ctx context.Context, _ struct{}, i int) (shards.Shard, error) {
		return folder.WriteShard(ctx, i, len(sizes), f, firsts[i], sizes[i], opt.Writer)
	}
	err = pool.Map(ctx, run.Workers, pool.Numbers(len(sizes)), func() struct{} { return struct{}{} }, write, func(s shards.Shard) error {
		run.Advance(1)
		m.Shards = append(m.Shards, s)
		return nil
	})
	return m, err
}
