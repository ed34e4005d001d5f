package main

import (
	"context"
	"fmt"
	"io"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/internal/stage/inferring"
)

type explainCmd struct {
	modelArg
	testArg
	Subgraph string                   `help:"Subgraph whose query atoms to explain." xor:"what" placeholder:"NAME"`
	Atom     string                   `help:"Query atom of the subgraph, as infer prints it; by default all." placeholder:"'p(X)'"`
	Formula  int                      `help:"Formula to explain, by its position in expand, from 1." xor:"what" placeholder:"N"`
	Infer    flags.Stage[flags.Infer] `help:"Options of inference, as resolwe infer takes them, such as '--samples 5000'." default:"" placeholder:"'..'"`
	JSON     bool                     `help:"Print JSON." name:"json"`
}

func (*explainCmd) Help() string {
	return `Explains why an atom has its probability. For each formula it gives the contribution to the log-odds, which is the weight times the
number of groundings or the value of the formula's shape, and the first groundings. It also gives a minimal set of evidence, found
greedily, without which the log-odds would change sign. If formulas tie the atom to others, these are set to their marginals and their
contributions are listed; the sum is then only close to the log-odds.

With --formula, it shows where a formula fires on the whole stream, how often it is right, and examples.

Examples:

	resolwe explain weighted.mln --stream s.rsg --subgraph s17 --atom 'p(U3)'
	resolwe explain weighted.mln --stream test.rsg --formula 4 --json`
}

func (c *explainCmd) Run(ctx context.Context, e *environment) error {
	switch {
	case c.Subgraph == "" && c.Formula == 0:
		return usageError("--subgraph or --formula must say what to explain")
	case c.Atom != "" && c.Subgraph == "":
		return usageError("--atom needs --subgraph")
	}
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.testArg, true, c.Infer.Flags.Options)
	if err != nil {
		return err
	}
	run := e.run("explain", s.Len())
	if c.Subgraph == "" {
		if c.Formula < 1 || c.Formula > len(m.Formulas) {
			return &resolwe.OptionError{Option: "--formula", Reason: fmt.Sprintf("1 to %d", len(m.Formulas))}
		}
		f, err := inferring.EvaluateFormula(ctx, m, s, c.Formula-1, inferring.FiringOptions{Run: run})
		if err != nil {
			return err
		}
		return e.print(c.JSON, report.Firing(m, c.Formula-1, f))
	}
	if err := report.DoubtWeights(e.log, m); err != nil {
		return err
	}
	opt.Run = run
	what := resolwe.ExplainOptions{Subgraph: c.Subgraph, Atom: c.Atom, Infer: opt}
	return e.results(func(w io.Writer) error {
		return report.Explanations(w, c.JSON, m, func(emit func(*resolwe.Explanation) error) error {
			return inferring.Explain(ctx, m, s, what, emit)
		})
	})
}
