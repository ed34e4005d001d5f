package gain_test

import (
	"math"
	"slices"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/kernels/gain"
)

// At each value, the share of knots below it is its mid-rank, to a knot, however many values are equal.
func TestKnots(t *testing.T) {
	r := seeded(t)
	for range 300 {
		values := make([]float64, 2+r.IntN(400))
		for i := range values {
			switch values[i] = r.NormFloat64() * math.Pow(10, float64(r.IntN(12))); {
			case r.IntN(3) == 0:
				values[i] = 0
			case r.IntN(2) == 0:
				values[i] = float64(r.IntN(5))
			}
		}
		slices.Sort(values)
		knots := gain.Knots(values)
		if values[0] == values[len(values)-1] {
			check.Equal(t, "knots of one value", len(knots), 0)
			continue
		}
		f := mln.Formula{Shape: mln.ShapeRank, Numbers: knots}
		for _, v := range values {
			below, equal := 0, 0
			for _, u := range values {
				switch {
				case u < v:
					below++
				case u == v:
					equal++
				}
			}
			rank := (float64(below)+float64(equal)/2)/float64(len(values)) - .5
			if got := f.Phi(v, 0); math.Abs(got-rank) > 1./64+1e-9 {
				t.Fatalf("%v of %v: got %v, want %v; knots %v", v, values, got, rank, knots)
			}
		}
		for i := range knots[1:] {
			if knots[i] >= knots[i+1] {
				t.Fatalf("knots do not ascend: %v", knots)
			}
		}
	}
	if got := gain.Knots([]float64{-math.MaxFloat64, math.MaxFloat64}); slices.ContainsFunc(got, func(v float64) bool { return math.IsInf(v, 0) || math.IsNaN(v) }) {
		t.Errorf("knots of the largest numbers: %v", got)
	}
}
