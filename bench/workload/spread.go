package workload

import (
	"math"
	"slices"
)

// Spread is a figure measured in several runs. All three are NaN where there were none.
type Spread struct {
	Median, Least, Most float64
}

// NewSpread sums up the figures of runs, whose order does not matter.
func NewSpread(runs []float64) Spread {
	n := len(runs)
	if n == 0 {
		return Spread{math.NaN(), math.NaN(), math.NaN()}
	}
	s := slices.Sorted(slices.Values(runs))
	return Spread{Median: (s[(n-1)/2] + s[n/2]) / 2, Least: s[0], Most: s[n-1]}
}

// quotients divides figures run by run.
func quotients(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}
