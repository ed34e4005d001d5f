package main

import (
	"context"
	"errors"
	"io"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/format/tablewrite"
	"resolwe/internal/render"
	"resolwe/internal/stage/inferring"
)

// inferArgs are the parameters of inference.
type inferArgs struct {
	flags.Infer `group:"Inference:"`
	budgetArg
}

// Options returns the options of inference, without Run.
func (a *inferArgs) Options(seed uint64) (resolwe.InferOptions, error) {
	opt, err := a.Infer.Options(seed)
	if err == nil {
		opt.Stop, err = a.stop()
	}
	return opt, err
}

type inferCmd struct {
	modelArg
	testArg
	inferArgs
	Unknown     bool   `help:"Only atoms of unknown truth, such as new cases; subgraphs without any are skipped."`
	Sort        string `help:"Order of the atoms: that of the stream, or by falling probability (ties in the order of the stream), which holds all of them in memory, a few hundred bytes each. Not for --json." enum:"stream,probability" default:"stream" placeholder:"ORDER"`
	Diagnostics string `help:"Write as CSV how far the marginals of each subgraph can be trusted." placeholder:"FILE.csv"`
	Output      string `help:"Write a table (.csv, .parquet or .json) instead of printing." short:"o" xor:"form" placeholder:"FILE"`
	JSON        bool   `help:"Print JSON." name:"json" xor:"form"`
}

func (*inferCmd) Help() string {
	return `Prints the marginal probability of each query atom: a line with subgraph, atom and probability, separated by tabs.
The truth of query atoms in the data is not used, except with --given.

If atoms are sampled, the command reports how well that went: the largest split R-hat, which is near 1 if chains and their halves
agree; the smallest effective sample size; and the largest Monte Carlo standard error of a marginal. It warns of atoms on which chains
disagree, or that hardly moved although nothing fixes them. --error E stops at a precision and gives the same result in every run.
--budget TIME stops at a time; subgraphs that it does not reach are left out, with a message.

-o FILE writes a table with the columns subgraph, atom, its arguments arg1, arg2, .., probability, truth (empty if the data do not
give it) and error, the Monte Carlo standard error, which is 0 if the probability is exact. A .json file has an object for each atom.
In CSV, text that begins with an apostrophe, or that a spreadsheet would run because it begins with =, +, - or @, gets a leading
apostrophe.

Examples:

	resolwe infer weighted.mln --stream test.rsg --json > marginals.json
	resolwe infer weighted.mln --stream test.rsg --error 0.01 --samples 9999
	resolwe infer m.mln --stream s.rsg --unknown --sort probability -o scores.csv`
}

func (c *inferCmd) Run(ctx context.Context, e *environment) error {
	format, err := tableFormat("--output", c.Output, tablewrite.CSV, tablewrite.Parquet, tablewrite.JSON)
	if err != nil {
		return err
	}
	choice := report.Choice{Unknown: c.Unknown, Sorted: c.Sort == "probability"}
	if choice.Sorted && c.JSON {
		return usageError("--json lists subgraph by subgraph: for --sort, print text or write a table with -o")
	}
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.testArg, true, c.Options)
	if err != nil {
		return err
	}
	opt.Unknown = c.Unknown
	diagnostics, err := e.create(c.Diagnostics, ".csv")
	if err != nil {
		return err
	}
	if err := report.DoubtWeights(e.log, m); err != nil {
		return err
	}
	table, err := e.create(c.Output)
	if err != nil {
		return err
	}
	opt.Run = e.run("infer", s.Len())
	var quality resolwe.Quality
	run := func(w io.Writer) error {
		line, end := render.Lines(w)
		line("subgraph", "exact", "sampled", "samples", "stopped", "max_rhat", "min_ess", "max_error", "eliminated")
		opt.Skipped = func(name string) {
			quality.Skipped++
			line(name, nil, nil, 0, "budget", nil, nil, nil, nil)
		}
		infer := func(emit func(*resolwe.Marginals) error) error {
			return inferring.Infer(ctx, m, s, opt, func(r *resolwe.Marginals) error {
				quality.Add(r)
				d := &r.Diagnostics
				line(r.Subgraph, d.Exact, d.Sampled, d.Samples, string(d.Stopped), d.MaxRHat, d.MinESS, d.MaxError, d.Eliminated)
				return emit(r)
			})
		}
		if c.Output != "" {
			err = table.write(func(w io.Writer) error { return report.MarginalTable(w, format, m, choice, infer) })
		} else {
			err = e.results(func(w io.Writer) error { return report.Marginals(w, c.JSON, choice, infer) })
		}
		return errors.Join(err, end())
	}
	if c.Diagnostics == "" {
		err = run(io.Discard)
	} else {
		err = diagnostics.write(run)
	}
	if err != nil {
		return err
	}
	e.judge(&quality, s, &opt, !c.JSON)
	return nil
}

// judge says on standard error how far sampled marginals can be trusted. It always prints warnings, and with summary also how well
// sampling went.
func (e *environment) judge(q *resolwe.Quality, s *resolwe.Stream, opt *resolwe.InferOptions, summary bool) {
	if summary && q.Sampled > 0 {
		e.log.Info(report.QualityText(q))
	}
	report.Doubt(e.log, q, opt.Error)
	if q.Skipped+q.Cut == 0 {
		return
	}
	attrs := []any{"subgraphs", q.Subgraphs, "cut_short", q.Cut}
	if n := s.Len(); n >= 0 && !opt.Unknown {
		attrs = append(attrs, "left_out", n-s.Skipped()-q.Subgraphs)
	}
	e.log.Warn("the budget expired before inference was done", attrs...)
}
