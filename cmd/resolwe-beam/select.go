package main

import (
	"cmp"
	"context"
	"io"
	"math"
	"time"

	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"

	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/cmd/resolwe-beam/stage"
)

type selectCmd struct {
	modelArg
	streamArg
	flags.Select
	Output string `help:"Write the model with the selected formulas, for learn." short:"o" placeholder:"FILE"`
	Path   string `help:"Write the whole path of selection by gain as CSV, with the held-out figures for each length." placeholder:"FILE.csv"`
	resultArgs
}

// Help says what the command does.
func (*selectCmd) Help() string {
	return `Chooses formulas among the candidates of the model, which are its formulas without a weight. The result is that of
resolwe select, byte for byte, whose help describes the criteria.

By gain, the default, the workers count how often each candidate holds for each atom, of at most --rows atoms; formulas are
chosen, and their weights fitted, on this machine. A model with numbers takes another job before, which counts the numbers.
Where it has candidates of several target literals, this machine also reads the subgraphs of about 20000 atoms, and copies
the remote shards that hold them.

By the paper's criterion and its relatives the workers count in the first k2 subgraphs, which are those of the first shards.

Examples:

	resolwe-beam select task.mln --stream shards/ -o model.mln
	resolwe-beam select task.mln --stream shards/ --criterion paper --k2 1000000 -o selected.mln`
}

// Run selects.
func (c *selectCmd) Run(ctx context.Context, e *environment) error {
	began := time.Now()
	opt, err := c.Options(e.common.Seed)
	if err != nil {
		return err
	}
	in, err := e.open(ctx, &c.modelArg, &c.streamArg, c.Output, c.Path)
	if err != nil {
		return err
	}
	defer in.close()
	list := shard.Divided(shard.Within(in.shards, 0, cmp.Or(opt.First(), math.MaxInt)), e.common.Element)
	sel, skipped, err := stage.Select(ctx, in.runner, in.task, c.Select, e.common.Seed, list)
	if err != nil {
		return err
	}
	e.skipped(skipped)
	report.DoubtData(e.log, in.task.Violations)
	report.Warn(e.log, sel.Warnings)
	err = e.write(ctx, c.Output, func(w io.Writer) error {
		kept, note := sel.Model(in.model)
		return kept.Write(w, note)
	})
	if err != nil {
		return err
	}
	if err := e.write(ctx, c.Path, func(w io.Writer) error { return report.WritePath(w, sel) }); err != nil {
		return err
	}
	return c.print(e.stdout, report.Select(opt.First(), sel, c.Since(began)))
}
