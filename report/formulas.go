package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/elementary"
	"resolwe/internal/render"
	"resolwe/internal/stage/selecting"
)

// mostFormulas is the maximum number of formulas listed on the page, mostSteps that of steps of a path.
const (
	mostFormulas = 150
	mostSteps    = 120
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
		out = append(out, r.path(g, i)...)
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
	lead := "The model on this page was selected on all of the data. Formulas were added one after another, each the one that adds most to the likelihood of " +
		"what the ones before it leave unexplained. Their number is " + number + " in an inner cross-validation on the same data, " + folds +
		". The figures of this section serve that choice alone, and flatter the model a little. Those under Accuracy come from other models, which repeated " +
		"the whole selection on their training data alone."
	return append([]block{{Text: plain(lead)}}, out...)
}

// path draws the path of one target.
func (r *Report) path(g *selecting.GainSelection, i int) []block {
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
		pathPlot(fmt.Sprint("path-cll-", i), "Held-out log-likelihood by number of formulas", "CLL (nats an atom)", g, func(h selecting.HeldOut) float64 { return h.CLL }),
		pathPlot(fmt.Sprint("path-map-", i), "Held-out mean average precision by number of formulas", "MAP", g, func(h selecting.HeldOut) float64 { return h.MAP }),
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
		{Fold: &fold{"The path as a table", []block{{Table: t}, {Small: "Gain is in nats for 1,000 atoms, as the score test promised when the formula was added. The line in bold is the last one that is kept of the path."}}}},
	}
}

// pathPlot draws a measure on held-out atoms along a path.
func pathPlot(id, title, label string, g *selecting.GainSelection, measure func(selecting.HeldOut) float64) *plot {
	points := append(make([]point, 0, 1+len(g.Path)), point{0, measure(g.Base)})
	values := append(make([]float64, 0, 1+len(g.Path)), points[0].Y)
	for k := range g.Path {
		points = append(points, point{float64(k + 1), measure(g.Path[k].After)})
		values = append(values, points[k+1].Y)
	}
	low, high := roomFor(values...)
	p := newPlot(id, title, "formulas", label, float64(len(g.Path)), low, high)
	p.line("s0", points)
	kept := points[g.Size]
	p.line("guide", []point{{kept.X, low}, {kept.X, high}})
	p.dot("s0", kept, 5)
	p.Note = fmt.Sprintf("The point is the number that is kept: %d.", g.Size)
	p.Desc = fmt.Sprintf("%s from %s without a formula to %s with %d, which are kept, and %s with %d.",
		label, render.Fixed(points[0].Y, 3), render.Fixed(kept.Y, 3), g.Size, render.Fixed(points[len(points)-1].Y, 3), len(g.Path))
	return p
}

// formulas lists the formulas of the model in words.
func (r *Report) formulas() []block {
	t := newTable("Formulas of the model, in words and as the task language has them", "#", "Formula", "#Weight|+3", "#Odds ratio|g", "#Support", "#True where it holds", "#True elsewhere", "#Gain, 1,000 atoms|3")
	t.Columns[0].Title = "No."
	order := r.byEffect()
	if len(order) <= mostFormulas {
		slices.Sort(order) // in the order of the model
	}
	also := func(i int) bool { return r.Formulas[i].Formula.Standing == mln.StandingAlso }
	last := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return !also(i) })
	order = append(slices.DeleteFunc(order, also), last...)
	for _, i := range order[:min(len(order), mostFormulas)] {
		f := &r.Formulas[i]
		words := cell{Text: r.said(f), Code: render.Clip(mln.FormatFormula(f.Formula), render.MostText), Class: "words"}
		if g := f.Growth; g != nil {
			words.Note = fmt.Sprintf("in doubt: what it counts grows with the subgraph (rank correlation %.2f with the number of facts), and may say little of larger ones", g.Correlation)
		}
		var weight, odds, support any = f.Weight, "–", f.Support
		switch {
		case f.Formula.Hard:
			weight = "hard"
		case f.Formula.HasWeight && !r.unit(f.Formula):
			odds = elementary.Exp(f.Weight.Value)
		}
		if !f.Formula.Hard && !f.Weight.Defined() {
			c := t.Columns[2].cell(f.Weight)
			c.Note, weight = "–", c
		}
		if math.IsNaN(f.Rate.Value) {
			support = "–"
		}
		t.row(i+1, words, weight, odds, support, percentCell(f.Rate), percentCell(f.Elsewhere), 1000*f.Gain)
	}
	out := []block{{Text: plain(r.aboutFormulas())}}
	if p := r.importance(); p != nil {
		out = append(out, block{Plots: []*plot{p}})
	}
	if len(order) > mostFormulas {
		out = append(out, block{Text: plain(fmt.Sprintf("Of %d formulas the %d that say most are listed.", len(order), mostFormulas))})
	}
	out = append(out, block{Table: t})
	note := ""
	if r.sampling() {
		note = fmt.Sprintf(" Intervals of weights use the marginals of the %s subgraphs that were tested, expanded to all %s; everything else uses all.",
			render.Grouped(int64(r.Fitted)), render.Grouped(int64(r.Data.Subgraphs)))
	}
	return append(out, block{Small: "Intervals are over subgraphs, 95%: of weights by the infinitesimal jackknife, of shares by the linearised ratio of cluster " +
		"totals or, if all atoms agree, by the exact binomial bound for one observation per subgraph. They take the weights as the shrunk estimates that they are. A formula that was selected has an interval where it is established: where, of all " +
		"that could be selected, it would hardly look as good by chance; its interval " + render.Either(r.Task, "is wider than 95%, to allow", "does not allow") + " for the choice. The other selected formulas, at the end, are used for prediction alone, and may be " +
		"noise. A dash means that there is no interval: for these, for formulas that tie target atoms to one another and those on the same targets, hard ones, those that hold for no atom, and weights that the data cannot tell apart." + note})
}

