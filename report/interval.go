package report

import (
	"cmp"
	"math"
	"slices"

	"resolwe/crossval"
	"resolwe/internal/elementary"
	"resolwe/internal/stage/inferring"
	"resolwe/kernels/rank"
)

// Interval is a value with its 95% confidence interval over subgraphs; NaN if undefined.
type Interval struct{ Value, Low, High float64 }

var undefined = Interval{math.NaN(), math.NaN(), math.NaN()}

// Defined reports whether there is an interval.
func (v Interval) Defined() bool { return v.Low <= v.High }

// within limits an interval to the range of its measure.
func (v Interval) within(least, most float64) Interval {
	return Interval{v.Value, max(v.Low, least), min(v.High, most)}
}

// meanOf returns the mean of the values of subgraphs, with an interval by Student's t.
func meanOf(values []float64) Interval {
	t := rank.PairedT(values, make([]float64, len(values)))
	return Interval{t.MeanDifference, t.CI95[0], t.CI95[1]}
}

// ratio sums k of n over subgraphs, each of which is a cluster.
type ratio struct {
	clusters       int // subgraphs with n > 0
	k, n           int64
	kk, kn, nn     float64 // sums of squares and products
	clusterK, here int64   // of the current subgraph
}

// add counts an atom of the current subgraph.
func (r *ratio) add(truth bool) {
	r.here++
	if truth {
		r.clusterK++
	}
}

// end ends the current subgraph.
func (r *ratio) end() {
	if r.here == 0 {
		return
	}
	k, n := float64(r.clusterK), float64(r.here)
	r.clusters++
	r.k, r.n = r.k+r.clusterK, r.n+r.here
	r.kk, r.kn, r.nn = r.kk+float64(k*k), r.kn+float64(k*n), r.nn+float64(n*n)
	r.clusterK, r.here = 0, 0
}

// interval returns k/n with the interval of the linearised ratio of cluster totals (Cochran, Sampling Techniques, 1977, 6.3), on
// the log-odds scale, with Student's t for clusters - 1 degrees of freedom. If all atoms agree, this interval has no width, and the
// bound is the exact binomial one for one observation per cluster.
func (r *ratio) interval() Interval {
	if r.n == 0 {
		return undefined
	}
	p := float64(r.k) / float64(r.n)
	out := Interval{p, math.NaN(), math.NaN()}
	if r.clusters < 2 {
		return out
	}
	c := float64(r.clusters)
	if r.k == 0 || r.k == r.n {
		far := elementary.Exp(elementary.Log(.025) / c)
		if r.k == 0 {
			return Interval{p, 0, 1 - far}
		}
		return Interval{p, far, 1}
	}
	half := rank.T95(r.clusters-1) * r.stderror() / (p * (1 - p))
	z := elementary.Log(p / (1 - p))
	out.Low, out.High = elementary.Sigmoid(z-half), elementary.Sigmoid(z+half)
	return out
}

// stderror returns the standard error of k/n.
func (r *ratio) stderror() float64 {
	p, c := float64(r.k)/float64(r.n), float64(r.clusters)
	squares := r.kk - float64(2*p*r.kn) + float64(p*p*r.nn)
	return math.Sqrt(math.Max(squares, 0)*c/(c-1)) / float64(r.n)
}

// holm returns the p-values of tests, adjusted for their number by Holm's step-down method (Scandinavian Journal of Statistics 6,
// 1979). Undefined ones do not count as tests.
func holm(tests []crossval.Comparison) []float64 {
	out := make([]float64, len(tests))
	var order []int
	for i, t := range tests {
		if out[i] = math.NaN(); !math.IsNaN(t.P) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(tests[a].P, tests[b].P) })
	last := 0.
	for place, i := range order {
		last = max(last, min(1, float64(len(order)-place)*tests[i].P))
		out[i] = last
	}
	return out
}

// pooledOf returns pooled AUC-ROC, AUC-PR, log-loss and accuracy of a system, with intervals over clusters.
func pooledOf(o *crossval.Outcome) [4]Interval {
	in := &o.Intervals
	return [4]Interval{
		{o.AUCROCPooled, in.AUCROC[0], in.AUCROC[1]},
		{o.AUCPR, in.AUCPR[0], in.AUCPR[1]},
		{o.LogLoss, in.LogLoss[0], in.LogLoss[1]},
		{o.Accuracy, in.Accuracy[0], in.Accuracy[1]},
	}
}

// measuresOf returns average precision, AUC, CLL and Brier score of a system, with intervals over subgraphs.
func measuresOf(figures []inferring.Figures) (out [4]Interval) {
	values := rank.ByMeasure(figures)
	for i := range out {
		out[i] = meanOf(values[i]).within(0, 1)
	}
	out[2] = meanOf(values[2]).within(math.Inf(-1), 0)
	return out
}
