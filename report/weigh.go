package report

import (
	"context"
	"math"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/stage/selecting"
	"resolwe/kernels/features"
	"resolwe/kernels/rank"
)

// Weighed is a formula of a model with its statistics on the data. Rates are over query atoms with known truth for which the
// formula's feature (see inferring.Features) is not 0; they are undefined for formulas without a feature.
type Weighed struct {
	Formula   *mln.Formula
	Support   int64    // atoms for which the feature is not 0
	Subgraphs int      // with such atoms
	Rate      Interval // share of true atoms among these
	Elsewhere Interval // the same among the other atoms of the head's predicate
	Deviation float64  // standard deviation of the feature over the atoms of the head's predicate
	Weight    Interval
	Gain      float64 // in nats per atom when it was selected, NaN if it was not
	Growth    *selecting.Growth
	on, off   ratio
	fitted    float64 // weight in a model of the established formulas alone, or Weight
	miss      float64 // probability that the interval of the weight misses; 0 for .05
}

// mostIntervals is the maximum number of formulas for which weights have intervals, since the information matrix has the square of
// that number of entries.
const mostIntervals = 150

// weigher sums the statistics of formulas over the data. With r = truth - probability and h = p (1 - p), the gradient of the
// log-likelihood of subgraph s is g_s = sum of r x, and its information is the sum of h x x'. Both need marginals; if only a sample
// of the subgraphs has them, the sums are scaled up to all.
type weigher struct {
	model               *resolwe.Model
	columns             []weighing
	information, spread []float64 // spread is of g_s g_s'; both by rows; nil if there are too many columns
	gradient            []float64
	subgraphs, clusters int // read, and those with marginals
	beside              *beside
}

// weighing holds the sums of a formula that has a feature.
type weighing struct {
	formula, head       int     // head is the predicate of its head, -1 if none in particular
	shrink              float64 // precision of the prior of the weight
	fixed               bool    // it is not a parameter
	beside              bool    // its target atoms are tied to others, so that the information of single atoms is not that of the weight
	on, off             ratio
	atoms, sum, squares float64
	total               float64 // of the gradient
}

// newWeigher returns a weigher. shrink is the precision of the prior of a weight, for a feature of variance 1, by formula of the
// model.
func newWeigher(m *resolwe.Model, shrink []float64) *weigher {
	columns, _ := resolwe.FeatureColumns(m, resolwe.FeatureOptions{})
	n, tied := len(columns), tiedTargets(m)
	w := &weigher{model: m, columns: make([]weighing, n)}
	for c, i := range columns {
		f := m.Formulas[i]
		w.columns[c] = weighing{formula: i, head: -1, shrink: shrink[i], fixed: !f.HasWeight}
		for _, a := range targetsOf(m, f) {
			w.columns[c].beside = tied[a.Pred]
		}
		if headed, ok := f.Headed(m.Schema); ok {
			_, literal := headed.Head()
			w.columns[c].head = literal.Atom.Pred
		}
	}
	w.beside = newBeside(m, columns)
	if n <= mostIntervals {
		w.information, w.spread, w.gradient = make([]float64, n*n), make([]float64, n*n), make([]float64, n)
	}
	return w
}

// tiedTargets returns the target predicates whose atoms a formula with several of them ties to others.
func tiedTargets(m *resolwe.Model) map[int]bool {
	tied := map[int]bool{}
	for _, f := range m.Formulas {
		if atoms := targetsOf(m, f); (f.HasWeight || f.Hard) && len(atoms) > 1 {
			for _, a := range atoms {
				tied[a.Pred] = true
			}
		}
	}
	return tied
}

// targetsOf returns the target atoms of a formula.
func targetsOf(m *resolwe.Model, f *mln.Formula) []*mln.Atom {
	outside, quantified := m.Schema.Targets(f.Body)
	return append(outside, quantified...)
}

