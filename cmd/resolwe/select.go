package main

import (
	"context"
	"io"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
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
that its evidence selects, and keeps the formulas whose average exceeds theta.

Example:

	resolwe select task.mln --stream train.rsg --k2 30 -o selected.mln`
}

// Run selects.
func (c *selectCmd) Run(ctx context.Context, e *environment) error {
	watch := startWatch()
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.streamArg, false, func(uint64) (resolwe.SelectOptions, error) { return c.Options() })
	if err != nil {
		return err
	}
	defer c.close(e, s)
	out, err := e.create(c.Output, append(m.Files(), s.Files()...))
	if err != nil {
		return err
	}
	defer out.abort()
	total := c.K2
	if n := s.Len(); n >= 0 {
		total = min(total, n)
	}
	opt.Run = e.run("select", total)
	sel, err := resolwe.Select(ctx, m, s, opt)
	if err != nil {
		return err
	}
	for _, w := range sel.Warnings {
		e.log.Warn(w.String())
	}
	err = out.write(func(w io.Writer) error {
		kept, note := sel.Model(m)
		return kept.Write(w, note)
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return e.json(report.NewSelect(c.K2, sel, c.timed(watch)))
	}
	return e.results(func(w io.Writer) error { return report.SelectText(w, sel, watch.seconds()) })
}
