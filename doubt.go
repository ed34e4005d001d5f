package resolwe

import (
	"fmt"

	"resolwe/format/mln"
	"resolwe/kernels/gain"
)

// Doubt is a formula that may be the answer in disguise.
type Doubt struct {
	Formula string
	Reason  string
}

// String names the formula, and says why.
func (d Doubt) String() string {
	return d.Formula + " " + d.Reason + ": it may be the answer in disguise"
}

// mostDoubts is how many of them are told of.
const mostDoubts = 5

// TellDoubts calls say with the first five doubts, and how many more there are.
func TellDoubts(list []Doubt, say func(string)) {
	for _, d := range list[:min(len(list), mostDoubts)] {
		say(d.String())
	}
	if n := len(list) - mostDoubts; n > 0 {
		say(fmt.Sprintf("%d more formulas may be the answer in disguise", n))
	}
}

// addDoubts adds the candidates of a target that tell the truth too well.
func (s *Selection) addDoubts(of *gain.Selected) {
	if of.Result == nil {
		return
	}
	one := func(c int) bool {
		list := of.Candidates[c].Selector
		return len(list) == 1 && list[0].Atom != nil && !list[0].Negated
	}
	for _, d := range of.Matrix.Doubts(one) {
		f := Doubt{Formula: mln.FormatFormula(of.Candidates[d.Candidate].Joint()), Reason: fmt.Sprintf("alone has AUC-ROC %.3f", d.AUC)}
		if d.Only {
			f.Formula = mln.FormatLiteral(of.Candidates[d.Candidate].Selector[0], of.Candidates[d.Candidate].Formula.Vars)
			f.Reason = fmt.Sprintf("is stated of %v atoms only, %d of them", d.Truth, d.Rows)
		}
		s.Doubts = append(s.Doubts, f)
	}
}
