package report

import (
	"fmt"
	"math"
	"slices"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/elementary"
	"resolwe/internal/render"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/stage/selecting"
)

// mostFormulas is the maximum number of formulas listed on the page, mostSteps that of steps of a path.
const (
	mostFormulas = 150
	mostSteps    = 10
)

// paths draws how well each number of formulas predicts held-out atoms.
func (r *Report) paths() (out []block) {
	if r.Selection == nil {
		return nil
	}
	for i := range r.Selection.Gain {
		g := &r.Selection.Gain[i]
		if len(g.Path) == 0 {
			continue
		}
		out = append(out, r.path(g)...)
	}
	if out == nil {
		return nil
	}
	forward := r.Selection.Gain[0].Forward
	number, folds := "the one that predicts best", "in five folds of the subgraphs, or of the atoms if there are fewer than ten subgraphs"
	if forward {
		folds = "whose five folds go forward in time: each block of subgraphs is predicted from those before it"
	}
	if p := r.options.Cross.Select.Gain.Parsimony; p == selecting.ParsimonyOn || p == selecting.ParsimonyAuto && forward {
		number = "the smallest within one standard error of " + number
	}
	lead := "The model on this page was selected on all of the data; " + render.Count(r.Candidates, "candidate formula was", "candidate formulas were") + " considered. Formulas were added one after another, each the one that adds most to the likelihood of " +
		"what the ones before it leave unexplained. Their number is " + number + " in an inner cross-validation on the same data, " + folds +
		". The figures of this section serve that choice alone, and flatter the model a little. Those of the systems come from other models, which repeated " +
		"the whole selection on their training data alone."
	return append([]block{{Heading: "Path of selection", Text: plain(lead)}}, out...)
}

// path draws the path of one target.
func (r *Report) path(g *selecting.GainSelection) []block {
	target := render.Clip(g.Target, render.MostName)
	about := fmt.Sprintf("%s: the path has %s, of which the first %s kept. Columns are of the family %s, the shrinkage is %v (the precision of the prior of a weight). Of %s, %s are true.",
		target, render.Count(len(g.Path), "formula", "formulas"), render.Count(g.Size, "is", "are"), g.Family, g.Shrink, render.Count(g.Atoms, "atom", "atoms"), render.Percent(g.BaseRate))
	if n := len(g.Tied); n > 0 {
		about += fmt.Sprintf(" %s.", render.Count(n, "formula that ties target atoms to one another follows", "formulas that tie target atoms to one another follow"))
	}
	if g.Sampled {
		about += " There are more atoms than selection takes: it drew a sample of whole subgraphs."
	}
	plots := []*plot{
		pathPlot("Held-out log-likelihood by number of formulas", "CLL (nats an atom)", g, func(h selecting.HeldOut) float64 { return h.CLL }),
		pathPlot("Held-out mean average precision by number of formulas", "MAP", g, func(h selecting.HeldOut) float64 { return h.MAP }),
	}
	t := newTable("The path for "+target+": held-out figures with the formulas down to each line", "#Formulas", "Added", "#Gain, 1,000 atoms|3", "#CLL|4", "#MAP|4", "#AUC-ROC|4")
	line := func(n int, c cell, gain float64, h selecting.HeldOut, kept bool) {
		t.row(n, c, 1000*gain, h.CLL, h.MAP, h.AUC)
		t.Rows[len(t.Rows)-1].Strong = kept
	}
	line(0, text("the baseline alone"), math.NaN(), g.Base, g.Size == 0)
	for k := range g.Path[:min(len(g.Path), mostSteps)] {
		s := &g.Path[k]
		line(k+1, cell{Code: render.Clip(mln.FormatFormula(s.Formula), render.MostText), Class: "words"}, s.Gain, s.After, k+1 == g.Size)
	}
	for k := range g.Tied {
		s := &g.Tied[k]
		line(g.Size+k+1, cell{Code: render.Clip(mln.FormatFormula(s.Formula), render.MostText), Note: "ties target atoms; figures are of inferred marginals", Class: "words"}, s.Gain, s.After, false)
		t.Rows[len(t.Rows)-1].Cells[0].Text = plain(fmt.Sprintf("%d + %d", g.Size, k+1))
	}
	return []block{
		{Text: plain(about)},
		{Plots: plots},
		{Fold: &fold{"The path as a table", []block{{Table: t}, {Small: plain("Gain is in nats for 1,000 atoms, as the score test promised when the formula was added. The line in bold is the last one that is kept of the path.")}}}},
	}
}

