package main

import (
	"context"
	"io"
	"time"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
)

type learnCmd struct {
	modelArg
	trainArg
	flags.Learn
	Skip       int           `help:"How many subgraphs to leave out, from the first: those that selection used." default:"0"`
	Subgraphs  int           `help:"How many subgraphs a pipe has, with those left out; a file tells by itself." default:"0" placeholder:"N"`
	Output     string        `help:"Write the model with its weights; it feeds infer and eval." short:"o" placeholder:"FILE"`
	Budget     time.Duration `help:"Stop after this time (30m), with the best weights so far; 0 for no end." default:"0s" placeholder:"TIME"`
	Curve      string        `help:"Write how well each subgraph was predicted before it was learned from, as CSV." placeholder:"FILE.csv"`
	CurveEvery int           `help:"Only for every N-th subgraph, at least 1." default:"1" placeholder:"N"`
	checkpointArgs
	CheckpointEvery interval `help:"How often: after a time (30s), or a number of updates (500)." default:"1m" placeholder:"1m"`
	resultArgs
}

// Help says what the command does.
func (*learnCmd) Help() string {
	return `Learns a weight for each formula that is not hard, by ascent of the conditional log-likelihood with a Gaussian prior, to
its optimum: by Newton steps on the whole stream where expectations are exact, else from the optimum of the pseudo-likelihood by
persistent contrastive divergence until the weights settle. With --passes N it takes a step after each --batch subgraphs, N times
over, and warns where that ends short of the optimum. A weight in the model is the start and the mean of the prior. Unit
clauses of the target predicates are added where the model has none.

With --checkpoint, the same command with --resume goes on with a run that has ended, for whatever reason, and gives the same bytes as
one that never did. The checkpoint stays when learning is done; --resume then returns its result.

Examples:

	resolwe learn selected.mln --stream train.rsg --skip 30 -o weighted.mln
	resolwe learn candidates.mln --stream data.rsg --split .8 -o weighted.mln`
}

// options returns the parameters, but for the checkpoints.
func (c *learnCmd) options(seed uint64) (resolwe.LearnOptions, error) {
	opt, err := c.Options(seed)
	if err != nil {
		return opt, err
	}
	opt.Skip, opt.Subgraphs = c.Skip, c.Subgraphs
	if opt.Stop, err = over(c.Budget); err != nil {
		return opt, err
	}
	if c.CurveEvery < 1 {
		return opt, &resolwe.OptionError{Option: "--curve-every", Reason: "at least 1"}
	}
	if c.Curve != "" {
		opt.CurveEvery = c.CurveEvery
	}
	return opt, nil
}

// Run learns.
func (c *learnCmd) Run(ctx context.Context, e *environment) error {
	began := time.Now()
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.trainArg, true, c.options)
	if err != nil {
		return err
	}
	out, err := e.create(c.Output)
	if err != nil {
		return err
	}
	curve, err := e.create(c.Curve)
	if err != nil {
		return err
	}
	if opt.Checkpoints, err = c.checkpointArgs.options(e); err != nil {
		return c.Named(err)
	}
	if opt.Checkpoints.Save != nil {
		opt.Checkpoints.Due = c.CheckpointEvery.due()
	}
	total := -1
	if n := s.Len(); n >= 0 && opt.Passes > 0 {
		total = max(n-c.Skip, 0) * opt.Passes
	}
	if err := e.tellOrder(ctx, s, c.Split != nil || c.Skip > 0); err != nil {
		return c.Named(err)
	}
	opt.Run = e.run("learn", total)
	learned, err := resolwe.Learn(ctx, m, s, opt)
	if err != nil {
		return c.Named(err)
	}
	e.endProgress()
	if learned.Stopped {
		e.log.Warn("the time is over before learning was done", "subgraphs", learned.Subgraphs, "visits", learned.Visits)
	}
	if short := learned.ShortOfOptimum(); short != "" {
		e.log.Warn(short)
	}
	err = curve.write(func(w io.Writer) error { return report.WriteCurve(w, learned.Curve) })
	if err != nil {
		return err
	}
	err = out.write(func(w io.Writer) error { return learned.Model.Write(w, nil) })
	if err != nil {
		return err
	}
	return e.print(c.JSON, report.Learn(c.Sigma, learned, c.Since(began)))
}
