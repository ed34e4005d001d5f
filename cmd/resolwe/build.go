package main

import (
	"context"
	"fmt"
	"time"

	"resolwe"
	"resolwe/cmd/internal/report"
	"resolwe/format/lex"
	"resolwe/format/recipe"
	"resolwe/format/rsg"
	"resolwe/format/tablefile"
	"resolwe/internal/printable"
)

type buildCmd struct {
	Recipe string   `arg:"" help:"Recipe (.recipe): rules that cut subgraphs out of tables."`
	Model  string   `help:"Task file (.mln) with the predicates whose facts the rules state." required:"" placeholder:"MODEL"`
	Target []string `help:"Target predicates, for a model that marks none." short:"q" placeholder:"P" group:"input"`
	Data   string   `help:"Folder of the tables." default:"." placeholder:"DIR"`
	AsOf   string   `help:"Leave out evidence dated after this day, whatever a center's time; centers and the truth stay." placeholder:"2010-01-01"`
	Null   *uint64  `help:"Write the null stream for this seed, as if the target had nothing to do with the rest. What a model reaches on it comes from how candidates were drawn: see crossval --null." placeholder:"SEED"`
	shardedArgs
}

func (*buildCmd) Help() string {
	return `Cuts a subgraph around each center out of CSV, TSV or Parquet tables. docs/recipes.md is the reference for the recipe language,
with a cookbook: time windows, counts before a date, negatives, preventing leaks. Tables are read unchanged: a recipe says which
cells may be empty and which rows count. Rules without rows give a warning. For a frozen evaluation, --as-of leaves out later
evidence; the recipe says which evidence that is by t <= @asof.

Examples:

	resolwe build task.recipe --model task.mln --data tables -o task.rsg
	resolwe build task.recipe --model task.mln --shards 64 -o shards`
}

func (c *buildCmd) Run(ctx context.Context, e *environment) error {
	model := modelArg{Model: c.Model, modelFlags: modelFlags{Target: c.Target}}
	m, err := model.read(e, noConstants)
	if err != nil {
		return err
	}
	src, err := lex.ReadFile(c.Recipe)
	if err != nil {
		return pathError(c.Recipe, err)
	}
	opt := resolwe.BuildOptions{Dir: c.Data, Null: c.Null}
	if c.AsOf != "" {
		if opt.AsOf, err = time.Parse(time.DateOnly, c.AsOf); err != nil {
			return usageError(fmt.Sprintf("--as-of %s: a day is written as 2010-01-01", c.AsOf))
		}
	}
	inputs, err := c.inputs(m, src)
	if err != nil {
		return err
	}
	if err := e.Reads(inputs...); err != nil {
		return err
	}
	return c.stream(ctx, e, m, rsg.WriterOptions{}, func(w *rsg.Writer) error {
		return e.build(ctx, m, c.Recipe, src, opt, w)
	})
}

// inputs returns the files that the output must not replace: the recipe and its tables.
func (c *buildCmd) inputs(m *resolwe.Model, src []byte) ([]string, error) {
	r, err := recipe.Parse(c.Recipe, src, m.Schema)
	if err != nil {
		return nil, err
	}
	paths := []string{c.Recipe}
	for i := range r.Tables {
		files, err := tablefile.Files(&r.Tables[i], c.Data)
		if err != nil {
			return nil, err
		}
		paths = append(paths, files...)
	}
	return paths, nil
}

// build cuts the subgraphs of a recipe into a stream, and says how many there are.
func (e *environment) build(ctx context.Context, m *resolwe.Model, path string, src []byte, opt resolwe.BuildOptions, w *rsg.Writer) error {
	opt.Run = e.runOver
	built, err := resolwe.Build(ctx, m, path, src, opt, w.Write)
	if err != nil {
		return err
	}
	if err := w.SetOrigin(built.Origin); err != nil {
		return err
	}
	e.endProgress()
	report.Warn(e.log, built.Warnings)
	if built.Undrawn {
		e.log.Warn("the candidates and their labels come from one table: the null stream does not test how they were drawn")
	}
	_, err = fmt.Fprintf(e.stderr, "%s; %d of %s failed a requirement\n", printable.Count(built.Subgraphs, "subgraph"), built.Refused, printable.Count(built.Centers, "center"))
	return err
}
