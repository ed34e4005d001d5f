package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"resolwe"
	"resolwe/cmd/internal/terminal"
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
	variants := rankedVariants(sel)
	t := NewTable("rrrrrll", sel.Criterion.String(), "base rate", "subgraphs", "true", "support", "", "formula")
	above, unsupported := 0, 0
	threshold := selection.NewThreshold(sel.Threshold)
	for _, v := range variants {
		s, mark := v.stat, ""
		if s.Keep(sel.Criterion, threshold) {
			mark = "*"
			above++
		}
		if s.Selected == 0 {
			unsupported++
		}
		base := Number(s.Expected.Value() / float64(s.Selected))
		t.Row(Number(v.value), base, s.Mean.Defined(), s.True, s.Selected, mark, mln.FormatFormula(v.formula))
	}
	if err := t.Write(w); err != nil {
		return err
	}
	return terminal.Paragraph(w, fmt.Sprintf(`
%d candidates on %d subgraphs, %d variants: %d above theta = %v (*), %d without a selected grounding
%d formulas selected, each once up to renaming; %.3f seconds
`, len(sel.Candidates), sel.Subgraphs, len(variants), above, sel.Threshold, unsupported, len(sel.Selected), seconds))
}

// variant is a candidate with its joint or one of its conditional probabilities.
type variant struct {
	stat    *selection.Stat
	formula *mln.Formula
	value   float64 // of the criterion
}

// rankedVariants returns the variants of all candidates, the largest value first, undefined ones last.
func rankedVariants(sel *resolwe.Selection) []variant {
	var out []variant
	add := func(s *selection.Stat, f *mln.Formula) { out = append(out, variant{s, f, s.Value(sel.Criterion)}) }
	for i := range sel.Candidates {
		s := &sel.Candidates[i]
		add(&s.Joint, s.Candidate.Joint())
		for k := range s.Conditional {
			add(&s.Conditional[k], s.Candidate.Conditional(k))
		}
	}
	slices.SortStableFunc(out, func(a, b variant) int { return cmp.Compare(b.value, a.value) }) // NaN is less than any number
	return out
}
