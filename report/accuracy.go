package report

import (
	"fmt"
	"slices"
	"strings"

	"resolwe/crossval"
)

// seriesClass is the class of a system's lines and points.
func seriesClass(i int) string { return fmt.Sprint("s", i%6) }

// systemName names a system for people.
func (r *Report) systemName(i int) string {
	return clip(r.Cross.Systems[i].Name, mostName)
}

// systemNotes say what the systems are.
var systemNotes = map[string]string{
	"gain":          "selection by gain, with the weights that it gives: what this page reports on",
	"paper":         "selection on the first subgraphs by the criterion of Mihalkova and Moustafa (2011), weights learned on the rest",
	"lift":          "selection on the first subgraphs by lift, weights learned on the rest",
	"kl":            "selection on the first subgraphs by divergence, weights learned on the rest",
	"llr":           "selection on the first subgraphs by likelihood ratio, weights learned on the rest",
	"skipSelection": "no selection: weights of all candidates, learned on the same rest",
	"base":          "the base rates alone",
	"single":        "selection by gain, of one formula",
	"logistic":      "ridge regression on the logarithms of the counts of all candidates with one target literal",
	"null":          "the first system where the target has nothing to do with the rest: what comes from how candidates were drawn",
	"model":         "the model as it was given",
	"base rate":     "the share of true atoms in these same data, as a constant",
}

// accuracy has the systems side by side.
func (r *Report) accuracy() []block {
	systems := newTable("Accuracy of each system, with 95% intervals over subgraphs", "System", "#MAP|3", "#AUC‑ROC|3", "#Pooled AUC‑ROC|3", "#AUC‑PR|3", "#CLL|3", "#Brier|3", "#Calibration error|3", "#Formulas")
	n := len(r.Cross.Systems)
	aps, clls := make([]row, 0, n), make([]row, 0, n)
	line := func(s *crossval.Outcome) measures {
		m := measuresOf(s.Figures)
		systems.row(cell{Text: named(s.Name), Note: systemNotes[s.Name], Class: "long"}, m.AP, m.AUC, s.AUCROCPooled, s.AUCPR,
			m.CLL, m.Brier.Value, s.CalibrationError, r.sizes(s))
		return m
	}
	for i := range r.Cross.Systems {
		s := &r.Cross.Systems[i]
		m := line(s)
		aps, clls = append(aps, row{s.Name, seriesClass(i), m.AP}), append(clls, row{s.Name, seriesClass(i), m.CLL})
	}
	systems.Rows[0].Strong = true
	if n := r.Cross.Null; n != nil {
		line(&n.System)
	}
	out := []block{{Text: plain(r.tested())}, {Table: systems}}
	if len(aps) > 1 {
		ap := newRows("map-systems", "Mean average precision, with 95% intervals", "MAP (higher is better)", aps)
		cll := newRows("cll-systems", "Conditional log-likelihood, with 95% intervals", "CLL in nats an atom (higher is better)", clls)
		ap.Desc, cll.Desc = describe(aps), describe(clls)
		out = append(out, block{Plots: []*plot{ap, cll}})
	}
	if len(r.Cross.Tests) > 0 {
		out = append(out, r.tests()...)
	}
	return out
}

