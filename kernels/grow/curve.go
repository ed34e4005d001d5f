package grow

import (
	"cmp"
	"math"
	"slices"

	"resolwe/kernels/features"
	"resolwe/kernels/rank"
)

// Estimate is a mean over subgraphs with its 95% interval; NaN if undefined.
type Estimate struct{ Mean, Low, High float64 }

// estimate returns the estimate of values, minus others unless these are nil.
func estimate(values, others []float64) Estimate {
	if others == nil {
		others = make([]float64, len(values))
	}
	t := rank.PairedT(values, others)
	return Estimate{t.MeanDifference, t.CI95[0], t.CI95[1]}
}

// Dot is a policy's figures over all centers: a point of a curve.
type Dot struct {
	Parameter float64 // the price, the number of steps, or the entropy
	Cost      float64 // mean per center
	Calls     float64
	Facts     float64
	MAP, CLL  Estimate

	ap, cll []float64 // by ranked center, and by center with atoms
}

// NewDot returns the figures if each center stops after the number of steps that stop returns.
func NewDot(traces []*Trace, stop func(i int, t *Trace) int, parameter float64) *Dot {
	d := &Dot{Parameter: parameter}
	for i, t := range traces {
		p := &t.Points[stop(i, t)]
		d.Cost, d.Calls, d.Facts = d.Cost+p.Cost, d.Calls+float64(p.Calls), d.Facts+float64(p.Facts)
		if t.Ranked {
			d.ap = append(d.ap, p.AP)
		}
		if t.Atoms > 0 {
			d.cll = append(d.cll, p.CLL)
		}
	}
	n := float64(len(traces))
	d.Cost, d.Calls, d.Facts = d.Cost/n, d.Calls/n, d.Facts/n
	d.MAP, d.CLL = estimate(d.ap, nil), estimate(d.cll, nil)
	return d
}

// Less returns how far a policy's figures exceed those of a curve at equal cost, interpolating between neighbouring points of the curve by
// splitting the centers between them.
func (d *Dot) Less(curve []*Dot) (precision, likelihood Estimate) {
	at := slices.IndexFunc(curve, func(o *Dot) bool { return o.Cost >= d.Cost })
	low, high, share := curve[len(curve)-1], curve[len(curve)-1], 0.
	if at >= 0 {
		low, high = curve[max(at-1, 0)], curve[at]
		if high.Cost > low.Cost {
			share = (d.Cost - low.Cost) / (high.Cost - low.Cost)
		}
	}
	mix := func(a, b []float64) []float64 {
		out := make([]float64, len(a))
		for i := range a {
			out[i] = a[i] + float64(share*(b[i]-a[i]))
		}
		return out
	}
	return estimate(d.ap, mix(low.ap, high.ap)), estimate(d.cll, mix(low.cll, high.cll))
}

// Prefixes returns the curve of stopping all centers after the same number of steps.
func Prefixes(traces []*Trace) (out []*Dot) {
	for k := range traces[0].Points {
		out = append(out, NewDot(traces, func(int, *Trace) int { return k }, float64(k)))
	}
	return Rising(out)
}

// mostEntropies is the most entropy limits on a curve.
const mostEntropies = 24

// Entropies returns the curve of centers that continue while their mean entropy is above a limit, whatever the cost of a step.
func Entropies(traces []*Trace) []*Dot {
	var all []float64
	for _, t := range traces {
		for _, p := range t.Points {
			all = append(all, p.Features[Entropy])
		}
	}
	slices.Sort(all)
	limits := append(make([]float64, 0, 1+mostEntropies), -1)
	for _, b := range features.Quantiles(all, nil, mostEntropies) {
		limits = append(limits, b.Below)
	}
	var out []*Dot
	for _, limit := range slices.Backward(append(limits, math.Inf(1))) {
		out = append(out, NewDot(traces, func(_ int, t *Trace) int {
			k := 0
			for k < len(t.Points)-1 && t.Points[k].Features[Entropy] > limit {
				k++
			}
			return k
		}, limit))
	}
	return Rising(out)
}

// Rising sorts points by cost.
func Rising(list []*Dot) []*Dot {
	slices.SortStableFunc(list, func(a, b *Dot) int { return cmp.Compare(a.Cost, b.Cost) })
	return list
}
