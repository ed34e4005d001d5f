package features_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/features"
)

// Boundaries stand between neighbours, at the ranks that divide a sample into parts, and equal values stay together. A list and the counts
// of its values have the same ones, and the bin of a value is the number of parts that end before it.
func TestQuantiles(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		var values []float64
		for range 1 + r.IntN(100) {
			values = append(values, float64(r.IntN(1+r.IntN(40))))
		}
		slices.Sort(values)
		different, times, parts := slices.Compact(slices.Clone(values)), []uint64(nil), 1+r.IntN(40)
		var want []features.Boundary
		below := 0
		for i, v := range different {
			before := below
			below += len(slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return x != v }))
			times = append(times, uint64(below-before))
			if i+1 < len(different) && below*parts/len(values) > before*parts/len(values) {
				want = append(want, features.Boundary{v, different[i+1]})
			}
		}
		for _, got := range [][]features.Boundary{
			features.Quantiles(values, nil, uint64(parts)), features.Quantiles(different, times, uint64(parts)),
		} {
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: got %v, want %v, of %v in %d parts", seed, got, want, values, parts)
			}
		}
		v, bin := float64(r.IntN(42))-1, 0
		for _, b := range want {
			if v > b.Below {
				bin++
			}
		}
		if slices.Contains(values, v) && features.Bin(want, v) != bin {
			t.Fatalf("seed %d: got bin %d of %v, want %d, of %v", seed, features.Bin(want, v), v, bin, want)
		}
	}
	check.Is(t, len(features.Quantiles(nil, nil, 16)), 0, "boundaries of nothing")
}

// A bound divides as the neighbours do, and is short.
func TestBoundary_Short(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		features.Boundary

		least, most float64
	}{
		{features.Boundary{9.5, 9.578947368421053}, 9.57, 9.5},
		{features.Boundary{3, 9.96}, 9, 3},
		{features.Boundary{9.961, 9.96103}, 9.96102, 9.961},
		{features.Boundary{-2.5, 7}, 0, 0},
		{features.Boundary{7399500, 7412000}, 7400000, 7400000},
		{features.Boundary{-7.26, -7.24}, -7.24, -7.26},
		{features.Boundary{0.1, math.Nextafter(.1, 1)}, math.Nextafter(.1, 1), .1},
		{features.Boundary{-math.MaxFloat64, math.MaxFloat64}, 0, 0},
		{features.Boundary{math.MaxFloat64 / 2, math.MaxFloat64}, 1e308, 1e308},
	} {
		check.Is(t, [2]float64{c.Least(), c.Most()}, [2]float64{c.least, c.most}, "%v", c.Boundary)
	}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 6))
		a := r.NormFloat64() * math.Pow(10, float64(r.IntN(40)-20))
		b := a + math.Abs(a)*r.Float64()*math.Pow(10, float64(-r.IntN(16)))
		if a == b {
			continue
		}
		x := features.Boundary{a, b}
		if least, most := x.Least(), x.Most(); !(least > a && least <= b && most >= a && most < b) {
			t.Errorf("seed %d: %v: got %v and %v", seed, x, least, most)
		} else if len(strconv.FormatFloat(least, 'e', -1, 64)) > len(strconv.FormatFloat(b, 'e', -1, 64)) {
			t.Errorf("seed %d: %v: %v is longer", seed, x, least)
		}
	}
}
