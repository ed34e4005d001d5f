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
	flags.Learn `group:"Learning:"`
	Skip        int    `help:"Leave out this many subgraphs at the beginning: those that selection used." default:"0"`
	Subgraphs   int    `help:"Number of subgraphs in a pipe, including those left out; not needed for a file." default:"0" placeholder:"N"`
	Output      string `help:"Write the model with its weights, for infer and eval." short:"o" placeholder:"FILE"`
	budgetArg
	Curve string `help:"Write as CSV how well each subgraph was predicted before learning from it." placeholder:"FILE.csv"`
	checkpointArgs
	CheckpointEvery interval `help:"How often to save: after a time (30s), or a number of updates (500)." default:"1m" placeholder:"1m" rare:""`
	resultArgs
}

func (*learnCmd) Help() string {
	return `Learns a weight for each formula that is not hard, by maximising the conditional log-likelihood with a Gaussian prior. If
expectations are exact, it takes Newton steps on the whole stream to the optimum; otherwise it starts at the optimum of the
pseudo-likelihood and runs persistent contrastive divergence until the weights settle. With --passes N it takes a step after each --batch
subgraphs, in N passes, and warns if this ends short of the optimum. --method adagrad and cda are online learners for comparison. A weight in the model is the start, and the mean of the prior. Unit
clauses are added for target predicates that have none.

With --checkpoint, the same command with --resume continues a run that ended for any reason, and gives the same bytes as an uninterrupted
run. The checkpoint is kept when learning is done; --resume then returns its result.

Examples:

	resolwe learn selected.mln --stream train.rsg --skip 30 -o weighted.mln
	resolwe learn candidates.mln --stream data.rsg --split .8 -o weighted.mln`
}

// options returns the parameters, without the checkpoints.
func (c *learnCmd) options(seed uint64) (resolwe.LearnOptions, error) {
	opt, err := c.Options(seed)
	if err != nil {
		return opt, err
	}
	opt.Skip, opt.Subgraphs = c.Skip, c.Subgraphs
	if opt.Stop, err = c.stop(); err != nil {
		return opt, err
	}
	opt.Curve = c.Curve != ""
	return opt, nil
}

func (c *learnCmd) Run(ctx context.Context, e *environment) error {
	began := time.Now()
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.trainArg, true, c.options)
	if err != nil {
		return err
	}
	if c.Output != "" { // a clause of --cnf whose variables are only compared cannot be written: known before the work
		if err := m.Write(io.Discard, nil); err != nil {
			return err
		}
	}
	out, err := e.createLike(".mln", c.Output)
	if err != nil {
		return err
	}
	curve, err := e.create(c.Curve, ".csv")
	if err != nil {
		return err
	}
	if opt.Checkpoints, err = c.checkpointArgs.options(e); err != nil {
		return c.Named(err)
	}
	if opt.Checkpoints.Save != nil {
		opt.Checkpoints.Due = c.CheckpointEvery.due()
	}
	if err := e.tellOrder(ctx, s, c.Split != nil || c.Skip > 0); err != nil {
		return c.Named(err)
	}
	opt.Run = e.passes("learn", max(-1, s.Len()-c.Skip), opt.Passes)
	learned, err := resolwe.Learn(ctx, m, s, opt)
	if err != nil {
		return c.Named(err)
	}
	e.endProgress()
	if learned.Stopped {
		e.log.Warn("the budget expired before learning was done", "subgraphs", learned.Subgraphs, "visits", learned.Visits)
	}
	if learned.Unlabeled {
		e.log.Warn("no query atom of known truth was learned from: the weights are those of the prior")
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
