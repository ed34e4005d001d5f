package report

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"resolwe"
	"resolwe/crossval"
)

// page puts the sections together.
func (r *Report) page() *page {
	name := "a model"
	if files := r.Model.Files(); len(files) > 0 {
		name = clip(filepath.Base(files[0]), mostName)
	}
	heading := Phrase{{Text: "What predicts "}, {r.targets(), true}}
	p := &page{Title: heading.String(), Heading: heading, Over: "resolwe report on " + name, Footer: r.About.Version}
	add := func(id, title string, blocks []block) {
		if len(blocks) > 0 {
			p.Sections = append(p.Sections, section{id, title, blocks})
		}
	}
	add("brief", "In brief", r.brief())
	add("data", "Data", r.data())
	add("accuracy", "Accuracy", r.accuracy())
	add("curves", "Curves and calibration", r.curves())
	add("path", "Path of selection", r.paths())
	add("formulas", "Formulas", r.formulas())
	add("failures", "Where it fails", r.failures())
	add("examples", "Explained examples", r.examples())
	add("diagnostics", "Diagnostics", r.diagnostics())
	add("times", "Times", r.times())
	add("reading", "How to read this page", []block{{Reading: true}})
	add("again", "How to make it again", r.again())
	return p
}

// targets names what is predicted.
func (r *Report) targets() string {
	var names []string
	for i, p := range r.Data.Predicates {
		if p.Target {
			names = append(names, clip(r.Model.Schema.Predicates[i].Name, mostName))
		}
	}
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// first is the system that the report is of.
func (r *Report) first() *crossval.Outcome { return &r.Cross.Systems[0] }

// brief says what came out.
func (r *Report) brief() []block {
	atoms, positives := int64(0), int64(0)
	for _, p := range r.Data.Predicates {
		if p.Target {
			atoms, positives = atoms+p.Facts+p.Denied, positives+p.Facts
		}
	}
	first, m := r.first(), measuresOf(r.first().Figures)
	about := Phrase{{Text: "To be predicted are "}, {Text: grouped(atoms)}, {Text: " atoms of "}, {r.targets(), true}, {Text: fmt.Sprintf(
		" in %s, of which %s are true. ", count(r.Data.Subgraphs, "subgraph", "subgraphs"), percent(float64(positives)/float64(atoms)))}}
	tiles := []tile{
		{"Average precision", fixed(m.AP.Value, 3), m.AP.brackets(3), ""},
		{"AUC-ROC", fixed(m.AUC.Value, 3), m.AUC.brackets(3), ""},
		{"Log-likelihood (CLL)", fixed(m.CLL.Value, 3), m.CLL.brackets(3), ""},
		{"Calibration error", fixed(first.CalibrationError, 3), "", ""},
	}
	if base := r.baseOf(); base != nil {
		b := measuresOf(base.Figures)
		for i, v := range []float64{b.AP.Value, b.AUC.Value, b.CLL.Value, base.CalibrationError} {
			tiles[i].Beside = "base rate: " + fixed(v, 3)
		}
	}
	about = append(r.doubts(), about...)
	if r.Task {
		about = append(about, Piece{Text: fmt.Sprintf(
			"Of %s, selection by gain keeps %s. The figures below are of subgraphs that training has not seen (%s), each with a 95%% interval over subgraphs.",
			count(r.Candidates, "candidate formula", "candidate formulas"), count(r.selected(), "formula", "formulas"), r.heldOut())})
	} else {
		about = append(about, Piece{Text: fmt.Sprintf(
			"The model has %s and came with its weights. The figures below are of the data given: where the model was made from the same data, they flatter it. Intervals are 95%% intervals over subgraphs.",
			count(len(r.Final.Formulas), "formula", "formulas"))})
	}
	out := []block{{Text: about}, {Tiles: tiles}, {Text: plain(r.verdict())}}
	if strongest := r.strongest(3); len(strongest) > 0 {
		out = append(out, block{Text: plain("The formulas that move the log-odds most, by weight times standard deviation:")}, block{List: strongest})
	}
	return out
}

// doubts says what of the result may be no success.
func (r *Report) doubts() (out Phrase) {
	resolwe.TellDoubts(r.Cross.Doubts, func(text string) { out = append(out, Piece{Text: clip(text, mostDoubt) + ". "}) })
	if n := r.Cross.Null; n != nil && n.Tells() {
		out = append(out, Piece{Text: fmt.Sprintf("How candidates were drawn tells true from false: on the null stream, where the target has nothing to do with "+
			"the rest, %s has a mean average precision of %s, the base rates %s. ", r.systemName(0), fixed(n.System.MAP, 3), fixed(n.Base.MAP, 3))})
	}
	return out
}

const mostDoubt = 300 // characters of a doubt

// selected returns how many formulas were selected.
func (r *Report) selected() int { return len(r.Selection.Selected) }

// heldOut says what was tested on.
func (r *Report) heldOut() string {
	switch cross := r.options.Cross; {
	case cross.From.Known:
		return fmt.Sprintf("trained on what is before %v, tested on the rest", cross.From)
	case cross.Split != 0:
		return fmt.Sprintf("trained on the first %s of the stream, tested on the rest", percent(cross.Split))
	}
	text := fmt.Sprintf("cross-validation, %d folds", r.Cross.Folds)
	if r.sampling() {
		text += fmt.Sprintf(", tested on %s of %s subgraphs, drawn at random", grouped(int64(len(r.Cross.Tested))), grouped(int64(r.Data.Subgraphs)))
	}
	return text
}

// sampling reports whether only some subgraphs of the folds were tested.
func (r *Report) sampling() bool {
	opt := &r.options.Cross
	return r.Task && opt.Test > 0 && !opt.InTime() && len(r.Cross.Tested) < r.Data.Subgraphs
}

// verdict compares the first system with the best of the others.
func (r *Report) verdict() string {
	first := r.first()
	best := -1
	for i := 1; i < len(r.Cross.Systems); i++ {
		if v := r.Cross.Systems[i].MAP; !math.IsNaN(v) && (best < 0 || v > r.Cross.Systems[best].MAP) {
			best = i
		}
	}
	if best < 0 || math.IsNaN(first.MAP) {
		return "No other system was compared that ranks these atoms."
	}
	other := &r.Cross.Systems[best]
	adjusted := holm(r.Cross.Tests)
	for i, t := range r.Cross.Tests {
		if t.Measure != "map" || t.Against != other.Name {
			continue
		}
		difference := Interval{t.MeanDifference, t.CI95[0], t.CI95[1]}
		word := "the data do not tell which of the two is better"
		switch {
		case math.IsNaN(adjusted[i]):
			word = "there are too few subgraphs for a test"
		case adjusted[i] < .05 && t.MeanDifference > 0:
			word = "significantly better at the 5% level"
		case adjusted[i] < .05:
			word = "significantly worse at the 5% level"
		}
		which := "The strongest of the systems compared"
		if len(r.Cross.Systems) == 2 {
			which = "The system compared"
		}
		text := fmt.Sprintf("%s, %s, has a mean average precision of %s. The difference is %s %s",
			which, r.systemName(best), fixed(other.MAP, 3), signed(t.MeanDifference, 3), difference.brackets(3))
		if r.Cross.Few() {
			return text + ": there are fewer than ten test subgraphs, too coarse a unit for tests."
		}
		return fmt.Sprintf("%s, %s adjusted for the number of tests: %s.", text, equals(probability(adjusted[i])), word)
	}
	return ""
}

// equals puts p before what probability prints.
func equals(p string) string {
	if strings.HasPrefix(p, "<") {
		return "p " + p
	}
	return "p = " + p
}

// strongest says the formulas that move the log-odds most.
func (r *Report) strongest(most int) (out []Phrase) {
	var list []*Weighed
	for i := range r.Formulas {
		if f := &r.Formulas[i]; f.effect() > 0 {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b *Weighed) int { return cmp.Compare(b.effect(), a.effect()) })
	for _, f := range list[:min(most, len(list))] {
		out = append(out, r.said(f))
	}
	return out
}

// effect is by how much the formula moves the log-odds: its weight times its feature's standard deviation. The gain would not do: it
// is that over the formulas before it, and later ones may take its place.
func (f *Weighed) effect() float64 {
	if v := math.Abs(f.Weight.Value) * f.Deviation; f.Formula.HasWeight && v > 0 {
		return v
	}
	return 0
}

// data says what the stream holds.
func (r *Report) data() []block {
	facts := newTable("Predicates that the model declares, over all subgraphs", "Predicate", "Role", "#Facts", "#Per subgraph|1", "#Subgraphs without")
	for i := range r.Data.Predicates {
		p := &r.Data.Predicates[i]
		role := "evidence"
		if p.Target {
			role = "target"
		}
		facts.row(cell{Code: clip(p.Declaration, mostName)}, role, p.Facts, float64(p.Facts)/float64(r.Data.Subgraphs), p.Without)
	}
	targets := newTable("What is predicted", "Target", "#Query atoms", "#True", "#Share|3", "#Unknown", "#Fewest in a subgraph", "#Median", "#Most")
	for i := range r.Data.Predicates {
		p := &r.Data.Predicates[i]
		if !p.Target {
			continue
		}
		least, median, most := p.Size()
		targets.row(cell{Code: clip(p.Declaration, mostName)}, p.Facts+p.Denied, p.Facts, float64(p.Facts)/float64(p.Facts+p.Denied), p.Unknown,
			least, median, most)
	}
	types := newTable("Entities, added up over subgraphs: one that is in several counts in each", "Type", "#Entities", "#Per subgraph|1")
	for _, t := range r.Data.Types {
		types.row(cell{Code: clip(t.Name, mostName)}, t.Entities, float64(t.Entities)/float64(r.Data.Subgraphs))
	}
	about := fmt.Sprintf("The stream has %s. ", count(r.Data.Subgraphs, "subgraph", "subgraphs"))
	if len(r.Data.Folds) > 0 {
		about += fmt.Sprintf("It names %d folds. ", len(r.Data.Folds))
	}
	about += "Subgraphs are the units of all intervals and tests on this page: atoms of one subgraph depend on one another."
	return []block{{Text: plain(about)}, {Table: targets}, {Table: facts}, {Table: types}}
}
