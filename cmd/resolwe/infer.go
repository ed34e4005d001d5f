package main

import (
	"context"
	"errors"
	"io"
	"time"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/format/tablewrite"
)

// inferArgs are the parameters of inference.
type inferArgs struct {
	flags.Infer
	Budget time.Duration `help:"Stop after this time (30m), with what was sampled until then; 0 for no end. Results then depend on the clock." default:"0s" placeholder:"TIME"`
}

// Options returns the options of inference, complete but for Run.
func (a *inferArgs) Options(seed uint64) (resolwe.InferOptions, error) {
	opt, err := a.Infer.Options(seed)
	if err == nil {
		opt.Stop, err = over(a.Budget)
	}
	return opt, err
}

type inferCmd struct {
	modelArg
	testArg
	inferArgs
	Diagnostics string `help:"Write how far the marginals of each subgraph are to be trusted, as CSV." placeholder:"FILE.csv"`
	Output      string `help:"Write a table, .csv, .parquet or .json, in place of printing." short:"o" xor:"form" placeholder:"FILE"`
	JSON        bool   `help:"Print JSON." name:"json" xor:"form"`
}

// Help says what the command does.
func (*inferCmd) Help() string {
	return `Prints the marginal probability of each query atom: a line with subgraph, atom and probability, separated by tabs.
What the data states of query atoms is not used, unless with --given.

Where atoms are sampled it says how well that went: the largest split R-hat, near 1 where chains and their halves agree; the
least effective number of samples; the largest Monte Carlo standard error of a marginal. It warns of atoms on which chains disagree,
or which hardly moved though nothing fixes them. --error E stops at a precision, the same in every run, --budget TIME at a
time: subgraphs that it does not reach are left out, with a message.

-o FILE writes a table: subgraph, atom, its arguments arg1, arg2, .., probability, truth (empty where the data does not know it)
and error, the Monte Carlo standard error, 0 where the probability is exact. A .json file has an object for each atom. In CSV,
text that begins with an apostrophe, or that a spreadsheet would run, as it begins with =, +, - or @, gets an apostrophe in front.

Examples:

	resolwe infer weighted.mln --stream test.rsg --json > marginals.json
	resolwe infer weighted.mln --stream test.rsg --error 0.01 --samples 9999`
}

// Run infers.
func (c *inferCmd) Run(ctx context.Context, e *environment) error {
	format, err := tableFormat(c.Output, tablewrite.CSV, tablewrite.Parquet, tablewrite.JSON)
	if err != nil {
		return err
	}
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.testArg, true, c.Options)
	if err != nil {
		return err
	}
	diagnostics, err := e.create(c.Diagnostics)
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
		line, end := report.Lines(w)
		line("subgraph", "exact", "sampled", "samples", "stopped", "max_rhat", "min_ess", "max_error", "eliminated")
		opt.Skipped = func(name string) {
			quality.Skipped++
			line(name, nil, nil, 0, "budget", nil, nil, nil, nil)
		}
		infer := func(emit func(*resolwe.Marginals) error) error {
			return resolwe.Infer(ctx, m, s, opt, func(r *resolwe.Marginals) error {
				quality.Add(r)
				d := &r.Diagnostics
				line(r.Subgraph, d.Exact, d.Sampled, d.Samples, string(d.Stopped), d.MaxRHat, d.MinESS, d.MaxError, d.Eliminated)
				return emit(r)
			})
		}
		if c.Output != "" {
			err = table.write(func(w io.Writer) error { return report.MarginalTable(w, format, m, infer) })
		} else {
			err = e.results(func(w io.Writer) error { return report.Marginals(w, c.JSON, infer) })
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

// judge says on standard error how far sampled marginals are to be trusted: what is wrong with them always, how well
// sampling went with summary.
func (e *environment) judge(q *resolwe.Quality, s *resolwe.Stream, opt *resolwe.InferOptions, summary bool) {
	if summary && q.Sampled > 0 {
		e.log.Info(report.QualityText(q))
	}
	report.Doubt(e.log, q, opt.Error)
	if q.Skipped+q.Cut == 0 {
		return
	}
	attrs := []any{"subgraphs", q.Subgraphs, "cut_short", q.Cut}
	if n := s.Len(); n >= 0 {
		attrs = append(attrs, "left_out", n-s.Skipped()-q.Subgraphs)
	}
	e.log.Warn("the time is over before inference was done", attrs...)
}
