package resolwe

import (
	"context"
	"fmt"
	"io"

	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/format/table/recipe"
	"resolwe/kernels/cut"
	"resolwe/pool"
)

// BuildOptions say how to build a stream from tables. The zero value is good.
type BuildOptions struct {
	Dir string                                   // folder of the tables
	Run func(what, unit string, total int64) Run // called as each step begins, for its workers and progress; may be nil
}

// Built is what Build made of a recipe.
type Built struct {
	Centers   int // found in the tables
	Subgraphs int // written
	Refused   int // centers that failed a `require` of the recipe
}

// Build cuts a subgraph around each center of a recipe out of its tables, and hands them to write in the order in which
// the centers first appear in the tables. They do not depend on the number of workers. path names the recipe in messages.
// Errors in the recipe are a lex.ErrorList, missing files and columns a table.UsageError, damaged tables match
// subgraph.ErrCorrupt; those of rules are package cut's.
func Build(
	ctx context.Context, m *Model, path string, src []byte, opt BuildOptions, write func(*subgraph.Subgraph) error,
) (*Built, error) {
	begin := opt.Run
	if begin == nil {
		begin = func(string, string, int64) Run { return Run{} }
	}
	r, err := recipe.Parse(path, src, m.Schema)
	if err != nil {
		return nil, err
	}
	plan, err := load(ctx, r, opt.Dir, begin)
	if err != nil {
		return nil, err
	}
	centers := plan.Centers()
	run := begin("build", "centers", int64(len(centers)))
	out := &Built{Centers: len(centers)}
	next := 0
	source := func(ctx context.Context) (int, error) {
		if next == len(centers) {
			return 0, io.EOF
		}
		next++
		return next - 1, context.Cause(ctx)
	}
	work := func(_ context.Context, c *cut.Cutter, center int) (*subgraph.Subgraph, error) {
		sub := &subgraph.Subgraph{}
		if ok, err := c.Cut(sub, center); !ok || err != nil {
			return nil, err
		}
		return sub, nil
	}
	err = pool.Map(ctx, run.Workers, source, plan.NewCutter, work, func(sub *subgraph.Subgraph) error {
		run.progress(1)
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
	return out, nil
}

// load reads a recipe's tables and plans its rules.
func load(ctx context.Context, r *recipe.Recipe, dir string, begin func(string, string, int64) Run) (*cut.Plan, error) {
	if dir == "" {
		dir = "."
	}
	universe := table.NewUniverse(r.Types)
	tables := make([]*table.Table, len(r.Tables))
	for i := range r.Tables {
		spec := &r.Tables[i]
		run := begin("read "+spec.Name, "rows", -1)
		seen := int64(0)
		var err error
		tables[i], err = table.Load(ctx, universe, spec, dir, func(rows int64) {
			run.progress(int(rows - seen))
			seen = rows
		})
		if err != nil {
			return nil, err
		}
	}
	begin("plan", "rules", -1)
	plan, err := cut.Compile(r, universe, tables)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return plan, nil
}
