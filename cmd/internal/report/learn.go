package report

import (
	"fmt"
	"io"

	"resolwe"
	"resolwe/format/mln"
)

// Learn is what learn prints with --json.
type Learn struct {
	Sigma     float64  `json:"sigma"`
	Subgraphs int      `json:"subgraphs"`
	Stopped   bool     `json:"stopped,omitempty"`
	Visits    int      `json:"visits,omitempty"`
	Weights   []Weight `json:"weights"`
	Objective *Number  `json:"objective,omitempty"`
	Seconds   *Number  `json:"seconds,omitempty"`
}

// Weight is a formula with its weight.
type Weight struct {
	Formula string `json:"formula"`
	Weight  Number `json:"weight"`
}

// NewLearn returns what is printed of what was learned; no seconds are left out.
func NewLearn(sigma float64, l *resolwe.Learned, seconds *Number) Learn {
	out := Learn{Sigma: sigma, Subgraphs: l.Subgraphs, Weights: []Weight{}, Seconds: seconds}
	if l.Stopped {
		out.Stopped, out.Visits = true, l.Visits
	}
	for _, f := range l.Model.Formulas {
		if !f.Hard {
			out.Weights = append(out.Weights, Weight{mln.FormatFormula(f), Number(f.Weight)})
		}
	}
	if l.Exact {
		objective := Number(l.Objective)
		out.Objective = &objective
	}
	return out
}

// LearnText prints the formulas with their weights; hard ones have none.
func LearnText(w io.Writer, l *resolwe.Learned, seconds float64) error {
	t := NewTable("rl", "weight", "formula")
	for _, f := range l.Model.Formulas {
		if f.Hard {
			t.Row("hard", mln.FormatFormula(f)+".")
			continue
		}
		t.Row(Number(f.Weight), mln.FormatFormula(f))
	}
	if err := t.Write(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d subgraphs", l.Subgraphs)
	if l.Exact {
		fmt.Fprintf(w, ", penalised conditional log-likelihood %.4f", l.Objective)
	}
	_, err := fmt.Fprintf(w, "; %.3f seconds\n", seconds)
	return err
}
