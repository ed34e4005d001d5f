package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"resolwe/crossval"
	"resolwe/internal/render"
)

// seriesClass is the class of a system's lines and points.
func seriesClass(i int) string { return fmt.Sprint("s", i%6) }

// systemName returns the name of a system as shown on the page.
func (r *Report) systemName(i int) string {
	return render.Clip(r.Cross.Systems[i].Name, render.MostName)
}

// systemNotes describe the systems.
var systemNotes = map[string]string{
	"gain":          "selection by gain, with the weights that it gives: what this page reports on",
	"paper":         "selection on the first subgraphs by the criterion of Mihalkova and Moustafa (2011), weights learned on the rest",
	"lift":          "selection on the first subgraphs by lift, weights learned on the rest",
	"kl":            "selection on the first subgraphs by divergence, weights learned on the rest",
	"llr":           "selection on the first subgraphs by likelihood ratio, weights learned on the rest",
	"skipSelection": "no selection: weights of all candidates, learned on the same rest",
	"base":          "the base rates alone",
	"single":        "selection by gain, of one formula",
	"logistic":      "ridge regression on all candidates with one target literal: the logarithms of counts, and the ranks of values",
	"null":          "the first system where the target has nothing to do with the rest: what comes from how candidates were drawn",
	"model":         "the model as it was given",
	"base rate":     "the share of true atoms in these same data, as a constant",
}

// accuracy shows the systems side by side.
func (r *Report) accuracy() []block {
	rowTask := r.Cross.RowTask()
	over := newTable("Means over subgraphs, with 95% intervals", "System", "#MAP|3", "#AUC‑ROC|3", "#CLL|3", "#Brier|3")
	pooled := newTable("Measures of the pooled atoms, with 95% intervals by a bootstrap over "+r.clusters(),
		"System", "#Pooled AUC‑ROC|3", "#AUC‑PR|3", "#Log-loss|3", "#Accuracy|3", "#Calibration error|3", "#Formulas")
	top := newTable("Share of true atoms among the most probable ones (precision), and that over the share among all (lift)",
		"System", "#First 10|3", "#First 50|3", "#First 1%|3", "#Lift, 10|2", "#Lift, 50|2", "#Lift, 1%|2")
	line := func(s *crossval.Outcome) {
		m, all, p, lift := measuresOf(s.Figures), pooledOf(s), s.Top.Precision, s.Top.Lift
		name := cell{Text: named(s.Name), Note: systemNotes[s.Name], Class: "long"}
		over.row(name, m[0], m[1], m[2], m[3].Value)
		pooled.row(name, all[0], all[1], all[2], all[3], s.CalibrationError, r.sizes(s))
		top.row(cell{Text: named(s.Name)}, p[0], p[1], p[2], lift[0], lift[1], lift[2])
	}
	for i := range r.Cross.Systems {
		line(&r.Cross.Systems[i])
	}
	over.Rows[0].Strong, pooled.Rows[0].Strong = true, true
	if n := r.Cross.Null; n != nil {
		line(&n.System)
	}
	out := []block{{Text: plain(r.tested())}, {Table: pooled}}
	if !rowTask {
		out = slices.Insert(out, 1, block{Table: over})
	}
	out = append(out, block{Table: top})
	if len(r.Cross.Systems) > 1 {
		var plots []*plot
		for i, h := range r.headline() {
			rows := make([]row, len(r.Cross.Systems))
			for k := range rows {
				s := &r.Cross.Systems[k]
				rows[k] = row{s.Name, seriesClass(k), h.of(s)}
			}
			better := render.Either(h.name == "Log-loss", " (lower is better)", " (higher is better)")
			if i != 1 || rowTask {
				plots = append(plots, newRows(fmt.Sprint("systems-", i), h.name+", with 95% intervals", h.name+better, rows, false))
			}
		}
		out = append(out, block{Plots: plots})
	}
	if len(r.Cross.Tests) > 0 {
		out = append(out, r.tests()...)
	}
	return out
}