// weigh reads a stream. p has the probabilities of its atoms by position of the subgraph, and may lack some subgraphs.
// The error is resolwe.ErrBudget if the budget ended it before the last subgraph.
func (w *weigher) weigh(ctx context.Context, s *resolwe.Stream, p map[int][]float64, run resolwe.Run, budget *resolwe.Budget) error {
	values := make([]float64, len(w.columns))
	var at []int
	return inferring.Features(ctx, w.model, s, resolwe.FeatureOptions{Run: run}, func(r *resolwe.FeatureRows) error {
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
				f := &w.columns[c]
				if f.head >= 0 && f.head != pred {
					continue
				}
				f.atoms++
				if v == 0 {
					f.off.add(truth == subgraph.True)
					continue
				}
				at = append(at, c)
				f.on.add(truth == subgraph.True)
				f.sum += v
				f.squares += float64(v * v)
			}
			w.beside.add(r.Index, i, pred, values, at, truth == subgraph.True)
			if sampled && w.information != nil {
				w.residual(values, at, probabilities[i], truth == subgraph.True)
			}
		}
		w.end(sampled)
		if budget.Over() && w.subgraphs < s.Len() {
			return resolwe.ErrBudget
		}
		return nil
	})
}

// residual adds an atom to the gradient of the current subgraph, and to the information.
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

// end ends the current subgraph.
func (w *weigher) end(sampled bool) {
	w.subgraphs++
	for c := range w.columns {
		w.columns[c].on.end()
		w.columns[c].off.end()
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
		w.columns[c].total += g
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
			out[i].Weight.Value, out[i].fitted = f.Weight, f.Weight
		}
	}
	errors := w.standardErrors()
	for c := range w.columns {
		of := &w.columns[c]
		f := &out[of.formula]
		f.Support, f.Subgraphs, f.Rate, f.Elsewhere = of.on.n, of.on.clusters, of.on.interval(), of.off.interval()
		f.on, f.off = of.on, of.off
		f.Deviation = math.Sqrt(of.variance())
		if errors != nil && !of.fixed && !of.beside && f.Support > 0 && f.Formula.Standing != mln.StandingAlso {
			half := float64(rank.T95(w.clusters-1) * errors[c])
			f.Weight.Low, f.Weight.High = f.Weight.Value-half, f.Weight.Value+half
		}
	}
	return out
}

// chosen returns the interval of the weight of a selected formula, made wider to allow for its choice.
func (v Interval) chosen(e *selecting.Established, clusters int) Interval {
	if !v.Defined() {
		return v
	}
	wider := rank.T(clusters-1, e.Miss) / rank.T95(clusters-1)
	return Interval{v.Value, v.Value - float64(wider*(v.Value-v.Low)), v.Value + float64(wider*(v.High-v.Value))}
}

// variance returns the variance of a feature over atoms.
func (f *weighing) variance() float64 {
	mean := f.sum / f.atoms
	return math.Max(0, f.squares/f.atoms-float64(mean*mean))
}

// standardErrors returns the standard errors of the weights over subgraphs, by the infinitesimal jackknife: the root of the
// diagonal of H^-1 V H^-1, where H is the information including the prior's, and V is the sum over subgraphs of (g_s - mean)(g_s -
// mean)' times S / (S - 1) (White, Econometrica 50, 1982; Liang and Zeger, Biometrika 73, 1986). For a sample of S subgraphs, H and
// V are its sums times the total number divided by S. It returns nil if they are undefined.
func (w *weigher) standardErrors() []float64 {
	n, s := len(w.columns), float64(w.clusters)
	if w.information == nil || w.clusters < 2 || n == 0 {
		return nil
	}
	expand := float64(w.subgraphs) / s
	full := make([]float64, n*n) // V
	for c := range n {
		f := &w.columns[c]
		prior := float64(f.shrink * f.variance())
		for d := range c + 1 {
			v := expand * (w.spread[c*n+d] - float64(f.total*w.columns[d].total)/s) * s / (s - 1)
			full[c*n+d], full[d*n+c] = v, v
			w.information[c*n+d] *= expand
			if f.fixed || w.columns[d].fixed {
				w.information[c*n+d] = 0
			}
		}
		if w.information[c*n+c] += prior; f.fixed || w.information[c*n+c] == 0 {
			w.information[c*n+c] = 1 // not a parameter, or one without effect
		}
	}
	out, ok := features.RobustVariances(w.information, full, features.Alone.Run)
	if !ok {
		return nil
	}
	for c, v := range out {
		out[c] = math.Sqrt(math.Max(0, v))
	}
	return out
}
