package main

import (
	"context"
	"io"
	"time"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/internal/stage/selecting"
)

type selectCmd struct {
	modelArg
	trainArg
	flags.Selection
	budgetArg
	Output string `help:"Write the model with the selected formulas, for learn." short:"o" placeholder:"FILE"`
	Path   string `help:"Write the whole path of selection by gain as CSV, with the held-out figures for each length." placeholder:"FILE.csv"`
	checkpointArgs
	resultArgs
}

func (*selectCmd) Help() string {
	return `Chooses formulas among the candidates of the model, which are its formulas without a weight.

By gain, the default, it turns candidates into features: whether a candidate holds for an atom, how often (the logarithm of the
count, or thresholds on it), and combinations of thresholds. It repeatedly adds the feature that adds most to the likelihood of the
atoms, and keeps as many as predict held-out atoms best, with their weights.

By the paper's criterion and its relatives, it counts, in each of the first k2 subgraphs, how often each candidate holds among
the groundings that its evidence selects, and keeps the formulas whose average exceeds theta; learn then gives them weights.

--discover first finds candidates, as the command discover does. --checkpoint saves the counts of the discovery; selection itself runs
again.

When --budget expires, the formulas chosen so far are written, with a warning. Discovery may take half of it. Selection by gain reads the
stream for two thirds of what is then left, and judges candidates on what it has read; other criteria, which decide while reading, read for
all of it.

Examples:

	resolwe select task.mln --stream train.rsg -o model.mln
	resolwe select task.mln --stream train.rsg --criterion paper -o selected.mln
	resolwe select declarations.mln --stream train.rsg --discover -o model.mln`
}

func (c *selectCmd) Run(ctx context.Context, e *environment) error {
	began := time.Now()
	budget, err := c.budget()
	if err != nil {
		return err
	}
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.trainArg, c.Discover, c.Options)
	if err != nil {
		return err
	}
	if c.Checkpoint != "" && !c.Discover {
		return usageError("--checkpoint needs --discover")
	}
	out, err := e.createLike(".mln", c.Output)
	if err != nil {
		return err
	}
	path, err := e.create(c.Path, ".csv")
	if err != nil {
		return err
	}
	checkpoints, err := c.options(e)
	if err != nil {
		return c.Named(err)
	}
	total := s.Len()
	if k2 := opt.First(); k2 > 0 && (total < 0 || k2 < total) {
		total = k2
	}
	if err := e.tellOrder(ctx, s, c.Split != nil || total != s.Len()); err != nil {
		return err
	}
	found := &resolwe.Discovery{}
	if d := c.Within.Within(c.Support, e.common.Seed); d != nil {
		d.Checkpoints, d.Budget = checkpoints, budget.Part(.5)
		found, err = e.discover(ctx, m, s, *d)
		if err != nil {
			return c.Named(err)
		}
		m = found.Model
	}
	opt.Budget = budget
	opt.Run, opt.Choosing = e.run("select", total), e.parts("select:", "steps")
	sel, err := resolwe.Select(ctx, m, s, opt)
	if err != nil {
		return err
	}
	e.endProgress()
	report.Warn(e.log, sel.Warnings)
	selecting.TellDoubts(sel.Doubts, func(text string) { e.log.Warn(text) })
	err = out.write(func(w io.Writer) error {
		kept, note := sel.Model(m)
		return kept.Write(w, note)
	})
	if err != nil {
		return err
	}
	if err := path.write(func(w io.Writer) error { return report.WritePath(w, sel) }); err != nil {
		return err
	}
	doc := report.Select(opt.First(), sel, c.Since(began))
	sayCut(doc, found)
	return e.print(c.JSON, doc)
}