// tested says what the figures are based on.
func (r *Report) tested() string {
	if !r.Task {
		return "The model came with its weights, so nothing was held out: it is evaluated on the data given, and compared with the base rates of the same data. " +
			"If the model was selected or learned on these data, the figures flatter it; a report on the task file cross-validates."
	}
	text := "All systems were trained and tested on the same subgraphs. "
	switch {
	case len(r.Cross.From) > 0:
		text += fmt.Sprintf("The folds go forward in time: each of the %d test parts, which begin at %s, was predicted by systems trained on all that is before it. ",
			r.Cross.Folds, strings.Join(strings.Fields(strings.Trim(fmt.Sprint(r.Cross.From), "[]")), ", "))
	case r.inTime():
		text += "They were " + r.heldOut() + ". "
	default:
		text += fmt.Sprintf("The subgraphs are divided into %d folds. Each fold is predicted once, by systems whose formulas, number of formulas and weights come "+
			"from the other folds alone. So no subgraph is predicted by a system that has seen it, or that was chosen by how well it predicts it. ", r.Cross.Folds)
		if len(r.Data.Folds) > 0 {
			text += "The folds are those of the stream. "
		} else {
			text += fmt.Sprintf("The folds are a random division of the subgraphs, by seed %d. ", r.options.Cross.Seed)
		}
		if first, last := r.Data.span(); first != last {
			text += "They do not follow time: a subgraph may be predicted by systems trained on later ones. With --forward or --split, all training data are earlier. "
		}
	}
	if c := r.Cross; c.Finished < c.Folds {
		text += fmt.Sprintf("The budget expired before all %d were done: figures are of the first %d. ", c.Folds, c.Finished)
	}
	switch test := r.options.Cross.Test; {
	case r.sampling():
		text += fmt.Sprintf("Tested were at most %s subgraphs of a fold, drawn at random, the same for all systems: %s of %s. The systems were trained on all "+
			"subgraphs of the other folds. That fewer were tested widens the intervals; means count each fold by the subgraphs tested. ",
			render.Grouped(int64(test)), render.Grouped(int64(len(r.Cross.Tested))), render.Grouped(int64(r.Data.Subgraphs)))
	case test > 0 && r.mostTested() == test && !r.Cross.RowTask(): // in time: there may be more
		text += fmt.Sprintf("Of a test part at most %s subgraphs were tested, drawn at random, the same for all systems. ", render.Grouped(int64(test)))
	}
	if r.Cross.RowTask() {
		text += "At least nine of ten subgraphs have one query atom: it is a row task, whose measures pool all atoms. "
	}
	return text + "MAP, AUC-ROC, CLL and the Brier score are means over test subgraphs; the other measures are of all atoms of a fold together, averaged over folds. " +
		"Precision is the share of true ones among the 10, the 50 and the 1% of the atoms that are most probable; its lift is that share over the share among all atoms."
}

// mostTested returns the greatest number of subgraphs tested in a fold.
func (r *Report) mostTested() int {
	tested := map[int]int{}
	for _, t := range r.Cross.Tested {
		tested[t.In]++
	}
	return slices.Max(slices.AppendSeq([]int{0}, maps.Values(tested)))
}

// sizes prints the number of formulas by fold.
func (r *Report) sizes(s *crossval.Outcome) string {
	if s.Formulas == nil {
		if s == r.first() {
			return render.Grouped(int64(len(r.Final.Formulas)))
		}
		return "–"
	}
	least, most := slices.Min(s.Formulas), slices.Max(s.Formulas)
	if least == most {
		return render.Grouped(int64(least))
	}
	return render.Grouped(int64(least)) + "–" + render.Grouped(int64(most))
}

// tests shows the paired tests.
func (r *Report) tests() []block {
	t := newTable("The first system less each other one, paired by "+render.Either(r.Cross.ByFold(), "fold", "test subgraph"), "Against", "Measure", "#Difference|+4", "#95% interval", "#Pairs", "#t|2", "#p|p", "#p, adjusted|p")
	adjusted := holm(r.Cross.Tests)
	for i, c := range r.Cross.Tests {
		difference := Interval{c.MeanDifference, c.CI95[0], c.CI95[1]}
		name := judged[slices.IndexFunc(judged, func(m judge) bool { return m.key == c.Measure })].name
		t.row(cell{Text: named(c.Against)}, name, difference.Value, difference.brackets(4), c.N, c.T, c.P, adjusted[i])
	}
	note := "Paired t-tests over test subgraphs."
	if r.Task {
		note = r.Cross.Testing()
	}
	note += " All are two-sided; p, adjusted is after Holm for all tests of the table."
	if r.Cross.Few() {
		note += " There are fewer than ten test subgraphs: the unit is too coarse for tests."
	}
	return []block{{Table: t}, {Small: note}}
}

