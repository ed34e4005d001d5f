package mcsat_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"resolwe/kernels/mcsat"
)

func TestLogistic(t *testing.T) {
	t.Parallel()
	check := func(h float64) {
		if got, want := mcsat.Logistic(h), 1/(1+math.Exp(-h)); math.Abs(got-want) > 1e-10 {
			t.Errorf("logistic(%v): got %v, want %v", h, got, want)
		}
	}
	for _, h := range []float64{0, 1.0 / 64, 1, -1, 39.999, 40, -40, 700, -800, math.Inf(1), math.Inf(-1)} {
		check(h)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		check(90 * (r.Float64() - 0.5))
	}
	if got := mcsat.Logistic(math.NaN()); !math.IsNaN(got) {
		t.Errorf("logistic(NaN): got %v", got)
	}
}
