package main

import (
	"context"
	"io"

	"resolwe"
	"resolwe/cmd/internal/report"
	"resolwe/internal/stage/inferring"
)

type countsCmd struct {
	modelArg
	testArg
	JSON bool `help:"Print JSON." name:"json"`
}

func (*countsCmd) Help() string {
	return `Prints a line for each subgraph and formula, with subgraph, number and formula separated by tabs. The number is that of the formula's
true groundings over all its variables or, if it has a shape, the shape's value.

Example:

	resolwe counts weighted.mln --stream test.db --json`
}

func (c *countsCmd) Run(ctx context.Context, e *environment) error {
	m, _, s, err := task(ctx, e, &c.modelArg, &c.testArg, false, noOptions)
	if err != nil {
		return err
	}
	run := e.run("counts", s.Len())
	return e.results(func(w io.Writer) error {
		return report.Counts(w, c.JSON, m, func(emit func(string, []resolwe.Count) error) error { return inferring.Counts(ctx, m, s, run, emit) })
	})
}
