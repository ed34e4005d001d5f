package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/kernels/explain"
)

// mostFailures is how many subgraphs, and mostReasons how many reasons of an atom the page lists.
const (
	mostFailures = 15
	mostReasons  = 8
)

// failures lists the subgraphs that are predicted worst.
func (r *Report) failures() []block {
	first, base := r.first(), r.baseOf()
	var order []int
	worse, compared := 0, 0
	for i, f := range first.Figures {
		if f.Atoms == 0 {
			continue
		}
		order = append(order, i)
		if base != nil {
			compared++
			if f.CLL < base.Figures[i].CLL {
				worse++
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(first.Figures[a].CLL, first.Figures[b].CLL) })
	titles := []string{"Subgraph", "#Query atoms", "#Average precision|3", "#AUC-ROC|3", "#CLL|3"}
	if base != nil {
		titles = append(titles, "#CLL of the base rate|3", "#Difference|+3")
	}
	t := newTable("The subgraphs whose atoms are predicted worst, by log-likelihood", titles...)
	for _, i := range order[:min(len(order), mostFailures)] {
		f := first.Figures[i]
		ap, auc := math.NaN(), math.NaN()
		if f.Ranked {
			ap, auc = f.AveragePrecision, f.AUC
		}
		cells := []any{cell{Text: named(r.Cross.Tested[i].Name), Class: "long"}, f.Atoms, ap, auc, f.CLL}
		if base != nil {
			cells = append(cells, base.Figures[i].CLL, f.CLL-base.Figures[i].CLL)
		}
		t.row(cells...)
	}
	about := "How good the predictions are differs from subgraph to subgraph."
	if compared > 0 {
		about += fmt.Sprintf(" In %s of %d test subgraphs the base rate alone has the better log-likelihood.", grouped(int64(worse)), compared)
	}
	out := []block{{Text: plain(about)}}
	if h := r.histogram(); h != nil {
		out = append(out, block{Plots: []*plot{h}})
	}
	return append(out, block{Table: t})
}

// histogram draws how average precision is spread over subgraphs.
func (r *Report) histogram() *plot {
	const columns = 20
	var counts [columns]float64
	n, most := 0, 0.
	for _, f := range r.first().Figures {
		if f.Ranked {
			n++
			at := min(columns-1, int(f.AveragePrecision*columns))
			counts[at]++
			most = max(most, counts[at])
		}
	}
	if n < 2 {
		return nil
	}
	p := newPlot("spread", "Average precision of the test subgraphs", "average precision", "subgraphs", 1, 0, most*1.05)
	var parts []string
	for i, c := range counts {
		if c == 0 {
			continue
		}
		from, to := float64(i)/columns, float64(i+1)/columns
		title := fmt.Sprintf("%s to %s: %d", fixed(from, 2), fixed(to, 2), int(c))
		p.bar(from, to, c, title)
		parts = append(parts, title)
	}
	p.Desc = "Subgraphs by average precision. " + strings.Join(parts, "; ")
	p.Note = count(n, "subgraph", "subgraphs") + " with both true and false atoms."
	return p
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
			lead += fmt.Sprintf(" They are the extremes among the %s subgraphs that were tested.", grouped(int64(r.Fitted)))
		}
	}
	return append([]block{{Text: plain(lead)}}, out...)
}

// card explains an example.
func (r *Report) card(e *Example) *card {
	x := e.Explanation
	truth := map[bool]string{true: "true", false: "false"}[e.True]
	c := &card{Kind: e.Kind, Atom: clip(e.Atom, 2*mostName)}
	c.Text = Phrase{{Text: "In subgraph "}, {clip(e.Subgraph, mostName), true}, {Text: fmt.Sprintf(
		": probability %s, log-odds %s. In the data it is %s.", fixed(e.P, 3), signed(x.LogOdds, 2), truth)}}
	t := newTable("What adds to the log-odds", "Formula", "#Counts|2", "#Weight|3", "#Adds|+3")
	rest := 0.
	for k := range x.Reasons {
		reason := &x.Reasons[k]
		if k >= mostReasons {
			rest += reason.Value
			continue
		}
		f := r.Final.Formulas[reason.Formula]
		t.row(cell{Text: r.saidOf(reason), Code: clip(mln.FormatFormula(f), 300), Class: "words"}, reason.Feature, f.Weight, reason.Value)
	}
	if n := len(x.Reasons) - mostReasons; n > 0 {
		t.row(count(n, "more formula", "more formulas"), "", "", signed(rest, 3))
	}
	t.row("Sum", "", "", signed(x.Sum, 3))
	t.Rows[len(t.Rows)-1].Strong = true
	t.Sortable = false
	c.Table = t
	if len(x.Without) > 0 {
		c.Notes = append(c.Notes, without(x))
	}
	if x.Tied {
		c.Notes = append(c.Notes, plain(fmt.Sprintf("Formulas tie the atom to others, which stand here at their probabilities, as if independent: "+
			"so the sum, %s, is not the log-odds, %s, themselves.", signed(x.Sum, 2), signed(x.LogOdds, 2))))
	}
	if x.Constrained {
		c.Notes = append(c.Notes, plain("Hard formulas bear on the atom, beside the sum."))
	}
	return c
}

