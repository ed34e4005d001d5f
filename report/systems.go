package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"resolwe/crossval"
	"resolwe/internal/render"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/stage/selecting"
	"resolwe/kernels/rank"
)

// specialists lays out what only those who know the method need.
func (r *Report) specialists() []block {
	return slices.Concat(r.systems(), r.paths(), r.formulas(), r.diagnostics(), r.times(), []block{{Heading: "Terms", Terms: true}})
}

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

// systems shows the systems side by side.
func (r *Report) systems() []block {
	over := newTable("Means over subgraphs, with 95% intervals", "System", "#MAP|3", "#AUC‑ROC|3", "#CLL|3", "#Brier|3")
	pooled := newTable("Measures of the pooled atoms, with 95% intervals by a bootstrap over "+r.clusters(),
		"System", "#Pooled AUC‑ROC|3", "#AUC‑PR|3", "#Log-loss|3", "#Accuracy|3", "#Calibration error|3", "#Formulas")
	line := func(s *crossval.Outcome) {
		m, all := measuresOf(s.Figures), pooledOf(s)
		name := cell{Text: named(s.Name), Note: systemNotes[s.Name], Class: "long"}
		over.row(cell{Text: named(s.Name)}, m[0], m[1], m[2], m[3].Value)
		pooled.row(name, all[0], all[1], all[2], all[3], s.CalibrationError, r.sizes(s))
	}
	for i := range r.Cross.Systems {
		line(&r.Cross.Systems[i])
	}
	over.Rows[0].Strong, pooled.Rows[0].Strong = true, true
	if n := r.Cross.Null; n != nil {
		line(&n.System)
	}
	out := []block{{Heading: "Systems", Text: plain(r.tested())}, {Table: pooled}}
	if !r.Cross.RowTask() {
		out = slices.Insert(out, 1, block{Table: over})
	}
	return slices.Concat(out, r.tests(), []block{{Plots: r.curves()}})
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
	return text + "MAP, AUC-ROC, CLL and the Brier score are means over test subgraphs; the other measures are of all atoms of a fold together, averaged over folds."
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
	if len(r.Cross.Tests) == 0 {
		return nil
	}
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
	return []block{{Table: t}, {Small: plain(note)}}
}

// curves draws ROC and precision-recall curves.
func (r *Report) curves() []*plot {
	roc := r.curvesOf("ROC curves", "share of the false atoms above the threshold", "share of the true ones", truePositives, func(o *crossval.Outcome) float64 { return o.AUCROCPooled })
	roc.line("base", point{0, 0}, point{1, 1})
	return []*plot{roc, r.curvesOf("Precision-recall curves", "share of the true atoms above the threshold", "share true of those above", precision, func(o *crossval.Outcome) float64 { return o.AUCPR })}
}

// curvesOf draws the curves of a kind, the first system's on top.
func (r *Report) curvesOf(title, xLabel, yLabel string, curve func([]rank.Run, float64) float64, area func(*crossval.Outcome) float64) *plot {
	p := framed(title, xLabel, yLabel, axis{to: 1}, axis{to: 1}, wholePercents, wholePercents)
	p.Note, p.Alt = "Means of the curves of the folds, which pool atoms of different subgraphs; the numbers are their areas.", title+": "
	for i, s := range slices.Backward(r.Cross.Systems) {
		p.line(seriesClass(i), averaged(s.Pooled, curve)...)
	}
	for i := range r.Cross.Systems {
		about := r.systemName(i) + " " + render.Fixed(area(&r.Cross.Systems[i]), 3)
		p.note(seriesClass(i), about)
		p.Alt += about + "; "
	}
	return p
}

