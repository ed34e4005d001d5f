package main

import (
	"context"
	"io"
	"slices"

	"resolwe"
	"resolwe/cmd/internal/report"
	"resolwe/cmd/internal/terminal"
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
	m, err := c.read(e, constantsOf(ctx, e, c))
	if err != nil {
		return err
	}
	s, err := c.open(ctx, e, m, false)
	if err != nil {
		return err
	}
	defer c.close(e, s)
	run := e.run("counts", s.Len())
	if c.JSON {
		return e.list(func(add func(any) error) error {
			return resolwe.Counts(ctx, m, s, run, func(name string, counts []resolwe.Count) error {
				return add(countsJSON{name, slices.Concat([]resolwe.Count{}, counts)})
			})
		})
	}
	formulas := report.Texts(m.Formulas)
	return e.results(func(w io.Writer) error {
		return resolwe.Counts(ctx, m, s, run, func(name string, counts []resolwe.Count) error {
			cells := make([]string, 0, 3*len(counts))
			for i, n := range counts {
				cells = append(cells, name, n.String(), formulas[i])
			}
			return terminal.Rows(w, 3, cells, 1)
		})
	})
}

// countsJSON is one subgraph's counts as counts prints them with --json, in the order of the formulas.
type countsJSON struct {
	Subgraph string          `json:"subgraph"`
	Counts   []resolwe.Count `json:"counts"`
}