// without says which evidence turns the decision by its absence.
func without(x *explain.Explanation) Phrase {
	out := Phrase{{Text: "Without "}}
	shown := min(len(x.Without), mostReasons)
	for i, fact := range x.Without[:shown] {
		out = append(out, Piece{Text: between(i, len(x.Without))}, Piece{clip(fact, 2*mostName), true})
	}
	if n := len(x.Without) - shown; n > 0 {
		out = append(out, Piece{Text: fmt.Sprintf(" and %d more", n)})
	}
	return append(out, Piece{Text: fmt.Sprintf(" the log-odds would be %s.", signed(x.Otherwise, 2))})
}

// saidOf names the first groundings of a reason, or the neighbours that bring most.
func (r *Report) saidOf(reason *explain.Reason) Phrase {
	var out Phrase
	if reason.Groundings != nil && r.unit(r.Final.Formulas[reason.Formula]) {
		return plain("the base rate")
	}
	for i, g := range reason.Groundings {
		if len(reason.Neighbours) > 0 {
			break // they say which
		}
		if i > 0 {
			out = append(out, Piece{Text: "; "})
		} else {
			out = append(out, Piece{Text: "as with "})
		}
		for k, b := range g {
			if k > 0 {
				out = append(out, Piece{Text: ", "})
			}
			out = append(out, Piece{Text: clip(b.Variable, mostName) + " = "}, Piece{clip(b.Entity, mostName), true})
		}
	}
	for i, n := range reason.Neighbours[:min(3, len(reason.Neighbours))] {
		if i == 0 && len(out) == 0 {
			out = append(out, Piece{Text: "by "})
		} else {
			out = append(out, Piece{Text: "; by "})
		}
		out = append(out, Piece{clip(n.Atom, mostName), true}, Piece{Text: fmt.Sprintf(" (probability %s): %s", fixed(n.Probability, 3), signed(n.Value, 3))})
	}
	return out
}

// diagnostics says how far the figures are to be trusted.
func (r *Report) diagnostics() []block {
	t := newTable("How marginals were computed", "Of", "#Subgraphs", "#Sampled", "#Worst R-hat", "#Least effective samples", "#Largest standard error")
	quality := func(name string, q *resolwe.Quality) {
		worst := func(w resolwe.Worst, digits int) cell {
			if w.Subgraph == "" {
				return text("–")
			}
			c := number(w.Value, digits)
			c.Note = "in " + clip(w.Subgraph, mostName)
			return c
		}
		t.row(name, q.Subgraphs, q.Sampled, worst(q.RHat, 3), worst(q.ESS, 0), worst(q.Error, 4))
	}
	if r.Task {
		for i := range r.Cross.Systems {
			quality(r.systemName(i)+", test subgraphs", &r.Cross.Systems[i].Quality)
		}
	}
	if r.sampling() {
		quality("this model, subgraphs tested", &r.Quality)
	} else {
		quality("this model, all data", &r.Quality)
	}
	var notes []Phrase
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
	for _, w := range r.Warnings {
		notes = append(notes, plain(clip(w, 300)))
	}
	if len(notes) == 0 {
		notes = []Phrase{plain("No warnings: all weights that were learned reached the optimum, and no marginal is doubtful.")}
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
	out := []block{{Table: t}}
	if r.Task {
		t := newTable("Mean seconds a fold", "System", "#Selection|2", "#Learning|2")
		for i := range r.Cross.Systems {
			s := &r.Cross.Systems[i]
			var sel, learn float64
			for _, x := range s.Seconds {
				sel += x.Select / float64(len(s.Seconds))
				learn += x.Learn / float64(len(s.Seconds))
			}
			t.row(r.systemName(i), sel, learn)
		}
		out = append(out, block{Table: t})
	}
	return out
}

// again says how to make the report again.
func (r *Report) again() []block {
	out := []block{{Text: plain("The same command on the same files gives the same page, byte for byte but for times, with any number of workers and on any processor.")}}
	if r.About.Command != "" {
		out = append(out, block{Code: clip(r.About.Command, 4000)})
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