// pathPlot draws a measure on held-out atoms along a path.
func pathPlot(title, label string, g *selecting.GainSelection, measure func(selecting.HeldOut) float64) *plot {
	points := append(make([]point, 0, 1+len(g.Path)), point{0, measure(g.Base)})
	values := append(make([]float64, 0, 1+len(g.Path)), points[0].Y)
	for k := range g.Path {
		points = append(points, point{float64(k + 1), measure(g.Path[k].After)})
		values = append(values, points[k+1].Y)
	}
	low, high := roomFor(values...)
	p := newPlot(title, "formulas", label, float64(len(g.Path)), low, high)
	p.line("s0", points...)
	kept := points[g.Size]
	p.line("base", point{kept.X, low}, point{kept.X, high})
	p.dot("dot", kept, 5)
	p.Note = fmt.Sprintf("The point is the number that is kept: %d.", g.Size)
	p.Alt = fmt.Sprintf("%s from %s without a formula to %s with %d, which are kept, and %s with %d.",
		label, render.Fixed(points[0].Y, 3), render.Fixed(kept.Y, 3), g.Size, render.Fixed(points[len(points)-1].Y, 3), len(g.Path))
	return p
}

// formulas lists the formulas of the model.
func (r *Report) formulas() []block {
	t := newTable("Formulas of the model", "Formula", "#Weight|+3", "#Odds ratio|g", "#Support", "#True where it holds", "#True elsewhere", "#Gain, 1,000 atoms|3")
	also := func(f Weighed) bool { return f.Formula.Standing == mln.StandingAlso }
	last := slices.DeleteFunc(slices.Clone(r.Formulas), func(f Weighed) bool { return !also(f) })
	list := append(slices.DeleteFunc(slices.Clone(r.Formulas), also), last...)
	for i := range list[:min(len(list), mostFormulas)] {
		f := &list[i]
		formula := cell{Code: render.Clip(mln.FormatFormula(f.Formula), render.MostText), Class: "words", Note: render.Either(also(*f), "also used for prediction", "")}
		if g := f.Growth; g != nil {
			formula.Note = fmt.Sprintf("in doubt: what it counts grows with the subgraph (rank correlation %.2f with the number of facts), and may say little of larger ones", g.Correlation)
		}
		var weight, odds, support any = f.Weight, "–", f.Support
		if f.Formula.Hard {
			weight = "hard"
		} else if f.Formula.HasWeight {
			odds = elementary.Exp(f.Weight.Value)
		}
		if math.IsNaN(f.Rate.Value) {
			support = "–"
		}
		t.row(formula, weight, odds, support, percentCell(f.Rate), percentCell(f.Elsewhere), 1000*f.Gain)
	}
	if n := len(list); n > mostFormulas {
		t.Caption += fmt.Sprintf(": the first %d of %d", mostFormulas, n)
	}
	note := ""
	if r.sampling() {
		note = fmt.Sprintf(" Intervals of weights use the marginals of the %s subgraphs that were tested, expanded to all %s; everything else uses all.",
			render.Grouped(int64(r.Fitted)), render.Grouped(int64(r.Data.Subgraphs)))
	}
	return []block{{Heading: "Formulas", Table: t}, {Small: plain("The log-odds of an atom are the sum, over the formulas, of the weight times what the formula counts for the atom. Support is the number of " +
		"atoms for which it counts anything. Intervals are over subgraphs, 95%: of weights by the infinitesimal jackknife, of shares by the linearised ratio of cluster totals or, if all atoms agree, " +
		"by the exact binomial bound for one observation per subgraph. A formula that was selected has an interval where it is established; it " +
		render.Either(r.Task, "is wider than 95%, to allow", "does not allow") + " for the choice. The other selected ones, at the end, are used for prediction alone, and may be noise. No interval have " +
		"formulas that tie target atoms to one another and those on the same targets, hard ones, those that hold for no atom, and weights that the data cannot tell apart." + note)}}
}

