package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"resolwe/crossval"
	"resolwe/format/mln"
	"resolwe/internal/render"
	"resolwe/internal/stage/selecting"
)

// page combines the sections.
func (r *Report) page() *page {
	file := "a model"
	if files := r.Model.Files(); len(files) > 0 {
		file = render.Clip(files[0], render.MostPath)
	}
	heading := render.Join("What predicts ", render.Name(r.targets()))
	sections := []section{
		{"brief", "In brief", r.brief()},
		{"data", "Data", r.data()},
		{"accuracy", "Accuracy", r.accuracy()},
		{"curves", "Curves and calibration", r.curves()},
		{"watch", "Over the stream", r.watched()},
		{"grow", "What to fetch", r.grown()},
		{"path", "Path of selection", r.paths()},
		{"formulas", "Formulas", r.formulas()},
		{"failures", "Where it fails", r.failures()},
		{"examples", "Explained examples", r.examples()},
		{"limits", "Intended use and limits", r.limits()},
		{"diagnostics", "Diagnostics", r.diagnostics()},
		{"times", "Times", r.times()},
		{"reading", "How to read this page", []block{{Reading: true}}},
		{"again", "How to make it again", r.again()},
	}
	sections = slices.DeleteFunc(sections, func(s section) bool { return len(s.Blocks) == 0 })
	return &page{Title: heading.String(), Heading: heading, Over: "resolwe report on " + file, Footer: r.About.Version, Sections: sections}
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

// brief summarises the results.
func (r *Report) brief() []block {
	atoms, share := r.atoms()
	first := r.first()
	about := render.Join(r.doubts(), "The model predicts "+render.Grouped(atoms)+" cases, the query atoms of ", render.Name(r.targets()), fmt.Sprintf(
		" in %s; %s of them are true. ", render.Count(r.Data.Subgraphs, "subgraph", "subgraphs"), render.Percent(share)))
	data := fmt.Sprintf("The model has %s and came with its weights%s. The figures below are of the data given: if the model was made from the same data, they "+
		"flatter it", render.Count(len(r.Final.Formulas), "formula", "formulas"), established("; selection by gain had kept ", r.Final.Formulas))
	if r.Task {
		data = fmt.Sprintf("Of %s, selection by gain keeps %s. The figures below are of held-out data: %s", render.Count(r.Candidates, "candidate formula", "candidate formulas"),
			cmp.Or(established("", r.Selection.Selected), "none"), r.heldOut())
	}
	tiles := []tile{
		{"Calibration error", render.Fixed(first.CalibrationError, 3), "", ""},
		{"Precision, first 1%", render.Fixed(first.Top.Precision[2], 3), "lift " + render.Fixed(first.Top.Lift[2], 2), ""},
	}
	base := r.baseOf()
	for _, h := range slices.Backward(r.headline()) {
		t, v := tile{Label: h.name}, h.of(first)
		if t.Value, t.Note = render.Fixed(v.Value, 3), v.brackets(3); base != nil {
			t.Beside = "base rate: " + render.Fixed(h.of(base).Value, 3)
		}
		tiles = slices.Insert(tiles, 0, t)
	}
	if base != nil {
		n := len(tiles)
		tiles[n-2].Beside, tiles[n-1].Beside = "base rate: "+render.Fixed(base.CalibrationError, 3), "base rate: "+render.Fixed(base.Top.Precision[2], 3)
	}
	lead, each := r.verdict()
	out := []block{{Text: render.Join(about, data+". Brackets hold 95% intervals over "+r.clusters()+".")}, {Tiles: tiles}, {Text: plain(lead)}, {List: each}}
	if strongest := r.strongest(3); len(strongest) > 0 {
		out = append(out, block{Text: plain("The formulas that move the log-odds most, by weight times standard deviation:")}, block{List: strongest})
	}
	return out
}

// established says how many of the formulas were selected by gain, and are established; nothing if none was selected.
func established(lead string, formulas []*mln.Formula) string {
	selected, established := 0, 0
	for _, f := range formulas {
		if f.Standing != mln.StandingNone {
			selected++
		}
		if f.Standing == mln.StandingEstablished {
			established++
		}
	}
	if selected == 0 {
		return ""
	}
	return fmt.Sprintf("%s%s, of which %s established", lead, render.Grouped(int64(selected)), render.Count(established, "is", "are"))
}

// headlined is a measure in brief, with its interval.
type headlined struct {
	name string
	of   func(*crossval.Outcome) Interval
}

// headline returns the measures that say how good a system is: of a row task those that pool its atoms.
func (r *Report) headline() []headlined {
	if r.Cross.RowTask() {
		return []headlined{
			{"AUC-ROC", func(o *crossval.Outcome) Interval { return pooledOf(o)[0] }},
			{"AUC-PR", func(o *crossval.Outcome) Interval { return pooledOf(o)[1] }},
			{"Log-loss", func(o *crossval.Outcome) Interval { return pooledOf(o)[2] }},
			{"Accuracy", func(o *crossval.Outcome) Interval { return pooledOf(o)[3] }},
		}
	}
	return []headlined{
		{"Average precision", func(o *crossval.Outcome) Interval { return measuresOf(o.Figures)[0] }},
		{"AUC-ROC", func(o *crossval.Outcome) Interval { return measuresOf(o.Figures)[1] }},
		{"Log-likelihood (CLL)", func(o *crossval.Outcome) Interval { return measuresOf(o.Figures)[2] }},
	}
}

// clusters names what intervals are over.
func (r *Report) clusters() string {
	return render.Either(r.Cross.RowTask() && r.first().Intervals.ByUnit, "what the atoms are about", "subgraphs")
}

// atoms returns the number of query atoms with known truth, and the share of true ones.
func (r *Report) atoms() (n int64, share float64) {
	positives := int64(0)
	for _, p := range r.Data.Predicates {
		if p.Target {
			n, positives = n+p.Facts+p.Denied, positives+p.Facts
		}
	}
	return n, float64(positives) / float64(n)
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

// verdict compares the first system with the best of the others, by each measure.
func (r *Report) verdict() (lead string, each []render.Phrase) {
	adjusted := holm(r.Cross.Tests)
	found := map[string][]string{} // names of measures, by verdict
	for _, m := range judged {
		best, other := -1, (*crossval.Outcome)(nil)
		for i, t := range r.Cross.Tests {
			o := &r.Cross.Systems[1+i*(len(r.Cross.Systems)-1)/len(r.Cross.Tests)]
			if v := m.of(o); t.Measure == m.key && !math.IsNaN(v+m.of(r.first())) && (best < 0 || v > m.of(other)) {
				best, other = i, o
			}
		}
		if best < 0 {
			continue
		}
		t := &r.Cross.Tests[best]
		word := "not clearly different"
		switch {
		case r.Cross.Few() || math.IsNaN(adjusted[best]):
			word = "not testable"
		case adjusted[best] < .05 && t.MeanDifference > 0:
			word = "better"
		case adjusted[best] < .05:
			word = "worse"
		}
		found[word] = append(found[word], m.name)
		p := render.Either(r.Cross.Few(), "", ", adjusted p "+render.Probability(adjusted[best]))
		each = append(each, render.Join(fmt.Sprintf("%s: %s, against %s of ", m.name, render.Fixed(m.of(r.first()), 3), render.Fixed(m.of(other), 3)), render.Name(other.Name),
			fmt.Sprintf("; difference %s %s%s: %s.", render.Signed(t.MeanDifference, 3), Interval{t.MeanDifference, t.CI95[0], t.CI95[1]}.brackets(3), p, word)))
	}
	if len(each) == 0 {
		return "No other system was compared that ranks these atoms.", nil
	}
	if r.Cross.Few() {
		return "There are fewer than ten test subgraphs: the unit is too coarse for tests. Compared with the best other system on each measure:", each
	}
	var parts []string
	for _, word := range []string{"better", "worse", "not clearly different", "not testable"} {
		if list := found[word]; list != nil {
			on := plain(word + " on ")
			for i, measure := range list {
				on = render.Join(on, render.Between(i, len(list)), measure)
			}
			parts = append(parts, on.String())
		}
	}
	return fmt.Sprintf("Compared with the best other system on each measure, %s is %s at the 5%% level.",
		r.systemName(0), strings.Join(parts, ", ")), each
}

// strongest describes the formulas that move the log-odds most, among those whose direction is clear from the data.
func (r *Report) strongest(most int) (out []render.Phrase) {
	for _, i := range r.byEffect() {
		if f := &r.Formulas[i]; len(out) < most && f.effect() > 0 && !f.unclear() && f.Formula.Standing != mln.StandingAlso {
			out = append(out, r.said(f))
		}
	}
	return out
}

// unclear reports whether the sign of the weight is uncertain.
func (f *Weighed) unclear() bool { return f.Weight.Low <= 0 && f.Weight.High >= 0 }

// effect returns how much the formula moves the log-odds: its weight times its feature's standard deviation. The gain would be
// misleading, because it is relative to the earlier formulas, and later ones may replace it.
func (f *Weighed) effect() float64 {
	if v := math.Abs(f.Weight.Value) * f.Deviation; f.Formula.HasWeight && v > 0 {
		return v
	}
	return 0
}

// data describes the contents of the stream.
func (r *Report) data() []block {
	d := &r.Data
	facts := newTable("Predicates that the model declares, over all subgraphs", "Predicate", "Role", "#Facts", "#Per subgraph|1", "#Subgraphs without", "#Missing")
	targets := newTable("What is predicted", "Target", "#Query atoms", "#True", "#Share|3", "#Unknown", "#Fewest in a subgraph", "#Median", "#Most")
	for i := range d.Predicates {
		p := &d.Predicates[i]
		declaration, role := cell{Code: render.Clip(p.Declaration, render.MostName)}, "evidence"
		missing := text("–")
		if p.Target {
			role = "target"
			least, median, most := p.Size()
			targets.row(declaration, p.Facts+p.Denied, p.Facts, float64(p.Facts)/float64(p.Facts+p.Denied), p.Unknown, least, median, most)
		} else if args := r.Model.Schema.Predicates[i].Args; len(args) > 1 {
			missing = percentCell(Interval{1 - float64(p.Having)/float64(d.Entities[args[0]]), math.NaN(), math.NaN()})
		}
		facts.row(declaration, role, p.Facts, float64(p.Facts)/float64(d.Subgraphs), p.Without, missing)
	}
	types := newTable("Entities, added up over subgraphs: one that is in several counts in each", "Type", "#Entities", "#Per subgraph|1")
	for t, n := range d.Entities {
		types.row(cell{Code: render.Clip(r.Model.Schema.TypeText(t), render.MostName)}, n, float64(n)/float64(d.Subgraphs))
	}
	about := fmt.Sprintf("The stream has %s. ", render.Count(d.Subgraphs, "subgraph", "subgraphs"))
	if len(d.Folds) > 0 {
		about += fmt.Sprintf("It names %s. ", render.Count(len(d.Folds), "fold", "folds"))
	}
	if first, last := d.span(); first != last {
		about += fmt.Sprintf("Their times go from %v to %v. ", first, last)
	}
	about += "Subgraphs are the units of all intervals and tests on this page, because the atoms of a subgraph depend on one another."
	out := []block{{Text: plain(about)}, {Table: targets}}
	if p := d.course(); p != nil {
		out = append(out, block{Plots: []*plot{p}})
	}
	return append(out, block{Fold: &fold{fmt.Sprintf("%s, %s, missing values", render.Count(len(d.Predicates), "predicate", "predicates"), render.Count(len(d.Entities), "type", "types")), []block{
		{Table: facts}, {Small: "Missing: the share of the entities of the first argument's type for which no fact is stated. For a value that each entity should have, such " +
			"as an age, it is a missing value; for a relation such as friendship, an entity without partners."}, {Table: types},
	}}})
}

// limits says what the model is intended for, as far as the data and the run show.
func (r *Report) limits() []block {
	_, share := r.atoms()
	made := "in a subgraph that is made as these were: from the same source, by the same rules"
	if first, last := r.Data.span(); first != last {
		made += fmt.Sprintf(", from %v to %v", first, last)
	}
	list := []render.Phrase{
		render.Join("The model gives a probability to each query atom of ", render.Name(r.targets()), " "+made+"."),
		plain("It uses the evidence in the subgraph alone. A fact that is not stated there counts as false."),
		plain(fmt.Sprintf("Its probabilities suit data in which about as many atoms are true as here (%s). At other rates they still rank, but their level is off.", render.Percent(share))),
		plain("Formulas describe associations in these data. They do not say what would happen if somebody changed the evidence."),
	}
	switch {
	case !r.Task:
		list = append(list, plain("The figures are of the data given. Whether these were used to make the model is not known here."))
	case r.inTime():
		list = append(list, plain("It was tested on later data of the same source, not on other sources."))
	default:
		list = append(list, plain("It was tested on folds of one source. How well it predicts later data, or other sources, was not measured."))
	}
	if r.Task && r.Cross.Null == nil {
		list = append(list, plain("No null stream was given, so it was not tested whether the way candidates were drawn gives the answers away (build --null)."))
	}
	return []block{{List: append(list, plain("Who may use the model, and for which decisions, is not in the data: its makers have to say so."))}}
}
