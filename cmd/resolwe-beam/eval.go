package main

import (
	"context"
	"io"
	"time"

	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/internal/render"

	"resolwe/cmd/resolwe-beam/distributed"
	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/cmd/resolwe-beam/stage"
)

type evalCmd struct {
	modelArg
	streamArg
	flags.Infer
	Figures string `help:"Write the figures of each subgraph, for paired tests of two models, as CSV." placeholder:"FILE.csv"`
	resultArgs
}

// Help says what the command does.
func (*evalCmd) Help() string {
	return `Infers as infer does and compares the marginals of the query atoms with their truth in the data. The result is that of
resolwe eval, byte for byte.

Example:

	resolwe-beam eval weighted.mln --stream shards/`
}

// Run evaluates.
func (c *evalCmd) Run(ctx context.Context, e *environment) error {
	began := time.Now()
	in, err := e.open(ctx, &c.modelArg, &c.streamArg, c.Figures)
	if err != nil {
		return err
	}
	defer in.close()
	var figures []distributed.SubgraphFigures
	keep := &figures
	if c.Figures == "" {
		keep = nil
	}
	if err := report.DoubtWeights(e.log, in.model); err != nil {
		return err
	}
	list := shard.Divided(in.shards, e.common.Element)
	ev, skipped, err := stage.Evaluate(ctx, in.runner, in.task, c.Infer, e.common.Seed, list, keep)
	if err != nil {
		return err
	}
	e.skipped(skipped)
	report.DoubtData(e.log, in.task.Violations)
	if err := e.write(ctx, c.Figures, func(w io.Writer) error { return writeFigures(w, figures) }); err != nil {
		return err
	}
	report.Doubt(e.log, &ev.Quality, c.TargetError)
	return c.print(e.stdout, report.Eval(ev, c.Since(began)))
}

// writeFigures writes a line for each subgraph. Undefined figures are left out.
func writeFigures(w io.Writer, list []distributed.SubgraphFigures) error {
	line, end := render.Lines(w)
	line("position", "atoms", "ap", "auc_roc", "cll", "brier")
	for _, f := range list {
		row := []any{f.Index, f.Atoms, nil, nil, nil, nil}
		if f.Ranked {
			row[2], row[3] = f.AveragePrecision, f.AUC
		}
		if f.Atoms > 0 {
			row[4], row[5] = f.CLL, f.Brier
		}
		line(row...)
	}
	return end()
}
