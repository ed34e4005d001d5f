package report

import (
	"context"
	"math"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/kernels/rank"
)

// Weighed is a formula of a model with what the data says of it. Rates are of query atoms of known truth for which the formula's
// feature, as resolwe.Features has it, is not 0; they are undefined for formulas that are no features.
type Weighed struct {
	Formula   *mln.Formula
	Support   int64    // atoms for which the feature is not 0
	Subgraphs int      // with such atoms
	Rate      Interval // share of true ones among these
	Elsewhere Interval // among the other atoms of the head's predicate
	Deviation float64  // standard deviation of the feature over the head's predicate's atoms
	Weight    Interval
	Gain      float64 // in nats an atom when it was selected, NaN where it was not
}

// mostIntervals bounds the formulas of which weights have intervals: the information matrix has the square of their number.
const mostIntervals = 150

// weigher sums up what the data says of formulas. With r = truth - probability and h = p (1 - p), the gradient of the
// log-likelihood of subgraph s is g_s = sum of r x and its information the sum of h x x'. Both need marginals: of a sample of the
// subgraphs they are expanded to all.
type weigher struct {
	model   *resolwe.Model
	columns []int // formulas that are features
	heads   []int // by column: the predicate of its head, -1 where it is none in particular
	shrink  []float64
	skip    []bool // by column: it is no parameter

	on, off             []ratio
	atoms               []float64 // by column
	sums, squares       []float64
	information, spread []float64 // of g_s g_s'; by rows
	gradient            []float64
	total               []float64
	subgraphs, clusters int // read, and of those with marginals
}

// newWeigher takes the precision of the prior of a weight, for a feature of variance 1, by formula of the model; nil for none.
func newWeigher(m *resolwe.Model, shrink []float64) *weigher {
	columns, _ := resolwe.FeatureColumns(m, resolwe.FeatureOptions{})
	n := len(columns)
	w := &weigher{
		model: m, columns: columns, shrink: make([]float64, n), skip: make([]bool, n), on: make([]ratio, n), off: make([]ratio, n),
		atoms: make([]float64, n), sums: make([]float64, n), squares: make([]float64, n), total: make([]float64, n),
	}
	for c, i := range columns {
		f := m.Formulas[i]
		head := -1
		if headed, ok := f.Headed(m.Schema); ok {
			_, literal := headed.Head()
			head = literal.Atom.Pred
		}
		w.heads, w.skip[c] = append(w.heads, head), !f.HasWeight
		if shrink != nil {
			w.shrink[c] = shrink[i]
		}
	}
	if n <= mostIntervals {
		w.information, w.spread, w.gradient = make([]float64, n*n), make([]float64, n*n), make([]float64, n)
	}
	return w
}

// weigh reads a stream, whose atoms have the probabilities p by position of the subgraph, which may lack some subgraphs.
func (w *weigher) weigh(ctx context.Context, s *resolwe.Stream, p map[int][]float64, run resolwe.Run) error {
	values := make([]float64, len(w.columns))
	var at []int
	return resolwe.Features(ctx, w.model, s, resolwe.FeatureOptions{Run: run}, func(r *resolwe.FeatureRows) error {
		probabilities, sampled := p[r.Index]
		for i := range r.Len() {
			truth := r.Truth(i)
			if truth == subgraph.Unknown || sampled && math.IsNaN(probabilities[i]) {
				continue
			}
			pred, _ := r.Args(i)
			values = r.Values(i, values)
			at = at[:0]
			for c, v := range values {
				if w.heads[c] >= 0 && w.heads[c] != pred {
					continue
				}
				w.atoms[c]++
				if v == 0 {
					w.off[c].add(truth == subgraph.True)
					continue
				}
				at = append(at, c)
				w.on[c].add(truth == subgraph.True)
				w.sums[c] += v
				w.squares[c] += float64(v * v)
			}
			if sampled && w.information != nil {
				w.residual(values, at, probabilities[i], truth == subgraph.True)
			}
		}
		w.end(sampled)
		return nil
	})
}