// byEffect returns the formulas, with those that move the log-odds most first.
func (r *Report) byEffect() []int {
	order := make([]int, len(r.Formulas))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Formulas[b].effect(), r.Formulas[a].effect()) })
	return order
}

// importance draws how much the formulas move the log-odds, or returns nil if none does.
func (r *Report) importance() *plot {
	const most = 12
	var rows []row
	for _, i := range r.byEffect()[:min(most, len(r.Formulas))] {
		f := &r.Formulas[i]
		if d := f.Deviation; f.effect() > 0 {
			rows = append(rows, row{fmt.Sprintf("No. %d", i+1), "s0", Interval{f.Weight.Value * d, f.Weight.Low * d, f.Weight.High * d}})
		}
	}
	if rows == nil {
		return nil
	}
	return newRows("importance", "Importance of the formulas, by their numbers in the table", "weight × standard deviation, with 95% interval", rows, true)
}

func percentCell(v Interval) cell {
	c := number(v.Value, 6)
	c.Text = plain(render.Percent(v.Value))
	if v.Defined() {
		c.Note = "[" + render.Percent(v.Low) + ", " + render.Percent(v.High) + "]"
	}
	return c
}

// unit reports whether a formula consists of its head alone.
func (r *Report) unit(f *mln.Formula) bool {
	headed, ok := f.Headed(r.Model.Schema)
	if !ok {
		return false
	}
	rest, _ := headed.Head()
	return len(rest) == 0
}

// said returns a formula in words, with what it adds and how often it is right.
func (r *Report) said(f *Weighed) render.Phrase {
	words, statement := render.InWords(r.Model.Schema, f.Formula), r.statement(f)
	if statement == nil {
		return words
	}
	last := &words[len(words)-1]
	last.Text = strings.TrimSuffix(last.Text, ".")
	return render.Join(words, render.Either(r.unit(f.Formula), ", ", ": "), statement)
}

// statement says what a formula adds, and how often it is right.
func (r *Report) statement(f *Weighed) render.Phrase {
	if !f.Formula.HasWeight {
		return nil
	}
	unit := ""
	if f.Formula.Shape != mln.ShapeNone {
		unit = map[mln.Shape]string{
			mln.ShapeLog: " for each doubling of one plus their number", mln.ShapeMean: " between none and all",
			mln.ShapeRank: " from the lowest values to the highest", mln.ShapeRelative: " for each doubling of one plus their number",
		}[f.Formula.Shape]
		if f.Formula.Shape == mln.ShapeRelative && f.Formula.Measures() {
			unit = " for each standard deviation"
		}
	}
	digits := 2
	if math.Abs(f.Weight.Value) < .05 {
		digits = 4
	}
	text := fmt.Sprintf("%s (log-odds%s)%s", render.Signed(f.Weight.Value, digits), render.Either(f.unclear(), "; the interval includes 0", ""), unit)
	if f.Support == 0 || math.IsNaN(f.Elsewhere.Value) {
		return plain(text + ".")
	}
	return plain(text + fmt.Sprintf(", true in %s of the %s; without it, in %s.", render.Percent(f.Rate.Value), render.Count(int(f.Support), "such atom", "such atoms"), render.Percent(f.Elsewhere.Value)))
}

func (r *Report) aboutFormulas() string {
	return "The log-odds of an atom are the sum, over the formulas, of the weight times what the formula counts for the atom; a logarithm of a count to the base 2, where the " +
		"text says doubling. Weights belong together: one whose sign differs from that of its difference in shares corrects other formulas. " +
		"A formula has other figures elsewhere: the path shows what it added to the formulas before it, this table its weight among all others, " +
		"and the card of an example that weight times the count for one atom. " +
		"Support is the number of atoms for which the formula counts anything; true where it holds is the share of true atoms among these, true elsewhere is that among all other atoms of the same target."
}
