package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/kernels/selection"
)

// selectArgs are the parameters of selection.
type selectArgs struct {
	K2        int      `help:"Evaluate on the first so many subgraphs." default:"30" name:"k2"`
	Theta     *float64 `help:"Threshold, at least 0; by default 0.4 for paper, 1.5 for lift, 0.05 nats for kl, 3.29 for llr." placeholder:"X"`
	Criterion string   `help:"What has to exceed theta: the probability that the formula holds where its evidence does (paper), that against the base rate (lift), their divergence (kl), or its significance (llr)." enum:"paper,lift,kl,llr" default:"paper"`
}

func (a *selectArgs) options() (resolwe.SelectOptions, error) {
	crit, err := selection.ParseCriterion(a.Criterion)
	if err != nil {
		return resolwe.SelectOptions{}, usageError(err.Error())
	}
	theta := math.NaN()
	if a.Theta != nil {
		if theta = *a.Theta; math.IsNaN(theta) {
			return resolwe.SelectOptions{}, &resolwe.OptionError{Option: "theta", Reason: "a number of at least 0"}
		}
	}
	return resolwe.SelectOptions{Subgraphs: a.K2, Threshold: theta, Criterion: crit}, nil
}

type selectCmd struct {
	modelArg
	streamArg
	selectArgs
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
	m, err := c.read(e)
	if err != nil {
		return err
	}
	opt, err := c.options()
	if err != nil {
		return err
	}
	s, err := c.open(e, m, false)
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
		return e.json(newSelectJSON(c.K2, sel, c.timed(watch)))
	}
	return e.results(func(w io.Writer) error { return selectText(w, sel, watch.seconds()) })
}

// selectJSON is what select prints with --json.
type selectJSON struct {
	K2         int             `json:"k2"`
	Theta      float64         `json:"theta"`
	Criterion  string          `json:"criterion"`
	Subgraphs  int             `json:"subgraphs"`
	Candidates []candidateJSON `json:"candidates"`
	Selected   []string        `json:"selected"`
	Seconds    *number         `json:"seconds,omitempty"`
}

type candidateJSON struct {
	Formula     string     `json:"formula"`
	Joint       statJSON   `json:"joint"`
	Conditional []statJSON `json:"conditional"`
	Selected    []string   `json:"selected"`
}

// statJSON has the fields of the paper's criterion or those of the others.
type statJSON struct {
	Literal  string  `json:"literal,omitempty"`
	Mean     *number `json:"mean,omitempty"`
	Defined  *int64  `json:"defined,omitempty"`
	Value    *number `json:"value,omitempty"`
	Selected *uint64 `json:"selected_groundings,omitempty"`
	True     *uint64 `json:"true,omitempty"`
	Expected *number `json:"expected,omitempty"`
}

func newSelectJSON(k2 int, sel *resolwe.Selection, seconds *number) selectJSON {
	out := selectJSON{
		K2: k2, Theta: sel.Threshold, Criterion: sel.Criterion.String(), Subgraphs: sel.Subgraphs,
		Candidates: []candidateJSON{}, Selected: texts(sel.Selected), Seconds: seconds,
	}
	for i := range sel.Candidates {
		s := &sel.Candidates[i]
		c := candidateJSON{
			Formula: mln.FormatFormula(s.Candidate.Formula), Joint: newStatJSON("", &s.Joint, sel.Criterion),
			Conditional: []statJSON{}, Selected: texts(s.Selected),
		}
		for k := range s.Conditional {
			literal := mln.FormatAtom(s.Candidate.Enforcer[k])
			c.Conditional = append(c.Conditional, newStatJSON(literal, &s.Conditional[k], sel.Criterion))
		}
		out.Candidates = append(out.Candidates, c)
	}
	return out
}

func newStatJSON(literal string, s *selection.Stat, crit resolwe.Criterion) statJSON {
	value, defined, expected := number(s.Value(crit)), s.Mean.Defined(), number(s.Expected.Value())
	if crit == resolwe.Paper {
		return statJSON{Literal: literal, Mean: &value, Defined: &defined}
	}
	return statJSON{Literal: literal, Value: &value, Selected: &s.Selected, True: &s.True, Expected: &expected}
}

// selectText prints a table of the candidates' variants, and how many were selected and why the rest was not.
func selectText(w io.Writer, sel *resolwe.Selection, seconds float64) error {
	t := newTable("rrrrll", sel.Criterion.String(), "subgraphs", "true", "of", "", "formula")
	variants, above, unsupported := 0, 0, 0
	threshold := selection.NewThreshold(sel.Threshold)
	row := func(s *selection.Stat, f *mln.Formula) {
		variants++
		mark := ""
		if s.Keep(sel.Criterion, threshold) {
			mark = "*"
			above++
		}
		if s.Selected == 0 {
			unsupported++
		}
		t.row(number(s.Value(sel.Criterion)), s.Mean.Defined(), s.True, s.Selected, mark, mln.FormatFormula(f))
	}
	for i := range sel.Candidates {
		s := &sel.Candidates[i]
		row(&s.Joint, s.Candidate.Joint())
		for k := range s.Conditional {
			row(&s.Conditional[k], s.Candidate.Conditional(k))
		}
	}
	if err := t.write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `
%d candidates on %d subgraphs, %d variants: %d above theta = %v (*), %d without a selected grounding
%d formulas selected, each once up to renaming; %.3f seconds
`, len(sel.Candidates), sel.Subgraphs, variants, above, sel.Threshold, unsupported, len(sel.Selected), seconds)
	return err
}
