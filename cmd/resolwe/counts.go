package main

import (
	"context"
	"io"

	"resolwe"
	"resolwe/cmd/internal/report"
)

type countsCmd struct {
	modelArg
	testArg
	JSON bool `help:"Print JSON." name:"json"`
}

// Help says what the command does.
func (*countsCmd) Help() string {
	return `Prints, for each subgraph, the number of true groundings of each formula, over all its variables, or the value of one
that has a shape: a line with subgraph, number and formula, separated by tabs.

Example:

	resolwe counts weighted.mln --stream test.db --json`
}

// Run counts.
func (c *countsCmd) Run(ctx context.Context, e *environment) error {
	m, _, s, err := task(ctx, e, &c.modelArg, &c.testArg, false, noOptions)
	if err != nil {
		return err
	}
	run := e.run("counts", s.Len())
	return e.results(func(w io.Writer) error {
		return report.Counts(w, c.JSON, m, func(emit func(string, []resolwe.Count) error) error { return resolwe.Counts(ctx, m, s, run, emit) })
	})
}
