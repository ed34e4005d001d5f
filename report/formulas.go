package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/elementary"
)

// mostFormulas is how many formulas the page lists, and mostSteps how many of a path.
const (
	mostFormulas = 150
	mostSteps    = 120
)

// paths draws how good each number of formulas is on held-out atoms.
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
	lead := "On all of the data, formulas were added one after another, each the one that adds most to the likelihood of what the ones before it " +
		"leave unexplained. The number that is kept is the one that predicts held-out atoms best: within this step, five more folds of the " +
		"subgraphs, or of the atoms where there are fewer than ten subgraphs. These figures chose the model and so flatter it a little; those under Accuracy do not."
	return append([]block{{Text: plain(lead)}}, out...)
}

// path is the path of one target.
func (r *Report) path(g *resolwe.GainSelection, i int) []block {
	target := clip(g.Target, mostName)
	about := fmt.Sprintf("%s: %s of a path of %d are kept, from the family of %s, with shrinkage %v (the precision of the prior of a weight). Of %s atoms, %s are true.",
		target, count(g.Size, "formula", "formulas"), len(g.Path), g.Family, g.Shrink, grouped(int64(g.Atoms)), percent(g.BaseRate))
	if n := len(g.Tied); n > 0 {
		about += fmt.Sprintf(" %s.", count(n, "formula that ties target atoms to one another follows", "formulas that tie target atoms to one another follow"))
	}
	if g.Sampled {
		about += " There are more atoms than selection takes: it drew a sample of whole subgraphs."
	}
	plots := []*plot{
		pathPlot(fmt.Sprint("path-cll-", i), "Held-out log-likelihood by number of formulas", "CLL (nats an atom)", g, func(h resolwe.HeldOut) float64 { return h.CLL }),
		pathPlot(fmt.Sprint("path-map-", i), "Held-out mean average precision by number of formulas", "MAP", g, func(h resolwe.HeldOut) float64 { return h.MAP }),
	}
	t := newTable("The path for "+target+": held-out figures with the formulas down to each line", "#Formulas", "Added", "#Gain, 1,000 atoms|3", "#CLL|4", "#MAP|4", "#AUC-ROC|4")
	line := func(n int, c cell, gain float64, h resolwe.HeldOut, kept bool) {
		t.row(n, c, 1000*gain, h.CLL, h.MAP, h.AUC)
		t.Rows[len(t.Rows)-1].Strong = kept
	}
	line(0, text("the base rate alone"), math.NaN(), g.Base, g.Size == 0)
	for k := range g.Path[:min(len(g.Path), mostSteps)] {
		s := &g.Path[k]
		line(k+1, cell{Code: clip(mln.FormatFormula(s.Formula), mostText), Class: "words"}, s.Gain, s.After, k+1 == g.Size)
	}
	for k := range g.Tied {
		s := &g.Tied[k]
		line(g.Size+k+1, cell{Code: clip(mln.FormatFormula(s.Formula), mostText), Note: "ties target atoms; figures are of inferred marginals", Class: "words"}, s.Gain, s.After, false)
		t.Rows[len(t.Rows)-1].Cells[0].Text = plain(fmt.Sprintf("%d + %d", g.Size, k+1))
	}
	return []block{
		{Text: plain(about)},
		{Plots: plots},
		{Fold: &fold{"The path as a table", []block{{Table: t}, {Small: "Gain is in nats for 1,000 atoms, as the score test promised when the formula was added. The line in bold is the last one that is kept of the path."}}}},
	}
}

// pathPlot draws a measure of held-out atoms along a path.
func pathPlot(id, title, label string, g *resolwe.GainSelection, measure func(resolwe.HeldOut) float64) *plot {
	points := append(make([]point, 0, 1+len(g.Path)), point{0, measure(g.Base)})
	low, high := math.Inf(1), math.Inf(-1)
	for k := range g.Path {
		points = append(points, point{float64(k + 1), measure(g.Path[k].After)})
	}
	for _, q := range points {
		if !math.IsNaN(q.Y) {
			low, high = min(low, q.Y), max(high, q.Y)
		}
	}
	low, high = roomFor(low, high)
	p := newPlot(id, title, "formulas", label, float64(len(g.Path)), low, high)
	p.line("s0", points)
	kept := points[g.Size]
	p.line("guide", []point{{kept.X, low}, {kept.X, high}})
	p.dot("s0", kept, 5)
	p.Note = fmt.Sprintf("The point is the number that is kept: %d.", g.Size)
	p.Desc = fmt.Sprintf("%s from %s without a formula to %s with %d, which are kept, and %s with %d.",
		label, fixed(points[0].Y, 3), fixed(kept.Y, 3), g.Size, fixed(points[len(points)-1].Y, 3), len(g.Path))
	return p
}

