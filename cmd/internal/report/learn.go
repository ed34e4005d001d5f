package report

import (
	"fmt"
	"math"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/printable"
	"resolwe/internal/render"
)

// Learn presents the result of learning.
func Learn(sigma float64, l *resolwe.Learned, seconds Seconds) *render.Document {
	weights := []render.Object{}
	t := render.NewTable("rl", "weight", "formula")
	for _, f := range l.Model.Formulas {
		text := mln.FormatFormula(f)
		if f.Hard {
			t.Row("hard", text+".")
			continue
		}
		t.Row(f.Weight, text)
		weights = append(weights, render.Object{"formula", text, "weight", f.Weight})
	}
	data := render.Object{"sigma", sigma, "subgraphs", l.Subgraphs}
	if l.Stopped {
		data = append(data, "stopped", true, "visits", render.OrNothing(l.Visits))
	}
	data = append(data, "passes", l.Passes, "converged", l.Converged, "gradient", l.Gradient, // undefined if expectations are not exact
		"short", known(l.Short), "drift", known(l.Drift), "weights", weights)
	tail := fmt.Sprintf("\n%s, %s", printable.Count(l.Subgraphs, "subgraph"), reached(l))
	if l.Exact {
		data = append(data, "objective", l.Objective)
		tail += fmt.Sprintf(", penalised conditional log-likelihood %.4f", l.Objective)
	}
	return &render.Document{
		Data: append(data, "seconds", seconds.Data()),
		Page: render.Page{t, tail + fmt.Sprintf("; %.3f seconds\n", seconds.Taken)},
	}
}

// known returns a number for an object, or nil, which the object leaves out, if it is NaN.
func known(v float64) any {
	if math.IsNaN(v) {
		return nil
	}
	return v
}

// reached says in words what learning has reached.
func reached(l *resolwe.Learned) string {
	passes := fmt.Sprintf("%d passes", l.Passes)
	if l.Passes == 1 {
		passes = "1 pass"
	}
	switch {
	case l.Unlabeled:
		return passes + ", no query atom of known truth"
	case !math.IsNaN(l.Gradient) && l.Converged:
		return fmt.Sprintf("at the optimum after %s (largest gradient %.2g per atom)", passes, l.Gradient)
	case !math.IsNaN(l.Gradient):
		return fmt.Sprintf("about %.3g nats below the optimum after %s (largest gradient %.2g per atom)", l.Short, passes, l.Gradient)
	case l.Converged:
		return fmt.Sprintf("settled after %s (weights drift by at most %.2g of a standard error)", passes, l.Drift)
	case !math.IsNaN(l.Drift):
		return fmt.Sprintf("not settled after %s (weights drift by up to %.2g of a standard error)", passes, l.Drift)
	}
	return passes
}
