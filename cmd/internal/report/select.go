package report

import (
	"fmt"
	"io"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/kernels/selection"
)

// Select is what select prints with --json.
type Select struct {
	K2         int         `json:"k2"`
	Theta      *float64    `json:"theta,omitempty"` // but by gain
	Criterion  string      `json:"criterion"`
	Subgraphs  int         `json:"subgraphs"`
	Candidates []Candidate `json:"candidates"`
	Gain       []Gain      `json:"gain,omitempty"`
	Selected   []string    `json:"selected"`
	Seconds    *Number     `json:"seconds,omitempty"`
}

// Candidate is what is printed of a candidate.
type Candidate struct {
	Formula     string   `json:"formula"`
	Joint       Stat     `json:"joint"`
	Conditional []Stat   `json:"conditional"`
	Selected    []string `json:"selected"`
}

// Stat has the fields of the paper's criterion or those of the others.
type Stat struct {
	Literal  string  `json:"literal,omitempty"`
	Mean     *Number `json:"mean,omitempty"`
	Defined  *int64  `json:"defined,omitempty"`
	Value    *Number `json:"value,omitempty"`
	Selected *uint64 `json:"selected_groundings,omitempty"`
	True     *uint64 `json:"true,omitempty"`
	Expected *Number `json:"expected,omitempty"`
}

// NewSelect returns what is printed of a selection; no seconds are left out.
func NewSelect(k2 int, sel *resolwe.Selection, seconds *Number) Select {
	out := Select{
		K2: k2, Criterion: sel.Criterion.String(), Subgraphs: sel.Subgraphs,
		Candidates: []Candidate{}, Selected: Texts(sel.Selected), Seconds: seconds,
	}
	for i := range sel.Gain {
		out.Gain = append(out.Gain, newGain(&sel.Gain[i]))
	}
	if sel.Criterion != resolwe.Gain {
		out.Theta = &sel.Threshold
	}
	for i := range sel.Candidates {
		s := &sel.Candidates[i]
		c := Candidate{
			Formula: mln.FormatFormula(s.Candidate.Formula), Joint: newStat("", &s.Joint, sel.Criterion),
			Conditional: []Stat{}, Selected: Texts(s.Selected),
		}
		for k := range s.Conditional {
			literal := mln.FormatAtom(s.Candidate.Enforcer[k])
			c.Conditional = append(c.Conditional, newStat(literal, &s.Conditional[k], sel.Criterion))
		}
		out.Candidates = append(out.Candidates, c)
	}
	return out
}

func newStat(literal string, s *selection.Stat, crit resolwe.Criterion) Stat {
	value, defined, expected := Number(s.Value(crit)), s.Mean.Defined(), Number(s.Expected.Value())
	if crit == resolwe.Paper {
		return Stat{Literal: literal, Mean: &value, Defined: &defined}
	}
	return Stat{Literal: literal, Value: &value, Selected: &s.Selected, True: &s.True, Expected: &expected}
}

// SelectText prints a table of the candidates' variants, and how many were selected and why the rest was not.
func SelectText(w io.Writer, sel *resolwe.Selection, seconds float64) error {
	if sel.Criterion == resolwe.Gain {
		return gainText(w, sel, seconds)
	}
	t := NewTable("rrrrll", sel.Criterion.String(), "subgraphs", "true", "of", "", "formula")
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
		t.Row(Number(s.Value(sel.Criterion)), s.Mean.Defined(), s.True, s.Selected, mark, mln.FormatFormula(f))
	}
	for i := range sel.Candidates {
		s := &sel.Candidates[i]
		row(&s.Joint, s.Candidate.Joint())
		for k := range s.Conditional {
			row(&s.Conditional[k], s.Candidate.Conditional(k))
		}
	}
	if err := t.Write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `
%d candidates on %d subgraphs, %d variants: %d above theta = %v (*), %d without a selected grounding
%d formulas selected, each once up to renaming; %.3f seconds
`, len(sel.Candidates), sel.Subgraphs, variants, above, sel.Threshold, unsupported, len(sel.Selected), seconds)
	return err
}
