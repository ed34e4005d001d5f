package main

import (
	"context"
	"io"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
)

type inferCmd struct {
	modelArg
	streamArg
	flags.Infer
	JSON bool `help:"Print JSON." name:"json"`
}

// Help says what the command does.
func (*inferCmd) Help() string {
	return `Prints the marginal probability of each query atom: a line with subgraph, atom and probability, separated by tabs.
What the data states of query atoms is not used, unless with --given.

Example:

	resolwe infer weighted.mln --stream test.rsg --json > marginals.json`
}

// Run infers.
func (c *inferCmd) Run(ctx context.Context, e *environment) error {
	m, err := c.read(e)
	if err != nil {
		return err
	}
	opt, err := c.Options(e.common.Seed)
	if err != nil {
		return err
	}
	s, err := c.open(e, m, true)
	if err != nil {
		return err
	}
	defer c.close(e, s)
	e.unweighted(m)
	opt.Run = e.run("infer", s.Len())
	if c.JSON {
		return e.list(func(add func(any) error) error {
			return resolwe.Infer(ctx, m, s, opt, func(r *resolwe.Marginals) error { return add(report.NewMarginals(r)) })
		})
	}
	return e.results(func(w io.Writer) error {
		return resolwe.Infer(ctx, m, s, opt, func(r *resolwe.Marginals) error { return report.MarginalsText(w, r) })
	})
}