// formulas lists the formulas of the model in words.
func (r *Report) formulas() []block {
	t := newTable("Formulas of the model, in words and as the task language has them", "#", "Formula", "#Weight|+3", "#Odds ratio", "#Support", "#True where it holds", "#True elsewhere", "#Gain, 1,000 atoms|3")
	t.Columns[0].Title = "No."
	order := r.order()
	for _, i := range order[:min(len(order), mostFormulas)] {
		f := &r.Formulas[i]
		words := cell{Text: r.said(f), Code: clip(mln.FormatFormula(f.Formula), mostText), Class: "words"}
		var weight, odds, support any = f.Weight, "–", f.Support
		switch {
		case f.Formula.Hard:
			weight = "hard"
		case f.Formula.HasWeight && !r.unit(f.Formula):
			odds = factor(elementary.Exp(f.Weight.Value))
		}
		if math.IsNaN(f.Rate.Value) {
			support = "–"
		}
		t.row(i+1, words, weight, odds, support, percentCell(f.Rate), percentCell(f.Elsewhere), 1000*f.Gain)
	}
	out := []block{{Text: plain(r.aboutFormulas())}}
	if len(order) > mostFormulas {
		out = append(out, block{Text: plain(fmt.Sprintf("Of %d formulas the %d that say most are listed.", len(order), mostFormulas))})
	}
	out = append(out, block{Table: t})
	if r.Selection != nil {
		out = append(out, r.redundant()...)
	}
	note := ""
	if r.sampling() {
		note = fmt.Sprintf(" What intervals of weights take from marginals is of the %s subgraphs that were tested, expanded to all %s; all else is of all.",
			grouped(int64(r.Fitted)), grouped(int64(r.Data.Subgraphs)))
	}
	return append(out, block{Small: "Intervals are over subgraphs, 95%: of weights by the infinitesimal jackknife, of shares by the linearised ratio of cluster " +
		"totals, or where all atoms agree by the exact binomial bound of one observation a subgraph. They take the choice of formulas as given, and the weights as the shrunk estimates that they are: they say how much the weights would " +
		"vary with other subgraphs, not that a formula would be chosen again. A dash stands where there is no interval: for formulas that tie target atoms to one " +
		"another, hard ones, those that hold for no atom, and where the data cannot tell weights apart." + note})
}

// order returns the formulas as they are listed: as they are, or where they are too many those that say most first.
func (r *Report) order() []int {
	order := make([]int, len(r.Formulas))
	for i := range order {
		order[i] = i
	}
	if len(order) > mostFormulas {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Formulas[b].effect(), r.Formulas[a].effect()) })
	}
	return order
}

// factor prints a factor with three digits that count.
func factor(v float64) cell {
	c := number(v, 0)
	c.Text = plain(strconv.FormatFloat(v, 'g', 3, 64))
	return c
}

func percentCell(v Interval) cell {
	c := number(v.Value, 6)
	c.Text = plain(percent(v.Value))
	if v.Defined() {
		c.Note = "[" + percent(v.Low) + ", " + percent(v.High) + "]"
	}
	return c
}

// unit reports whether a formula is its head alone.
func (r *Report) unit(f *mln.Formula) bool {
	headed, ok := f.Headed(r.Model.Schema)
	if !ok {
		return false
	}
	rest, _ := headed.Head()
	return len(rest) == 0
}

// said is a formula in words, with what it adds and how often it is right.
func (r *Report) said(f *Weighed) Phrase {
	words, statement := InWords(r.Model.Schema, f.Formula), r.statement(f)
	if statement == nil {
		return words
	}
	last := &words[len(words)-1]
	last.Text = strings.TrimSuffix(last.Text, ".")
	sep := ": "
	if r.unit(f.Formula) {
		sep = ", "
	}
	return append(append(words, Piece{Text: sep}), statement...)
}

// statement says what a formula adds, and how often it is right.
func (r *Report) statement(f *Weighed) Phrase {
	if !f.Formula.HasWeight {
		return nil
	}
	unit := ""
	if counting(r.Model.Schema, f.Formula) {
		unit = map[mln.Shape]string{
			mln.ShapeLog: " for each doubling of one plus their number", mln.ShapeMean: " between none and all",
		}[f.Formula.Shape]
	}
	digits := 2
	if math.Abs(f.Weight.Value) < .05 {
		digits = 4
	}
	out := Phrase{{Text: fmt.Sprintf("%s (log-odds)%s", signed(f.Weight.Value, digits), unit)}}
	if f.Support == 0 || math.IsNaN(f.Elsewhere.Value) {
		return append(out, Piece{Text: "."})
	}
	return append(out, Piece{Text: fmt.Sprintf(", true in %s%% of the %s such atoms; without it, in %s%%.", inHundred(f.Rate.Value), grouped(f.Support), inHundred(f.Elsewhere.Value))})
}

// inHundred prints a share of a hundred, with a digit behind the point where it is small or near all.
func inHundred(v float64) string {
	if v > 0 && v < .02 || v > .98 && v < 1 {
		return fixed(100*v, 1)
	}
	return fixed(100*v, 0)
}

func (r *Report) aboutFormulas() string {
	return "The log-odds of an atom are the sum, over the formulas, of the weight times what the formula counts for the atom; a logarithm of a count to the base 2, where the " +
		"text says doubling. Weights belong together: one whose sign is not that of its difference in shares corrects what others say. " +
		"Support is the number of atoms for which the formula counts anything; true where it holds is the share of true atoms among these, true elsewhere that among all others of the same target."
}

// redundant lists candidates that a formula made redundant.
func (r *Report) redundant() []block {
	t := newTable("Candidates of which a selected formula left little gain", "Selected", "Made redundant")
	for i := range r.Selection.Gain {
		g := &r.Selection.Gain[i]
		for k := range g.Path[:g.Size] {
			for _, f := range g.Path[k].Redundant {
				if len(t.Rows) < mostFormulas {
					t.row(cell{Code: clip(mln.FormatFormula(g.Path[k].Formula), 300), Class: "words"}, cell{Code: clip(mln.FormatFormula(f), 300), Class: "words"})
				}
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []block{{Fold: &fold{"Candidates that became redundant", []block{{Table: t}}}}}
}
