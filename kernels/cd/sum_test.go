package cd_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/kernels/cd"
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
		if got := forward.Value(); math.Abs(got-exact) > 1e-15*math.Abs(exact) {
			t.Errorf("seed %d: got %v, want %v", seed, got, exact)
		}
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
