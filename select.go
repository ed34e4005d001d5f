package resolwe

import (
	"context"
	"fmt"
	"math"

	"resolwe/format/mln"
	"resolwe/kernels/join"
	"resolwe/kernels/selection"
)

// Criterion decides which formulas Select keeps.
type Criterion = selection.Criterion

// The criteria of selection.
const (
	Paper = selection.Paper
	Lift  = selection.Lift
	KL    = selection.KL
	LLR   = selection.LLR
)

// SelectOptions are the parameters of Algorithm 1. DefaultSelectOptions gives a complete value to start from.
type SelectOptions struct {
	Subgraphs int       // k2: the first so many of the stream are used, at least 1
	Threshold float64   // theta: finite, not negative; NaN stands for the criterion's default, Criterion.Theta
	Criterion Criterion // what is compared with theta
	Run       Run
}

// DefaultSelectOptions returns the paper's parameters: k2 = 30, theta = 0.4.
func DefaultSelectOptions() SelectOptions {
	return SelectOptions{Subgraphs: 30, Threshold: math.NaN(), Criterion: Paper}
}

// Selection is what Select found.
type Selection struct {
	Subgraphs  int // that were used
	Threshold  float64
	Criterion  Criterion
	Candidates []Scored       // merged up to renaming of variables, in the model's order
	Selected   []*mln.Formula // without weights, each once up to renaming of variables
	Notes      []string       // the statistics of each selected formula, for people
	Warnings   []mln.Diagnostic
	Work       join.Work // of the kernels, on all workers; it may depend on their number
}

// Scored is a candidate with its statistics.
type Scored struct {
	Candidate *mln.Candidate
	selection.Totals
	Selected []*mln.Formula // which of its variants, the joint and the conditionals, are selected
}

// variant is a formula that selection may add, with its statistics.
type variant struct {
	formula *mln.Formula
	stat    *selection.Stat
	given   string // the literal that is conditioned on the others, "" for the joint
}

// variants lists the formulas that a candidate may become.
func (s *Scored) variants() []variant {
	out := make([]variant, 1, 1+len(s.Conditional))
	out[0] = variant{formula: s.Candidate.Joint(), stat: &s.Joint}
	for k := range s.Conditional {
		out = append(out, variant{
			formula: s.Candidate.Conditional(k), stat: &s.Conditional[k], given: mln.FormatAtom(s.Candidate.Enforcer[k]),
		})
	}
	return out
}

// Select evaluates the model's candidates, its formulas without weight or period, on the first subgraphs of a stream
// (Algorithm 1 of the paper). It reads no more of the stream than these. Where the model has formulas that are no
// candidates the error is a mln.ErrorList; where an option is out of range, an *OptionError.
func Select(ctx context.Context, m *Model, s *Stream, opt SelectOptions) (*Selection, error) {
	return selectOn(ctx, m, s, opt, nil, opt.Subgraphs)
}

// validate checks the parameters, and puts the criterion's default where the threshold is left open.
func (o *SelectOptions) validate() error {
	if o.Criterion < Paper || o.Criterion > LLR {
		return &OptionError{"criterion", "paper, lift, kl or llr"}
	}
	if math.IsNaN(o.Threshold) {
		o.Threshold = o.Criterion.Theta()
	}
	switch {
	case o.Subgraphs < 1:
		return &OptionError{"k2", "at least 1"}
	case math.IsInf(o.Threshold, 0) || o.Threshold < 0:
		return &OptionError{"theta", "a number of at least 0"}
	}
	return nil
}

// selectOn selects on the subgraphs at positions before end, of those that keep accepts where it is not nil.
func selectOn(
	ctx context.Context, m *Model, s *Stream, opt SelectOptions, keep func(int) bool, end int,
) (*Selection, error) {
	if err := m.check(s); err != nil {
		return nil, err
	}
	sel, err := NewSelector(m, opt)
	if err != nil {
		return nil, err
	}
	counts, err := sel.count(ctx, s, keep, end)
	if err != nil {
		return nil, err
	}
	return sel.Select(counts)
}

// tally is a worker's counts.
type tally struct {
	*selection.Counter
	part   *selection.Part // of a share
	memory memory          // of the subgraph that is counted
	used   int             // subgraphs
	work   join.Work       // before the present reading
}

// choose fills in what is selected.
func (s *Selection) choose() {
	threshold := selection.NewThreshold(s.Threshold)
	seen := map[string]bool{}
	for i := range s.Candidates {
		c := &s.Candidates[i]
		for _, v := range c.variants() {
			if !v.stat.Keep(s.Criterion, threshold) {
				continue
			}
			c.Selected = append(c.Selected, v.formula)
			if key := mln.Canonical(v.formula); !seen[key] {
				seen[key] = true
				s.Selected = append(s.Selected, v.formula)
				s.Notes = append(s.Notes, s.note(v))
			}
		}
	}
}

// note describes a statistic in one line.
func (s *Selection) note(v variant) string {
	what := "P(Q | E)"
	if v.given != "" {
		what = fmt.Sprintf("P(%s | E, the others)", v.given)
	}
	st := v.stat
	text := fmt.Sprintf("%s = %.6g over %d subgraphs; %d of %d selected groundings true",
		what, st.Mean.Value(), st.Mean.Defined(), st.True, st.Selected)
	if s.Criterion != Paper {
		text += fmt.Sprintf("; %v = %.6g, %.6g expected", s.Criterion, st.Value(s.Criterion), st.Expected.Value())
	}
	return text
}

// Model returns m, which was selected from, with the selected formulas after those that were no candidates: weighted and
// hard ones. The function returned gives the note of a formula of it, for Model.Write.
func (s *Selection) Model(m *Model) (*Model, func(int) string) {
	var formulas []*mln.Formula
	for _, f := range m.Formulas {
		if f.HasWeight || f.Hard {
			formulas = append(formulas, f)
		}
	}
	kept := len(formulas)
	note := func(i int) string {
		if i < kept {
			return ""
		}
		return s.Notes[i-kept]
	}
	return m.With(append(formulas, s.Selected...)), note
}
