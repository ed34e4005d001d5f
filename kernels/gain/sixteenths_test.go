package gain_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/gain"
)

// Boundaries stand between neighbours, at the ranks that divide a sample into sixteen, and equal values stay together.
func TestSixteenths(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		var values []float64
		for range 1 + r.IntN(100) {
			values = append(values, float64(r.IntN(1+r.IntN(40))))
		}
		different, times := gain.Runs(slices.Clone(values))
		bounds := gain.Sixteenths(different, times)
		for i, v := range different[:len(different)-1] {
			below := 0
			for _, x := range values {
				if x <= v {
					below++
				}
			}
			before := below - int(times[i])
			want := below*16/len(values) > before*16/len(values)
			if got := slices.Contains(bounds, gain.Boundary{v, different[i+1]}); got != want {
				t.Fatalf("seed %d: a boundary after %v: got %v, want %v, of %v", seed, v, got, want, values)
			}
		}
	}
}

// A bound divides as the neighbours do, and is short.
func TestBoundary_Short(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		gain.Boundary

		from, below float64
	}{
		{gain.Boundary{9.5, 9.578947368421053}, 9.57, 9.5},
		{gain.Boundary{3, 9.96}, 9, 3},
		{gain.Boundary{9.961, 9.96103}, 9.96102, 9.961},
		{gain.Boundary{-2.5, 7}, 0, 0},
		{gain.Boundary{7399500, 7412000}, 7400000, 7400000},
		{gain.Boundary{-7.26, -7.24}, -7.24, -7.26},
		{gain.Boundary{0.1, math.Nextafter(.1, 1)}, math.Nextafter(.1, 1), .1},
		{gain.Boundary{-math.MaxFloat64, math.MaxFloat64}, 0, 0},
		{gain.Boundary{math.MaxFloat64 / 2, math.MaxFloat64}, 1e308, 1e308},
	} {
		from, below := c.Threshold()
		check.Is(t, [2]float64{from, below}, [2]float64{c.from, c.below}, "%v", c.Boundary)
	}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 6))
		a := r.NormFloat64() * math.Pow(10, float64(r.IntN(40)-20))
		b := a + math.Abs(a)*r.Float64()*math.Pow(10, float64(-r.IntN(16)))
		if a == b {
			continue
		}
		x := gain.Boundary{a, b}
		if from, below := x.Threshold(); !(from > a && from <= b && below >= a && below < b) {
			t.Errorf("seed %d: %v: got %v and %v", seed, x, from, below)
		} else if len(strconv.FormatFloat(from, 'e', -1, 64)) > len(strconv.FormatFloat(b, 'e', -1, 64)) {
			t.Errorf("seed %d: %v: %v is longer", seed, x, from)
		}
	}
}
