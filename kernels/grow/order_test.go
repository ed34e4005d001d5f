package grow_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/features"
	"resolwe/kernels/grow"
)

// A column's gain is that of a Newton step of each bin's shift from the other folds, to second order. Columns of few values have a bin for
// each, and one for no value.
func TestRows_Gains(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, candidates := 1+r.IntN(200), 1+r.IntN(4)
		s, rows, logOdds := features.Subgraph{}, grow.Rows{}, make([]float64, n)
		var measures []int
		for i := range n {
			s.Truth, rows.Fold = append(s.Truth, r.IntN(2) == 0), append(rows.Fold, uint8(r.IntN(grow.Folds)))
			logOdds[i] = r.NormFloat64()
		}
		want := slices.Repeat([]float64{math.Inf(-1)}, candidates)
		for range 2 * candidates {
			c := r.IntN(candidates)
			kinds := []float64{0, math.NaN(), -1, 1, 2.5, 7}
			kinds = kinds[r.IntN(3) : 4+r.IntN(3)]
			values := make([]float64, n)
			for i := range values {
				values[i] = kinds[i%len(kinds)]
			}
			measures, rows.Candidates, s.Values = append(measures, len(measures)), append(rows.Candidates, c), append(s.Values, values)
			gain := 0.
			for fold := range uint8(grow.Folds) {
				for _, v := range kinds {
					var slope, curve [2]float64 // of the fold, and of the others
					for i, z := range logOdds {
						if math.Float64bits(values[i]) != math.Float64bits(v) {
							continue
						}
						p, other := 1/(1+math.Exp(-z)), 0
						if rows.Fold[i] != fold {
							other = 1
						}
						slope[other] -= p
						if s.Truth[i] {
							slope[other]++
						}
						curve[other] += p * (1 - p)
					}
					shift := slope[1] / (curve[1] + 1)
					gain += slope[0]*shift - curve[0]*shift*shift/2
				}
			}
			want[c] = max(want[c], gain)
		}
		b := features.NewBuilder(len(measures), features.BuilderOptions{Measures: measures})
		check.OK(t, b.Add(&s))
		var err error
		rows.Matrix, err = b.Matrix()
		check.OK(t, err)
		for c, got := range rows.Gains(logOdds, candidates) {
			if math.Abs(got-want[c]) > 1e-9 && got != want[c] {
				t.Fatalf("seed %d: candidate %d: got %v, want %v", seed, c, got, want[c])
			}
		}
	}
}
