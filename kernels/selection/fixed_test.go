package selection_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/selection"
)

// rounded returns num / den in units of 2^-62, down or up.
func rounded(num, den *big.Int, up bool) *big.Int {
	q, r := new(big.Int).QuoRem(new(big.Int).Lsh(num, 62), den, new(big.Int))
	if up && r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// decimal returns theta as the decimal that is written, in units of 2^-62, rounded up.
func decimal(text string) *big.Int {
	r, _ := new(big.Rat).SetString(text)
	return rounded(r.Num(), r.Denom(), true)
}

func TestMean_MatchesRational(t *testing.T) {
	t.Parallel()
	thetas := []string{"0", "0.001", "0.25", "0.4", "0.55", "0.1", "0.3333333333333333", "0.75", "0.999", "1", "1.5", "3.99", "4", "1e30"}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 5))
		var m selection.Mean
		sum, n := new(big.Int), 1+r.IntN(40)
		small := r.IntN(2) == 0
		for range n {
			den := r.Int64N(math.MaxInt64) + 1
			if small {
				den = r.Int64N(20) + 1
			}
			num := r.Int64N(den) + r.Int64N(2)
			m.Add(num, den)
			sum.Add(sum, rounded(big.NewInt(num), big.NewInt(den), false))
		}
		want, _ := new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(int64(n)), 62)).Float64()
		check.Near(t, m.Value(), want, 1e-15, "seed %d, mean", seed)
		if got := m.Defined(); got != int64(n) {
			t.Errorf("seed %d, defined: got %d, want %d", seed, got, n)
		}
		for _, text := range thetas {
			theta, _ := new(big.Float).SetString(text)
			value, _ := theta.Float64()
			limit := new(big.Int).Mul(decimal(text), big.NewInt(int64(n)))
			check.Is(t, m.Exceeds(selection.NewThreshold(value)), sum.Cmp(limit) > 0, "seed %d, above %s", seed, text)
		}
	}
}

func TestMean_TieIsNotAbove(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		parts [][2]int64
		theta float64
		above bool
	}{
		"two fifths":                   {[][2]int64{{2, 5}}, 0.4, false},
		"many two fifths":              {[][2]int64{{2, 5}, {4, 10}, {40, 100}}, 0.4, false},
		"a half":                       {[][2]int64{{1, 2}, {1, 2}}, 0.5, false},
		"mean of one and zero":         {[][2]int64{{7, 7}, {0, 3}}, 0.5, false},
		"thirds, whose sum is rounded": {[][2]int64{{1, 3}, {2, 3}}, 0.5, false},
		"just above":                   {[][2]int64{{2000001, 5000000}}, 0.4, true},
		"a unit of 2^-62 above":        {[][2]int64{{1<<61 + 1, 1 << 62}}, 0.5, true},
		"less than a unit above":       {[][2]int64{{1<<62 + 1, math.MaxInt64}}, 0.5, false},
		"nothing is above nothing":     {nil, 0, false},
		"one is not above one":         {[][2]int64{{1, 1}}, 1, false},
		"zero is not above zero":       {[][2]int64{{0, 1}}, 0, false},
		"above zero":                   {[][2]int64{{1, math.MaxInt64}, {0, 1}}, 0, false}, // rounds to 0
		"2^-62 is above zero":          {[][2]int64{{1, 1 << 62}}, 0, true},
		"theta beyond 64 bits":         {[][2]int64{{1, 1}}, 1e18, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var m selection.Mean
			for _, p := range c.parts {
				m.Add(p[0], p[1])
			}
			check.Is(t, m.Exceeds(selection.NewThreshold(c.theta)), c.above, "Exceeds")
		})
	}
}

func TestMean_UndefinedIsNaN(t *testing.T) {
	t.Parallel()
	var m selection.Mean
	if got := m.Value(); !math.IsNaN(got) {
		t.Errorf("got %v, want NaN", got)
	}
}

func TestFixed_MatchesRational(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 7))
		var f selection.Fixed
		sum := new(big.Rat)
		for range 1 + r.IntN(20) {
			d := r.Int64N(1<<uint(1+r.IntN(40))) + 1
			a, b := r.Int64N(d+1), r.Int64N(1<<20)
			f.AddRatio(a, b, d)
			sum.Add(sum, new(big.Rat).Mul(big.NewRat(a, d), big.NewRat(b, 1)))
		}
		want, _ := sum.Float64()
		check.Near(t, f.Value(), want, 1e-15*want, "seed %d", seed)
	}
}