// curves draws the ROC, precision-recall and reliability curves.
func (r *Report) curves() []block {
	roc := newPlot("roc", "ROC curve", "share of the false atoms above the threshold", "share of the true ones", 1, 0, 1)
	pr := newPlot("pr", "Precision-recall curve", "recall: share of the true atoms found", "precision", 1, 0, 1)
	roc.line("guide", []point{{0, 0}, {1, 1}})
	for i := range r.Cross.Systems {
		s := &r.Cross.Systems[i]
		up := averaged(s.Pooled, truePositives)
		if up != nil {
			up = append([]point{{0, 0}}, up...)
		}
		for _, c := range []struct {
			*plot
			points []point
			area   float64
		}{{roc, up, s.AUCROCPooled}, {pr, averaged(s.Pooled, precision), s.AUCPR}} {
			c.line(seriesClass(i), c.points)
			c.note(seriesClass(i), r.systemName(i)+" "+render.Fixed(c.area, 3))
			c.Desc += fmt.Sprintf("%s: area %s; ", r.systemName(i), render.Fixed(c.area, 3))
		}
	}
	slices.Reverse(roc.Lines[1:]) // so that the first is on top
	slices.Reverse(pr.Lines)
	about := render.Either(len(r.first().Pooled) < 2, "The first two charts pool all atoms; the numbers beside the names are the areas. ",
		"The first two charts pool the atoms of each fold and average the curves of the folds; the numbers beside the names are their areas. ")
	about += "The area under the ROC curve here compares atoms of different subgraphs too, so it differs from the mean AUC-ROC over subgraphs above. " +
		"The third compares probabilities with what came true."
	calibration, bins := r.reliability()
	return []block{{Text: plain(about)}, {Plots: []*plot{roc, pr, calibration}}, {Fold: &fold{"The calibration as a table", []block{{Table: bins}}}}}
}

// reliability compares the probabilities of the first system with the truth, as a chart and as a table.
func (r *Report) reliability() (*plot, *table) {
	all, each := calibration(r.first().Pooled)
	most := 0.
	for _, b := range slices.Concat(append(each, all)...) {
		most = max(most, b.point().X, b.point().Y)
	}
	edge := 1.
	if most > 0 && most < .5 { // with rare true atoms, all points would be in a corner
		edge = 1.1 * most
	}
	p := newPlot("calibration", "Calibration of "+r.systemName(0), "mean probability of the bin", "share that is true", edge, 0, edge)
	p.Desc = "The table below the charts has the points."
	p.Note = "At most ten bins of about equally many atoms; atoms of equal probability share a bin. On the dotted line, probabilities equal the shares that are true."
	t := newTable(p.Title+", by bin", "Bin", "#Atoms", "#Mean probability|4", "#Share that is true|4", "#Difference|+4")
	p.line("guide", []point{{0, 0}, {edge, edge}})
	if len(each) > 1 {
		p.Note += " Small points are the bins of single folds."
		for _, b := range slices.Concat(each...) {
			p.dot("s0 faint", b.point(), 2)
		}
	}
	points := make([]point, len(all))
	for i, b := range all {
		q := b.point()
		points[i] = q
		p.dot("s0", q, 4)
		t.row(i+1, int64(b.atoms), q.X, q.Y, q.Y-q.X)
	}
	p.line("s0", points)
	return p, t
}

// baseOf returns the outcome of the base rates, or nil if these were not compared.
func (r *Report) baseOf() *crossval.Outcome {
	at := slices.IndexFunc(r.Cross.Systems, func(o crossval.Outcome) bool { return o.Name == "base" || o.Name == "base rate" })
	if at < 1 {
		return nil
	}
	return &r.Cross.Systems[at]
}
