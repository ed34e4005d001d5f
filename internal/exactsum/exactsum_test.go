package exactsum_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"resolwe/internal/exactsum"
	"resolwe/internal/test/check"
)

// draw returns numbers of all sizes, many of which cancel.
func draw(r *rand.Rand) []float64 {
	spread := []int{1, 4, 60, 300, 2000}[r.IntN(5)]
	center := r.IntN(2098-min(spread, 2000)) - 1074
	if r.IntN(10) == 0 {
		center = 1024 // sums overflow
	}
	list := make([]float64, 1+r.IntN(40))
	for i := range list {
		switch {
		case i > 0 && r.IntN(3) == 0:
			list[i] = -list[r.IntN(i)]
		case r.IntN(4) == 0:
			list[i] = math.Ldexp(float64(r.IntN(9)-4), min(center+r.IntN(spread), 1020))
		default:
			list[i] = math.Ldexp(2*r.Float64()-1, min(center+r.IntN(spread), 1024))
		}
	}
	return list
}

// Whole numbers of 64 bits are added as they are, each as one number.
func TestSum_AddInt(t *testing.T) {
	t.Parallel()
	var s exactsum.Sum
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 8))
		s.Reset()
		sum := new(big.Rat)
		n := 1 + r.IntN(9)
		for range n {
			x := []int64{math.MinInt64, math.MaxInt64, -1, int64(r.Uint64()), int64(r.Uint64()) >> r.IntN(64)}[r.IntN(5)]
			s.AddInt(x)
			sum.Add(sum, new(big.Rat).SetInt64(x))
		}
		want, _ := sum.Float64()
		mean, _ := sum.Quo(sum, new(big.Rat).SetInt64(int64(n))).Float64()
		if s.Value() != want || s.Mean() != mean || s.Len() != int64(n) {
			t.Fatalf("seed %d: got the sum %v and the mean %v of %d, want %v and %v of %d", seed, s.Value(), s.Mean(), s.Len(), want, mean, n)
		}
	}
}

// Sums and means agree with rational arithmetic, in any order.
func TestSum_MatchesRationals(t *testing.T) {
	t.Parallel()
	var s exactsum.Sum
	inexact, infinite := 0, 0
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 7))
		list := draw(r)
		sum := new(big.Rat)
		plain := 0.0
		for _, x := range list {
			sum.Add(sum, new(big.Rat).SetFloat64(x))
			plain += x
		}
		want, _ := sum.Float64()
		mean, _ := sum.Quo(sum, new(big.Rat).SetInt64(int64(len(list)))).Float64()
		for range 3 {
			s.Reset()
			for _, x := range list {
				s.Add(x)
			}
			if got := s.Value(); got != want || math.Signbit(got) && got == 0 {
				t.Fatalf("seed %d: got the sum %v, want %v, of %v", seed, got, want, list)
			}
			if got := s.Mean(); got != mean || math.Signbit(got) && got == 0 {
				t.Fatalf("seed %d: got the mean %v, want %v, of %v", seed, got, mean, list)
			}
			if s.Len() != int64(len(list)) {
				t.Fatalf("seed %d: got %d numbers, want %d", seed, s.Len(), len(list))
			}
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		if plain != want {
			inexact++
		}
		if math.IsInf(want, 0) {
			infinite++
		}
	}
	if inexact < 2000 || infinite < 20 {
		t.Errorf("got %d sums that are not exact and %d infinite ones, want more", inexact, infinite)
	}
}

func TestSum_Values(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list      []float64
		sum, mean float64
	}{
		{[]float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 1, 0.1},
		{[]float64{1e308, 1e308, -1e308}, 1e308, 1e308 / 3},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, math.Inf(1), math.MaxFloat64},
		{[]float64{-1e308, -1e308, 3}, math.Inf(-1), -2e308 / 3},
		{[]float64{1e308, 1, -1e308, 1e-308}, 1, 0.25},
		{[]float64{math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat64}, 2 * math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat64},
		{[]float64{0, math.Copysign(0, -1)}, 0, 0},
		{[]float64{1, 0x1p-53}, 1, 0.5},
		{[]float64{1, 0x1p-53, 0x1p-105}, 1 + 0x1p-52, (1 + 0x1p-52) / 3},
	} {
		var s exactsum.Sum
		for _, x := range c.list {
			s.Add(x)
		}
		check.Is(t, s.Value(), c.sum, "%v, sum", c.list)
		if diff := math.Abs(s.Mean() - c.mean); !(diff <= 1e-15*math.Abs(c.mean)) {
			t.Errorf("%v: got the mean %v, want %v", c.list, s.Mean(), c.mean)
		}
	}
}