// residual adds an atom to the gradient of the present subgraph, and to the information.
func (w *weigher) residual(values []float64, at []int, p float64, truth bool) {
	r, h, n := -p, float64(p*(1-p)), len(w.columns)
	if truth {
		r = 1 - p
	}
	for i, c := range at {
		w.gradient[c] += float64(r * values[c])
		hx := float64(h * values[c])
		for _, d := range at[:i+1] {
			w.information[c*n+d] += float64(hx * values[d])
		}
	}
}

// end ends the present subgraph.
func (w *weigher) end(sampled bool) {
	w.subgraphs++
	for c := range w.columns {
		w.on[c].end()
		w.off[c].end()
	}
	if !sampled {
		return
	}
	w.clusters++
	n := len(w.columns)
	for c, g := range w.gradient {
		if g == 0 {
			continue
		}
		w.total[c] += g
		for d, o := range w.gradient[:c+1] {
			w.spread[c*n+d] += float64(g * o)
		}
	}
	clear(w.gradient)
}

// result returns the formulas of the model in order.
func (w *weigher) result() []Weighed {
	out := make([]Weighed, len(w.model.Formulas))
	for i, f := range w.model.Formulas {
		out[i] = Weighed{Formula: f, Rate: undefined, Elsewhere: undefined, Deviation: math.NaN(), Weight: undefined, Gain: math.NaN()}
		if f.HasWeight {
			out[i].Weight.Value = f.Weight
		}
	}
	errors := w.standardErrors()
	for c, i := range w.columns {
		f := &out[i]
		f.Support, f.Subgraphs, f.Rate, f.Elsewhere = w.on[c].n, w.on[c].clusters, w.on[c].interval(), w.off[c].interval()
		f.Deviation = math.Sqrt(w.variance(c))
		if errors != nil && !w.skip[c] && f.Support > 0 {
			half := float64(rank.T95(w.clusters-1) * errors[c])
			f.Weight.Low, f.Weight.High = f.Weight.Value-half, f.Weight.Value+half
		}
	}
	return out
}

// variance returns that of a feature over atoms.
func (w *weigher) variance(c int) float64 {
	mean := w.sums[c] / w.atoms[c]
	return math.Max(0, w.squares[c]/w.atoms[c]-float64(mean*mean))
}

// standardErrors returns those of the weights over subgraphs, by the infinitesimal jackknife: the root of the diagonal of
// H^-1 V H^-1, where H is the information with the prior's, and V the sum over subgraphs of (g_s - mean)(g_s - mean)' times
// S / (S - 1) (White, Econometrica 50, 1982; Liang and Zeger, Biometrika 73, 1986). Of a sample of S subgraphs H and V are its
// sums times the number of all over S. nil where they are not defined.
func (w *weigher) standardErrors() []float64 {
	n, s := len(w.columns), float64(w.clusters)
	if w.information == nil || w.clusters < 2 || n == 0 {
		return nil
	}
	expand := float64(w.subgraphs) / s
	full := make([]float64, n*n) // V
	for c := range n {
		prior := float64(w.shrink[c] * w.variance(c))
		for d := range c + 1 {
			v := expand * (w.spread[c*n+d] - float64(w.total[c]*w.total[d])/s) * s / (s - 1)
			full[c*n+d], full[d*n+c] = v, v
			w.information[c*n+d] *= expand
			if w.skip[c] || w.skip[d] {
				w.information[c*n+d] = 0
			}
		}
		if w.information[c*n+c] += prior; w.skip[c] || w.information[c*n+c] == 0 {
			w.information[c*n+c] = 1 // no parameter, or one that nothing depends on
		}
	}
	half := make([]float64, n*n) // H^-1 V, by columns
	for c := range n {
		column := half[c*n : c*n+n]
		copy(column, full[c*n:c*n+n])
		if !elementary.Solve(append([]float64(nil), w.information...), column) {
			return nil
		}
	}
	out := make([]float64, n)
	row := make([]float64, n)
	for c := range n {
		for d := range n {
			row[d] = half[d*n+c]
		}
		if !elementary.Solve(append([]float64(nil), w.information...), row) {
			return nil
		}
		out[c] = math.Sqrt(math.Max(0, row[c]))
	}
	return out
}
