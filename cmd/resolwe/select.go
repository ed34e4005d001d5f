package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/kernels/selection"
)

type expandCmd struct {
	modelArg
	JSON bool `help:"Print JSON." name:"json"`
}

// Help shows an example.
func (*expandCmd) Help() string {
	return "Example:\n  resolwe expand examples/uwcse/uwcse.mln"
}

// Run lists the formulas.
func (c *expandCmd) Run(e *environment) error {
	m, err := c.read(e)
	if err != nil {
		return err
	}
	formulas := texts(m.Formulas)
	if c.JSON {
		return e.json(struct {
			Formulas []string `json:"formulas"`
			Count    int      `json:"count"`
		}{formulas, len(formulas)})
	}
	return e.results(func(w io.Writer) error {
		for _, f := range formulas {
			if _, err := fmt.Fprintln(w, f); err != nil {
				return err
			}
		}
		return nil
	})
}

// texts prints formulas without weights.
func texts(formulas []*mln.Formula) []string {
	out := make([]string, len(formulas))
	for i, f := range formulas {
		out[i] = mln.FormatFormula(f)
	}
	return out
}

// selectArgs are the parameters of selection.
type selectArgs struct {
	K2        int     `help:"Evaluate on the first so many subgraphs." default:"30" name:"k2"`
	Theta     float64 `help:"Threshold; by default 0.4 for paper, 1.5 for lift, 0.05 for kl, 3.29 for llr." default:"-1" placeholder:"X"`
	Criterion string  `help:"What is compared with theta: ${enum}." enum:"paper,lift,kl,llr" default:"paper"`
}

func (a *selectArgs) options() (resolwe.SelectOptions, error) {
	crit, err := selection.ParseCriterion(a.Criterion)
	if err != nil {
		return resolwe.SelectOptions{}, usageError(err.Error())
	}
	theta := a.Theta
	if theta == -1 {
		theta = math.NaN()
	} else if math.IsNaN(theta) {
		return resolwe.SelectOptions{}, &resolwe.OptionError{Option: "theta", Reason: "a number of at least 0"}
	}
	return resolwe.SelectOptions{Subgraphs: a.K2, Threshold: theta, Criterion: crit}, nil
}

type selectCmd struct {
	modelArg
	streamArg
	selectArgs
	Output string `help:"Write the model with the selected formulas; it feeds learn." short:"o" placeholder:"FILE"`
	JSON   bool   `help:"Print JSON." name:"json"`
}

// Help shows an example.
func (*selectCmd) Help() string {
	return "Example:\n  resolwe select task.mln --stream train.rsg --k2 30 --theta 0.4 -o selected.mln"
}

// Run selects.
func (c *selectCmd) Run(ctx context.Context, e *environment) error {
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
	defer e.close(s)
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
	if c.Output != "" {
		err := e.file(c.Output, append([]string{c.Model}, c.Stream...), func(w io.Writer) error {
			kept, note := sel.Model(m)
			return kept.Write(w, note)
		})
		if err != nil {
			return err
		}
	}
	if c.JSON {
		return e.json(selectionJSON(c.K2, sel))
	}
	return e.results(func(w io.Writer) error { return selectionText(w, sel) })
}

// selectJSON is what select prints with --json.
type selectJSON struct {
	K2         int             `json:"k2"`
	Theta      float64         `json:"theta"`
	Criterion  string          `json:"criterion"`
	Subgraphs  int             `json:"subgraphs"`
	Candidates []candidateJSON `json:"candidates"`
	Selected   []string        `json:"selected"`
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

func selectionJSON(k2 int, sel *resolwe.Selection) selectJSON {
	out := selectJSON{
		K2: k2, Theta: sel.Threshold, Criterion: sel.Criterion.String(), Subgraphs: sel.Subgraphs,
		Candidates: []candidateJSON{}, Selected: texts(sel.Selected),
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

// selectionText prints a table of the candidates, then what was selected and why the rest was not.
func selectionText(out io.Writer, sel *resolwe.Selection) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "%v\tsubgraphs\ttrue\tselected\t\tformula\n", sel.Criterion)
	unsupported, kept := 0, 0
	row := func(s *selection.Stat, keep bool, text string) {
		mark := ""
		if keep {
			mark = "*"
			kept++
		}
		if s.Selected == 0 {
			unsupported++
		}
		fmt.Fprintf(w, "%v\t%d\t%d\t%d\t%s\t%s\n", number(s.Value(sel.Criterion)), s.Mean.Defined(), s.True, s.Selected, mark, text)
	}
	threshold := selection.NewThreshold(sel.Threshold)
	variants := 0
	for i := range sel.Candidates {
		s := &sel.Candidates[i]
		row(&s.Joint, s.Joint.Keep(sel.Criterion, threshold), mln.FormatFormula(s.Candidate.Joint()))
		variants += 1 + len(s.Conditional)
		for k := range s.Conditional {
			row(&s.Conditional[k], s.Conditional[k].Keep(sel.Criterion, threshold), mln.FormatFormula(s.Candidate.Conditional(k)))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%d candidates on %d subgraphs; of their %d variants %d above theta = %v (*), %d without a selected grounding; %d formulas selected\n",
		len(sel.Candidates), sel.Subgraphs, variants, kept, sel.Threshold, unsupported, len(sel.Selected))
	return err
}
