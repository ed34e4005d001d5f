package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/render"
	"resolwe/internal/stage/inferring"
	"resolwe/kernels/explain"
)

// mostFailures is the maximum number of subgraphs listed, mostReasons that of reasons for an atom.
const (
	mostFailures = 15
	mostReasons  = 8
)

// failures lists the subgraphs that are predicted worst.
func (r *Report) failures() []block {
	figures, base := r.first().Figures, make([]float64, len(r.first().Figures)) // log-likelihoods of the base rates
	for i := range base {
		if base[i] = math.NaN(); r.baseOf() != nil {
			base[i] = r.baseOf().Figures[i].CLL
		}
	}
	var order []int
	var precisions []float64
	worse := 0
	for i, f := range figures {
		if f.Atoms > 0 {
			order = append(order, i)
		}
		if f.Ranked {
			precisions = append(precisions, f.AveragePrecision)
		}
		if f.CLL < base[i] {
			worse++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(figures[a].CLL, figures[b].CLL) })
	t := newTable("The subgraphs whose atoms are predicted worst, by log-likelihood",
		"Subgraph", "#Query atoms", "#Average precision|3", "#AUC-ROC|3", "#CLL|3", "#CLL of the base rate|3", "#Difference|+3")
	for _, i := range order[:min(len(order), mostFailures)] {
		f := figures[i]
		ap, auc := math.NaN(), math.NaN()
		if f.Ranked {
			ap, auc = f.AveragePrecision, f.AUC
		}
		t.row(cell{Text: named(r.Cross.Tested[i].Name), Class: "long"}, f.Atoms, ap, auc, f.CLL, base[i], f.CLL-base[i])
	}
	about := "How good the predictions are differs from subgraph to subgraph."
	if n := len(precisions); n > 1 {
		slices.Sort(precisions)
		about += fmt.Sprintf(" Average precision goes from %s to %s, with a median of %s, over the %s with both true and false atoms.",
			render.Fixed(precisions[0], 3), render.Fixed(precisions[n-1], 3), render.Fixed(precisions[n/2], 3), render.Count(n, "subgraph", "subgraphs"))
	}
	if r.baseOf() != nil {
		about += fmt.Sprintf(" The base rate alone has the better log-likelihood in %s of %s.", render.Grouped(int64(worse)), render.Count(len(order), "test subgraph", "test subgraphs"))
	}
	return []block{{Text: plain(about)}, {Table: t}}
}

// examples shows why some atoms have their probabilities.
func (r *Report) examples() (out []block) {
	for i := range r.Examples {
		e := &r.Examples[i]
		if e.Explanation != nil {
			out = append(out, block{Card: r.card(e)})
		}
	}
	if out == nil {
		return nil
	}
	lead := "Atoms of the data as the model predicts them, and why."
	if r.Task {
		lead = "Atoms of the data as the model that was selected on all of it predicts them, and why. It has seen their truth: the examples show how it reasons, not how good it is."
		if r.sampling() {
			lead += fmt.Sprintf(" They are the extremes among the %s subgraphs that were tested.", render.Grouped(int64(r.Fitted)))
		}
	}
	return append([]block{{Text: plain(lead)}}, out...)
}

