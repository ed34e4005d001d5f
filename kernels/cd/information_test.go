package cd_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/cd"
	"resolwe/kernels/exact"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/naive"
)

// The information of sampled atoms is the sum of the outer products of their conditional distributions, where the chain ends.
func TestWorker_Information_Sampled(t *testing.T) {
	t.Parallel()
	sampled := 0
	for seed := range uint64(40) {
		c := randomTask(t, seed, naive.TaskOptions{MaxAtoms: 8})
		r := rand.New(rand.NewPCG(seed, 53))
		f := len(c.Model.Formulas)
		weights := make([]float64, f)
		for i := range weights {
			weights[i] = r.NormFloat64()
		}
		w := cd.NewWorker(cd.Options{Samples: 2, Sampler: mcsat.MethodGibbs})
		for _, ex := range grounded(t, c) {
			state := slices.Clone(ex.Data)
			var g cd.Gradient
			check.OK(t, w.Gradient(&g, ex, weights, state, r))
			var m loglinear.Model
			m.Reset(ex.Net, weights)
			sampled += len(m.Scope.Atoms)
			var exact exact.Expectation
			check.OK(t, exact.Compute(&m, true))
			want := slices.Clone(exact.Cov)
			new(cd.Conditionals).Visit(&m, state, func(_ uint32, h float64, formulas []uint32, values []float64) {
				p := loglinear.Sigmoid(h)
				for j, a := range formulas {
					for k, b := range formulas {
						want[int(a)*f+int(b)] += p * (1 - p) * values[j] * values[k]
					}
				}
			})
			for i, v := range g.Information {
				if !near(v, want[i]) {
					t.Fatalf("seed %d, information of %d and %d: got %v, want %v\n%s", seed, i/f, i%f, v, want[i], c.Text)
				}
			}
		}
	}
	if sampled == 0 {
		t.Error("no atom was sampled")
	}
}