// targets names the target predicates.
func (r *Report) targets() string {
	var names []string
	for i, p := range r.Data.Predicates {
		if p.Target {
			names = append(names, render.Clip(r.Model.Schema.Predicates[i].Name, render.MostName))
		}
	}
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// first returns the system that the report describes.
func (r *Report) first() *crossval.Outcome { return &r.Cross.Systems[0] }

// clusters names what intervals are over.
func (r *Report) clusters() string {
	return render.Either(r.Cross.RowTask() && r.first().Intervals.ByUnit, "what the atoms are about", "subgraphs")
}

// atoms returns the number of query atoms with known truth, and of true ones.
func (r *Report) atoms() (n, positives int64) {
	for _, p := range r.Data.Predicates {
		if p.Target {
			n, positives = n+p.Facts+p.Denied, positives+p.Facts
		}
	}
	return n, positives
}

// doubts says why the result may not be a success.
func (r *Report) doubts() (out render.Phrase) {
	selecting.TellDoubts(r.Cross.Doubts, func(text string) { out = render.Join(out, render.Clip(text, 300)+". ") })
	if n := r.Cross.Null; n != nil && n.Tells() {
		by, _, measure := n.Excess()
		out = render.Join(out, fmt.Sprintf("How candidates were drawn tells true from false: on the null stream, where the target has nothing to do with "+
			"the rest, %s exceeds the base rates by %s of %s. ", r.systemName(0), render.Fixed(by, 3), measure))
	}
	return out
}

// heldOut says which data the systems were tested on.
func (r *Report) heldOut() string {
	switch cross := r.options.Cross; {
	case cross.From.Known:
		return fmt.Sprintf("trained on what is before %v, tested on the rest", cross.From)
	case cross.Split != 0:
		return fmt.Sprintf("trained on the first %s of the stream, tested on the rest", render.Percent(cross.Split))
	case len(r.Cross.From) > 0:
		return fmt.Sprintf("each of %d parts was predicted by a model trained only on what is before it", r.Cross.Finished)
	}
	text := fmt.Sprintf("each of %d folds was predicted by a model selected and trained only on the other folds", r.Cross.Finished)
	if r.sampling() {
		text += fmt.Sprintf(", and tested on %s of %s subgraphs, drawn at random", render.Grouped(int64(len(r.Cross.Tested))), render.Grouped(int64(r.Data.Subgraphs)))
	}
	return text
}

// inTime reports whether test data are later in the stream than training data.
func (r *Report) inTime() bool { return r.options.Cross.InTime() || len(r.Cross.From) > 0 }

// sampling reports whether only some subgraphs of the folds were tested.
func (r *Report) sampling() bool {
	opt := &r.options.Cross
	return r.Task && opt.Test > 0 && !r.inTime() && len(r.Cross.Tested) < r.Data.Subgraphs
}

// judge is a measure of a system.
type judge struct {
	key, name string
	of        func(*crossval.Outcome) float64
}

// judged are the measures by which systems are compared.
var judged = []judge{
	{"map", "MAP", func(o *crossval.Outcome) float64 { return o.MAP }},
	{"auc_roc", "AUC-ROC", func(o *crossval.Outcome) float64 { return o.AUCROC }},
	{"cll", "CLL", func(o *crossval.Outcome) float64 { return o.CLL }},
}

// point is a point of a curve.
type point struct{ X, Y float64 }

// averaged returns the mean over folds of a curve at x = 0, .01, .., 1 (vertical averaging: Fawcett, Pattern Recognition Letters
// 27, 2006). Folds without a curve are left out.
func averaged(folds []inferring.Pooled, curve func(runs []rank.Run, x float64) float64) []point {
	var out []point
	for i := range 101 {
		x, sum, n := float64(i)/100, 0., 0
		for _, f := range folds {
			if y := curve(f.Curve, x); !math.IsNaN(y) {
				sum += y
				n++
			}
		}
		if n == 0 {
			return nil
		}
		out = append(out, point{x, sum / float64(n)})
	}
	return out
}

// totals returns the true and the false atoms of a ranking.
func totals(runs []rank.Run) (positives, negatives float64) {
	for _, r := range runs {
		positives += float64(r.True)
		negatives += float64(r.False)
	}
	return positives, negatives
}

// truePositives returns the share of true atoms above the threshold that has the given share of false atoms above it, interpolated
// linearly within a run of ties: the ROC curve.
func truePositives(runs []rank.Run, x float64) float64 {
	positives, negatives := totals(runs)
	if positives == 0 || negatives == 0 {
		return math.NaN()
	}
	tp, fp := 0., 0.
	for _, r := range runs {
		up, right := float64(r.True)/positives, float64(r.False)/negatives
		if right > 0 && fp+right > x {
			return tp + float64(up*(x-fp)/right)
		}
		tp, fp = tp+up, fp+right
	}
	return 1
}

// precision returns the share of true atoms among those above the threshold that has the given share of true atoms above it,
// interpolated within a run of ties as by Davis and Goadrich (2006): the precision-recall curve.
func precision(runs []rank.Run, x float64) float64 {
	positives, negatives := totals(runs)
	if positives == 0 || negatives == 0 {
		return math.NaN()
	}
	tp, fp, want := 0., 0., float64(x*positives)
	for _, r := range runs {
		up, right := float64(r.True), float64(r.False)
		if up > 0 && tp+up >= want {
			part := (want - tp) / up
			if tp+fp+part == 0 { // at the start
				return up / (up + right)
			}
			return want / (want + fp + float64(part*right))
		}
		tp, fp = tp+up, fp+right
	}
	return positives / (positives + negatives)
}
