package main

import (
	"context"
	"io"
	"time"

	"resolwe/cmd/internal/report"

	"resolwe/cmd/resolwe-beam/stage"
)

type learnCmd struct {
	modelArg
	streamArg
	stage.LearnArgs
	checkpointArgs
	Output string `help:"Write the model with its weights, for infer and eval." short:"o" placeholder:"FILE"`
	resultArgs
}

// Help says what the command does.
func (*learnCmd) Help() string {
	return `Learns a weight for each formula that is not hard, as resolwe learn does. In each pass, which is a job, every shard gives
its exact gradient, and one Newton step is taken on all of them, until the optimum is reached: the same bytes however the
stream is cut. Where the model ties too many query atoms for that, the shards do it on the pseudo-likelihood, and go on from
there with samples: every shard samples its gradient at the same weights, and one step is taken on the sum, until the weights
settle. With --mix cd every shard learns by itself from the mixed weights, and the results are mixed by the numbers of
subgraphs; those weights depend on how the stream is cut.

Example:

	resolwe-beam learn selected.mln --stream shards/ --skip 1000000 --checkpoint run.ckpt -o weighted.mln`
}

// Run learns.
func (c *learnCmd) Run(ctx context.Context, e *environment) error {
	began := time.Now()
	saved, err := c.read(ctx, e)
	if err != nil {
		return err
	}
	in, err := e.open(ctx, &c.modelArg, &c.streamArg, c.Output, c.Checkpoint)
	if err != nil {
		return err
	}
	defer in.close()
	l, err := stage.NewLearner(in.runner, in.task, c.LearnArgs, e.common.Seed, in.shards, e.common.Element)
	if err != nil {
		return err
	}
	if saved != nil {
		if err := l.Restore(saved); err != nil {
			return c.Named(err)
		}
	}
	tied := 0
	for !l.Done() {
		if err := l.Pass(ctx); err != nil {
			return err
		}
		e.log.Info("pass done", "pass", l.Epoch())
		if n := l.Tied(); n > 0 && tied == 0 {
			tied = n
			e.log.Warn("the model ties many target atoms to one another: their gradient has no closed form and is sampled, and the result "+
				"will be near the optimum only", "atoms", n)
		}
		data, err := l.MarshalBinary()
		if err != nil {
			return err
		}
		if err := c.write(ctx, e, data); err != nil {
			return err
		}
	}
	e.skipped(uint64(l.Skipped))
	report.DoubtData(e.log, in.task.Violations)
	learned := l.Learned()
	if learned.Objective, learned.Exact, err = l.Objective(ctx); err != nil {
		return err
	}
	if short := learned.ShortOfOptimum(); short != "" {
		e.log.Warn(short)
	}
	if err := e.write(ctx, c.Output, func(w io.Writer) error { return learned.Model.Write(w, nil) }); err != nil {
		return err
	}
	return c.print(e.stdout, report.Learn(c.Sigma, learned, c.Since(began)))
}
