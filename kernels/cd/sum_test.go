package cd_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/cd"
	"resolwe/kernels/mcsat"
)

// Sums are those of arithmetic without rounding, whatever the order, of numbers of any size and sign.
func TestSum_MatchesBig(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 61))
		var forward, backward, halves, half cd.Sum
		want := new(big.Float).SetPrec(400)
		values := make([]float64, r.IntN(50))
		for i := range values {
			v := math.Ldexp(r.NormFloat64(), r.IntN(120)-40)
			values[i] = v
			forward.Add(v)
			cut := new(big.Float).SetPrec(400).SetMantExp(big.NewFloat(v), 80)
			whole, _ := cut.Int(nil)
			want.Add(want, new(big.Float).SetPrec(400).SetInt(whole))
		}
		for i, v := range slices.Backward(values) {
			backward.Add(v)
			if i%2 == 0 {
				halves.Add(v)
			} else {
				half.Add(v)
			}
		}
		halves.Merge(&half)
		if forward != backward || forward != halves {
			t.Fatalf("seed %d: the order makes a difference: %v, %v, %v", seed, forward, backward, halves)
		}
		exact, _ := want.SetMantExp(want, -80).Float64()
		check.Near(t, forward.Value(), exact, 1e-15*math.Abs(exact), "seed %d", seed)
	}
}

func TestSum_Bounds(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]float64{
		"none": {math.NaN()}, "infinite": {math.Inf(-1)}, "large": {1e40}, "sum too large": {0x1p109, 0x1p109, 0x1p109, 0x1p109, 0x1p109},
		"sum too low": {-0x1p109, -0x1p109, -0x1p109, -0x1p109, -0x1p109},
	} {
		var s, merged cd.Sum
		for _, v := range values {
			s.Add(v)
		}
		merged.Merge(&s)
		if v := merged.Value(); !math.IsNaN(v) {
			t.Errorf("%s: got %v, want no number", name, v)
		}
	}
	var s cd.Sum
	for _, v := range []float64{5e-324, -1e-30, 0x1p-80, 0x1p109, -0x1p109} {
		s.Add(v)
	}
	if got := s.Value(); got != 0x1p-80 {
		t.Errorf("got %v, want 2^-80", got)
	}
}

// The gradients of subgraphs add up to the sums of an evaluation, and a step by their sum is that of the mini-batch.
func TestSums_Add(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		c := randomTask(t, seed, oracle.TaskOptions{General: true, Shapes: seed%2 == 1, MaxAtoms: 8, Subgraphs: 4})
		exs, f := grounded(t, c), len(c.Model.Formulas)
		weights, fixed := make([]float64, f), make([]bool, f)
		want := summed(t, cd.NewNewton(weights, weights, fixed, 1), exs, 20, false).Gradient()
		w := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: 20})
		sums := cd.NewSums(f, false)
		var batch []*cd.Gradient
		for _, ex := range exs {
			g := &cd.Gradient{}
			check.OK(t, w.Gradient(g, ex, weights, nil, nil))
			sums.Add(g)
			batch = append(batch, g)
		}
		got := sums.Gradient()
		check.Equal(t, "gradient", got.Value, want.Value, cmpopts.EquateApprox(1e-9, 1e-9))
		check.Equal(t, "information", got.Information, want.Information, cmpopts.EquateApprox(1e-9, 1e-9))
		if got.Atoms != want.Atoms || sums.Subgraphs != len(exs) {
			t.Errorf("seed %d: got %+v", seed, got)
		}
		a, b := cd.NewOptimizer(weights, fixed, 2, len(exs), 2), cd.NewOptimizer(weights, fixed, 2, len(exs), 2)
		for range 2 {
			a.Update(batch, len(exs))
			b.Update([]*cd.Gradient{got}, len(exs))
		}
		check.Equal(t, "weights", b.Weights, a.Weights, cmpopts.EquateApprox(0, 1e-6))
	}
}
