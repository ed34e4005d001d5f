package report

import (
	"fmt"
	"io"
	"math"

	"resolwe"
	"resolwe/cmd/internal/terminal"
	"resolwe/format/mln"
)

// Learn is what learn prints with --json.
type Learn struct {
	Sigma     float64  `json:"sigma"`
	Subgraphs int      `json:"subgraphs"`
	Stopped   bool     `json:"stopped,omitempty"`
	Visits    int      `json:"visits,omitempty"`
	Passes    int      `json:"passes"`
	Converged bool     `json:"converged"`
	Gradient  Number   `json:"gradient"`        // undefined where expectations are not exact
	Short     *Number  `json:"short,omitempty"` // where it is known, like the next
	Drift     *Number  `json:"drift,omitempty"`
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
	out := Learn{
		Sigma: sigma, Subgraphs: l.Subgraphs, Passes: l.Passes, Converged: l.Converged, Weights: []Weight{}, Seconds: seconds,
		Gradient: Number(l.Gradient), Short: known(l.Short), Drift: known(l.Drift),
	}
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

// known returns a number unless it is none.
func known(v float64) *Number {
	if math.IsNaN(v) {
		return nil
	}
	n := Number(v)
	return &n
}

// reached says what learning has reached.
func reached(l *resolwe.Learned) string {
	passes := fmt.Sprintf("%d passes", l.Passes)
	if l.Passes == 1 {
		passes = "1 pass"
	}
	switch {
	case !math.IsNaN(l.Gradient) && l.Converged:
		return fmt.Sprintf("at the optimum after %s (largest gradient %.2g an atom)", passes, l.Gradient)
	case !math.IsNaN(l.Gradient):
		return fmt.Sprintf("about %.3g nats below the optimum after %s (largest gradient %.2g an atom)", l.Short, passes, l.Gradient)
	case l.Converged:
		return fmt.Sprintf("settled after %s (weights drift by at most %.2g of a standard error)", passes, l.Drift)
	case !math.IsNaN(l.Drift):
		return fmt.Sprintf("not settled after %s (weights drift by up to %.2g of a standard error)", passes, l.Drift)
	}
	return passes
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
	tail := fmt.Sprintf("\n%d subgraphs, %s", l.Subgraphs, reached(l))
	if l.Exact {
		tail += fmt.Sprintf(", penalised conditional log-likelihood %.4f", l.Objective)
	}
	return terminal.Paragraph(w, tail+fmt.Sprintf("; %.3f seconds\n", seconds))
}
