package main

import (
	"context"
	"io"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/internal/stage/inferring"
)

type mapCmd struct {
	modelArg
	testArg
	flags.Map
	JSON bool `help:"Print JSON." name:"json"`
}

func (*mapCmd) Help() string {
	return `Prints the most probable state of the query atoms of each subgraph: a line with subgraph, atom and 1 or 0, separated by
tabs, after a comment with the state's log-weight, which is the sum over the soft formulas of weight times count. The truth of query
atoms in the data is not used, except with --given.

Each connected component of the ground network is solved exactly if possible; of equally probable states this gives the first, in
order of the atoms, 0 before 1. Other components are solved by local search, which may miss the best state. The comment, and "exact" in
the JSON, say which. If no state satisfies the hard formulas, or the search found none, the violated formulas are listed, and the exit
status is 1.

Examples:

	resolwe map weighted.mln --stream test.rsg --json > states.json
	resolwe map weighted.mln --stream test.rsg --sweeps 50000`
}

func (c *mapCmd) Run(ctx context.Context, e *environment) error {
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.testArg, true, c.Options)
	if err != nil {
		return err
	}
	if err := report.DoubtWeights(e.log, m); err != nil {
		return err
	}
	opt.Run = e.run("map", s.Len())
	var broken report.BrokenError
	find := func(emit func(*resolwe.MapState) error) error {
		return inferring.Map(ctx, m, s, opt, func(r *resolwe.MapState) error {
			broken.Add(r)
			return emit(r)
		})
	}
	err = e.results(func(w io.Writer) error { return report.MapStates(w, c.JSON, find) })
	if err != nil {
		return err
	}
	return broken.Err()
}