// tested says what the figures are of.
func (r *Report) tested() string {
	if !r.Task {
		return "The model came with its weights, so nothing was held out: it is evaluated on the data given, beside the base rates of the same data. " +
			"Where the model was selected or learned on these data, the figures flatter it; a report on the task file cross-validates."
	}
	text := fmt.Sprintf("Each system was trained and tested on the same subgraphs (%s). ", r.heldOut())
	if cross := r.options.Cross; cross.Forward != 0 {
		text += fmt.Sprintf("The folds go forward in time: each of the %d test parts, which begin at %s, was predicted by systems trained on all that is before it. ",
			r.Cross.Folds, strings.Trim(fmt.Sprint(r.Cross.From), "[]"))
	} else if !cross.InTime() {
		text += fmt.Sprintf("Each of the %d folds was the test part once, with the systems trained on all other folds; nothing of a test fold reaches "+
			"training, neither selection nor the choice of the model's size. ", r.Cross.Folds)
		if len(r.Data.Folds) > 0 {
			text += "The folds are those of the stream. "
		} else {
			text += fmt.Sprintf("The folds are a random division of the subgraphs, by seed %d. ", r.options.Cross.Seed)
		}
	}
	switch test := r.options.Cross.Test; {
	case r.sampling():
		text += fmt.Sprintf("Tested were at most %s subgraphs of a fold, drawn at random, the same for all systems: %s of %s. The systems were trained on all "+
			"subgraphs of the other folds. That fewer were tested widens the intervals; means count each fold by the subgraphs tested. ",
			grouped(int64(test)), grouped(int64(len(r.Cross.Tested))), grouped(int64(r.Data.Subgraphs)))
	case test > 0 && len(r.Cross.Tested) == test: // with Split: there may be more
		text += fmt.Sprintf("Of the test part at most %s subgraphs were tested, drawn at random, the same for all systems. ", grouped(int64(test)))
	}
	if r.Cross.Few() {
		text += fmt.Sprintf("With %s the unit is too coarse for tests: intervals are rough, t and p say little. ",
			count(len(r.Cross.Tested), "test subgraph", "test subgraphs"))
	}
	return text + "MAP, AUC-ROC, CLL and the Brier score are means over test subgraphs; the pooled AUC-ROC, AUC-PR and the calibration error are of all atoms of a fold together, averaged over folds."
}

// sizes prints the number of formulas by fold.
func (r *Report) sizes(s *crossval.Outcome) string {
	if s.Formulas == nil {
		if s == r.first() {
			return grouped(int64(len(r.Final.Formulas)))
		}
		return "–"
	}
	least, most := slices.Min(s.Formulas), slices.Max(s.Formulas)
	if least == most {
		return grouped(int64(least))
	}
	return grouped(int64(least)) + "–" + grouped(int64(most))
}

// describe says intervals, for those who cannot see them.
func describe(rows []row) string {
	parts := make([]string, len(rows))
	for i, r := range rows {
		parts[i] = strings.TrimSpace(fmt.Sprintf("%s %s %s", clip(r.Name, mostName), fixed(r.Value, 3), r.brackets(3)))
	}
	return strings.Join(parts, "; ")
}

var measureNames = map[string]string{"map": "MAP", "auc_roc": "AUC-ROC", "cll": "CLL"}

// tests has the paired tests.
func (r *Report) tests() []block {
	t := newTable("The first system less each other one, paired by test subgraph", "Against", "Measure", "#Difference|+4", "#95% interval", "#Pairs", "#t|2", "#p", "#p, adjusted")
	adjusted := holm(r.Cross.Tests)
	for i, c := range r.Cross.Tests {
		difference := Interval{c.MeanDifference, c.CI95[0], c.CI95[1]}
		p, q := text(probability(c.P)), text(probability(adjusted[i]))
		p.Sort, q.Sort = fmt.Sprintf("%.9g", c.P), fmt.Sprintf("%.9g", adjusted[i])
		t.row(cell{Text: named(c.Against)}, measureNames[c.Measure], difference.Value, difference.brackets(4), c.N, c.T, p, q)
	}
	note := "Two-sided paired t-tests; p, adjusted is after Holm for all tests of the table."
	if r.Cross.Few() {
		note += " There are fewer than ten test subgraphs: the unit is too coarse for tests."
	}
	if r.Task && r.Cross.Folds > 1 {
		note += " The pairs take the trained models as they are: folds share most of their training data, which makes the tests " +
			"somewhat too sure (Bengio and Grandvalet, 2004). What they do not cover is how much another training sample would change the models."
	}
	return []block{{Table: t}, {Small: note}}
}