// card explains an example.
func (r *Report) card(e *Example) *card {
	x := e.Explanation
	c := &card{Kind: e.Kind, Atom: render.Clip(e.Atom, 2*render.MostName)}
	c.Text = render.Join("In subgraph ", render.Name(e.Subgraph), fmt.Sprintf(": probability %s, log-odds %s. In the data it is %v.", render.Fixed(e.P, 3), render.Signed(x.LogOdds, 2), e.True))
	t := newTable("What adds to the log-odds", "Formula", "#Counts|2", "#Weight|3", "#Adds|+3")
	rest := 0.
	for k := range x.Reasons {
		reason := &x.Reasons[k]
		if k >= mostReasons {
			rest += reason.Value
			continue
		}
		f := r.Final.Formulas[reason.Formula]
		t.row(cell{Text: r.saidOf(reason), Code: render.Clip(mln.FormatFormula(f), 300), Class: "words"}, reason.Feature, f.Weight, reason.Value)
	}
	if n := len(x.Reasons) - mostReasons; n > 0 {
		t.row(render.Count(n, "more formula", "more formulas"), "", "", render.Signed(rest, 3))
	}
	t.row("Sum", "", "", render.Signed(x.Sum, 3))
	t.Rows[len(t.Rows)-1].Strong = true
	t.Sortable = false
	c.Table = t
	if len(x.Without) > 0 {
		c.Notes = append(c.Notes, without(x))
	}
	if x.Tied {
		c.Notes = append(c.Notes, plain(fmt.Sprintf("Formulas tie the atom to others, which are set to their probabilities here, as if independent: "+
			"so the sum, %s, is not the log-odds, %s.", render.Signed(x.Sum, 2), render.Signed(x.LogOdds, 2))))
	}
	if x.Constrained {
		c.Notes = append(c.Notes, plain("Hard formulas also restrict the atom; the sum does not include them."))
	}
	return c
}

// without says which evidence would reverse the decision if it were absent.
func without(x *explain.Explanation) render.Phrase {
	out, shown := plain("Without "), min(len(x.Without), mostReasons)
	for i, fact := range x.Without[:shown] {
		out = render.Join(out, render.Between(i, len(x.Without)), render.Name(fact))
	}
	if n := len(x.Without) - shown; n > 0 {
		out = render.Join(out, fmt.Sprintf(" and %d more", n))
	}
	return render.Join(out, fmt.Sprintf(" the log-odds would be %s.", render.Signed(x.Otherwise, 2)))
}

// saidOf names the neighbours that contribute most to a reason, or else its first groundings.
func (r *Report) saidOf(reason *explain.Reason) (out render.Phrase) {
	if reason.Groundings != nil && r.unit(r.Final.Formulas[reason.Formula]) {
		return plain("the baseline")
	}
	for i, n := range reason.Neighbours[:min(3, len(reason.Neighbours))] {
		out = render.Join(out, render.Either(i == 0, "by ", "; by "), render.Name(n.Atom), fmt.Sprintf(" (probability %s): %s", render.Fixed(n.Probability, 3), render.Signed(n.Value, 3)))
	}
	if out != nil {
		return out
	}
	for i, g := range reason.Groundings {
		for k, b := range g {
			out = render.Join(out, render.Either(k > 0, ", ", render.Either(i > 0, "; ", "as with ")), render.Clip(b.Variable, render.MostName)+" = ", render.Name(b.Entity))
		}
	}
	return out
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
			c.Note = "in " + render.Clip(w.Subgraph, render.MostName)
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
	if len(notes) == 0 {
		notes = []render.Phrase{plain("No warnings: all weights that were learned reached the optimum, and no marginal is doubtful.")}
	}
	return []block{{Text: plain(r.sampled())}, {Table: t}, {List: notes[:min(len(notes), 50)]}}
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

// again says how to reproduce the report.
func (r *Report) again() []block {
	out := []block{{Text: plain("The same command on the same files gives the same page, byte for byte but for times, with any number of workers and on any processor.")}}
	if r.About.Command != "" {
		out = append(out, block{Code: render.Clip(r.About.Command, 4000)})
	}
	if len(r.About.Inputs) > 0 {
		t := newTable("Files that were read", "File", "#Bytes", "SHA-256")
		for _, in := range r.About.Inputs[:min(len(r.About.Inputs), 100)] {
			t.row(cell{Text: named(in.Path), Class: "long"}, in.Bytes, cell{Code: in.SHA256, Class: "long"})
		}
		out = append(out, block{Table: t})
	}
	if r.About.Version != "" {
		out = append(out, block{Small: "Made by " + r.About.Version + "."})
	}
	return out
}
