package cd_test

import (
	"testing"

	"resolwe/kernels/cd"
)

// A step towards a far optimum moves no subgraph's distribution further than the bound, however its counts are scaled.
func TestOptimizer_ShiftIsBounded(t *testing.T) {
	t.Parallel()
	const atoms, bound = 10, 1 + 0.1*10
	for _, information := range []float64{1e2, 1e4, 1e6} {
		o := cd.NewOptimizer([]float64{0}, []bool{false}, 100, 50, 50)
		for range 20 {
			before := o.Weights[0]
			o.Update([]*cd.Gradient{{Value: []float64{50 * information}, Information: []float64{information}, Atoms: atoms}})
			step := o.Weights[0] - before
			if shift := step * step * information; step <= 0 || shift > bound {
				t.Fatalf("information %v: got a step of %v, whose shift is %v, want a shift of at most %v", information, step, shift, bound)
			}
		}
	}
}