func percentCell(v Interval) cell {
	c := number(v.Value, 6)
	c.Text = plain(render.Percent(v.Value))
	if v.Defined() {
		c.Note = "[" + render.Percent(v.Low) + ", " + render.Percent(v.High) + "]"
	}
	return c
}

// diagnostics says how far the figures can be trusted.
func (r *Report) diagnostics() []block {
	t := newTable("How marginals were computed", "Of", "#Subgraphs", "#Sampled", "#Worst R-hat", "#Least effective samples", "#Largest standard error")
	quality := func(name string, q *resolwe.Quality) {
		worst := func(w inferring.Worst, digits int) cell {
			if w.Subgraph == "" {
				return text("–")
			}
			c := number(w.Value, digits)
			if !r.options.Private {
				c.Note = "in " + render.Clip(w.Subgraph, render.MostName)
			}
			return c
		}
		t.row(name, q.Subgraphs, q.Sampled, worst(q.RHat, 3), worst(q.ESS, 0), worst(q.Error, 4))
	}
	if r.Task {
		for i := range r.Cross.Systems {
			quality(r.systemName(i)+", test subgraphs", &r.Cross.Systems[i].Quality)
		}
	}
	quality(render.Either(r.sampling(), "this model, subgraphs tested", "this model, all data"), &r.Quality)
	var notes []render.Phrase
	for i := range r.Cross.Systems {
		s := &r.Cross.Systems[i]
		for fold := range s.Reached {
			if short := s.Reached[fold].ShortOfOptimum(); short != "" {
				notes = append(notes, plain(fmt.Sprintf("%s, fold %d: %s.", r.systemName(i), fold+1, short)))
			}
		}
		if q := &s.Quality; q.Disagree+q.Stuck+q.Short > 0 {
			notes = append(notes, plain(fmt.Sprintf("%s: chains disagree in %d subgraphs, atoms hardly moved in %d, and %d have too few samples to tell.",
				r.systemName(i), q.Disagree, q.Stuck, q.Short)))
		}
	}
	if r.Skipped > 0 {
		notes = append(notes, plain(render.Either(r.Skipped == 1, "1 damaged subgraph was", fmt.Sprint(r.Skipped, " damaged subgraphs were"))+" skipped."))
	}
	for _, w := range r.Warnings {
		notes = append(notes, plain(render.Clip(w, 300)))
	}
	if doubts := r.doubts(); doubts != nil {
		notes = append([]render.Phrase{doubts}, notes...)
	}
	if len(notes) == 0 {
		notes = []render.Phrase{plain("No warnings: all weights that were learned reached the optimum, and no marginal is doubtful.")}
	}
	return []block{{Heading: "Diagnostics", Text: plain(r.sampled())}, {Table: t}, {List: notes[:min(len(notes), 50)]}}
}

// sampled says whether anything is an estimate.
func (r *Report) sampled() string {
	n := r.Quality.Sampled
	for i := range r.Cross.Systems {
		n += r.Cross.Systems[i].Quality.Sampled
	}
	if n == 0 {
		return "All probabilities are exact: closed forms, enumeration, or elimination on junction trees. No Monte Carlo error is in any figure."
	}
	return "Where atoms depend on one another in large components, probabilities are estimates by MC-SAT. R-hat near 1 says that chains agree; below 1.01 is the aim."
}

// times lists how long the steps took.
func (r *Report) times() []block {
	if len(r.Times) == 0 {
		return nil
	}
	t := newTable("Seconds of each step", "Step", "#Seconds|2")
	for _, s := range r.Times {
		t.row(s.Step, s.Seconds)
	}
	if r.Task {
		for i := range r.Cross.Systems {
			s := &r.Cross.Systems[i]
			sum := 0.
			for _, x := range s.Seconds {
				sum += x.Select + x.Learn
			}
			t.row("training of "+r.systemName(i)+", mean of a fold", sum/float64(len(s.Seconds)))
		}
	}
	return []block{{Table: t}}
}