// curves draws the ROC, precision-recall and reliability curves.
func (r *Report) curves() []block {
	roc := newPlot("roc", "ROC curve", "share of the false atoms above the threshold", "share of the true ones", 1, 0, 1)
	pr := newPlot("pr", "Precision-recall curve", "recall: share of the true atoms found", "precision", 1, 0, 1)
	roc.line("guide", []point{{0, 0}, {1, 1}})
	for i := len(r.Cross.Systems) - 1; i >= 0; i-- { // the first on top
		s := &r.Cross.Systems[i]
		up := averaged(s.Pooled, truePositives)
		if up != nil {
			up = append([]point{{0, 0}}, up...)
		}
		roc.line(seriesClass(i), up)
		pr.line(seriesClass(i), averaged(s.Pooled, precision))
	}
	for i := range r.Cross.Systems {
		s := &r.Cross.Systems[i]
		roc.note(seriesClass(i), r.systemName(i)+" "+fixed(s.AUCROCPooled, 3))
		pr.note(seriesClass(i), r.systemName(i)+" "+fixed(s.AUCPR, 3))
	}
	for _, p := range []*plot{roc, pr} {
		parts := make([]string, len(p.Legend))
		for i, l := range p.Legend {
			parts[i] = l.Text
		}
		p.Desc = "Areas under the curves: " + strings.Join(parts, "; ")
	}
	about := "The first two charts pool the atoms of each fold and average the curves of the folds; the numbers beside the names are their areas. "
	if len(r.Cross.Systems[0].Pooled) < 2 {
		about = "The first two charts pool all atoms; the numbers beside the names are the areas. "
	}
	about += "The area under the ROC curve here compares atoms of different subgraphs too, so it differs from the mean AUC-ROC over subgraphs above. " +
		"The third holds probabilities against what came true."
	return []block{{Text: plain(about)}, {Plots: []*plot{roc, pr, r.reliability()}}, {Fold: &fold{"The calibration as a table", []block{{Table: r.bins()}}}}}
}

// reliability holds the probabilities of the first system against the truth.
func (r *Report) reliability() *plot {
	all, each := calibration(r.first().Pooled)
	most := 0.
	for _, b := range slices.Concat(append(each, all)...) {
		most = max(most, b.point().X, b.point().Y)
	}
	edge := 1.
	if most > 0 && most < .5 { // of rare atoms all points would be in a corner
		edge = 1.1 * most
	}
	p := newPlot("calibration", "Calibration of "+r.systemName(0), "mean probability of the bin", "share that is true", edge, 0, edge)
	p.line("guide", []point{{0, 0}, {edge, edge}})
	if len(each) > 1 {
		for _, b := range slices.Concat(each...) {
			p.dot("s0 faint", b.point(), 2)
		}
	}
	points, parts := make([]point, 0, len(all)), make([]string, 0, len(all))
	for _, b := range all {
		q := b.point()
		points, parts = append(points, q), append(parts, fmt.Sprintf("%s predicted, %s true", fixed(q.X, 3), fixed(q.Y, 3)))
		p.dot("s0", q, 4)
	}
	p.line("s0", points)
	p.Desc = "By bin: " + strings.Join(parts, "; ")
	p.Note = "At most ten bins of about as many atoms each: those of equal probability stay together. On the dotted line probabilities are what they say."
	if len(each) > 1 {
		p.Note += " Small points are the bins of single folds."
	}
	return p
}

// bins is the calibration as a table.
func (r *Report) bins() *table {
	t := newTable("Calibration of "+r.systemName(0)+", by bins of about as many atoms; those of equal probability stay together", "Bin", "#Atoms", "#Mean probability|4", "#Share that is true|4", "#Difference|+4")
	all, _ := calibration(r.first().Pooled)
	for i, b := range all {
		q := b.point()
		t.row(i+1, int64(b.atoms), q.X, q.Y, q.Y-q.X)
	}
	return t
}

// baseOf returns the outcome of the base rates, nil where these were not compared.
func (r *Report) baseOf() *crossval.Outcome {
	for i := 1; i < len(r.Cross.Systems); i++ {
		if name := r.Cross.Systems[i].Name; name == "base" || name == "base rate" {
			return &r.Cross.Systems[i]
		}
	}
	return nil
}
