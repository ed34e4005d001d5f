package main

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/distributed"

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
	see := func(p *distributed.EvaluationPart) {
		if c.Figures != "" {
			figures = append(figures, p.Subgraphs...)
		}
	}
	if err := report.DoubtWeights(e.log, in.model); err != nil {
		return err
	}
	list := shard.Divided(in.shards, e.common.Element)
	ev, skipped, err := stage.Evaluate(ctx, in.runner, in.task, c.Infer, e.common.Seed, list, see)
	if err != nil {
		return err
	}
	e.skipped(skipped)
	if err := e.write(ctx, c.Figures, func(w io.Writer) error { return writeFigures(w, figures) }); err != nil {
		return err
	}
	report.Doubt(e.log, &ev.Quality, c.TargetError)
	return c.print(e.stdout, report.Eval(ev, c.since(began)))
}

// writeFigures writes a line for each subgraph. What is undefined has no value.
func writeFigures(w io.Writer, list []distributed.SubgraphFigures) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"position", "atoms", "ap", "auc_roc", "cll", "brier"}) // Error has what goes wrong
	for _, f := range list {
		row := []string{strconv.Itoa(f.Index), strconv.Itoa(f.Atoms), "", "", "", ""}
		if f.Ranked {
			row[2], row[3] = exact(f.AveragePrecision), exact(f.AUC)
		}
		if f.Atoms > 0 {
			row[4], row[5] = exact(f.CLL), exact(f.Brier)
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
