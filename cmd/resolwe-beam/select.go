package main

import (
	"context"
	"io"
	"time"

	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"

	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/cmd/resolwe-beam/stage"
)

type selectCmd struct {
	modelArg
	streamArg
	flags.Select
	Output string `help:"Write the model with the selected formulas; it feeds learn." short:"o" placeholder:"FILE"`
	resultArgs
}

// Help says what the command does.
func (*selectCmd) Help() string {
	return `Counts, in each of the first k2 subgraphs, how often each candidate formula of the model holds among the groundings
that its evidence selects, and keeps the formulas whose average exceeds theta. The first subgraphs are those of the first
shards. The result is that of resolwe select, byte for byte.

Example:

	resolwe-beam select task.mln --stream shards/ --k2 1000000 -o selected.mln`
}

// Run selects.
func (c *selectCmd) Run(ctx context.Context, e *environment) error {
	began := time.Now()
	if _, err := c.Options(); err != nil {
		return err
	}
	r, in, err := e.open(ctx, &c.modelArg, &c.streamArg)
	if err != nil {
		return err
	}
	defer e.close(r)
	if err := in.output(c.Output); err != nil {
		return err
	}
	list := shard.Divided(shard.Within(in.shards, 0, c.K2), e.common.Element)
	sel, skipped, err := stage.Select(ctx, r, in.task, c.Select, list)
	if err != nil {
		return err
	}
	e.skipped(skipped)
	for _, w := range sel.Warnings {
		e.log.Warn(w.String())
	}
	if c.Output != "" {
		err := job.Write(ctx, c.Output, func(w io.Writer) error {
			kept, note := sel.Model(in.model)
			return kept.Write(w, note)
		})
		if err != nil {
			return err
		}
	}
	return c.print(e.stdout, began,
		func(seconds *report.Number) any { return report.NewSelect(c.K2, sel, seconds) },
		func(w io.Writer, seconds float64) error { return report.SelectText(w, sel, seconds) })
}
