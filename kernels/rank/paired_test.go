package rank_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat/distuv"

	"resolwe/internal/test/check"
	"resolwe/kernels/rank"
)

func TestPairedT_ByHand(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	undefined := [2]float64{nan, nan}
	tests := []struct {
		name string
		a, b []float64
		want rank.Test
	}{
		{"no pairs", nil, nil, rank.Test{MeanDifference: nan, CI95: undefined, T: nan, P: nan}},
		{"one pair", []float64{3}, []float64{1}, rank.Test{N: 1, MeanDifference: 2, CI95: undefined, T: nan, P: nan}},
		{"no difference", []float64{.1, .2, .3}, []float64{.1, .2, .3}, rank.Test{N: 3, DF: 2, P: 1}},
		{
			"equal differences",
			[]float64{2, 3, 4},
			[]float64{1, 2, 3},
			rank.Test{N: 3, MeanDifference: 1, CI95: [2]float64{1, 1}, T: math.Inf(1), DF: 2},
		},
		{
			"mean 0",
			[]float64{1, 0},
			[]float64{0, 1},
			rank.Test{N: 2, DF: 1, P: 1, CI95: [2]float64{-12.706204736174698, 12.706204736174698}},
		},
		{
			// Differences 1, 2, 3: deviation 1, t = 2 sqrt 3; for two degrees
			// p = 1 - t / sqrt(2 + t^2), the quantile of .975 is
			// .95 sqrt(2 / (1 - .95^2)).
			"three pairs",
			[]float64{1, 2, 3},
			[]float64{0, 0, 0},
			rank.Test{
				N: 3, MeanDifference: 2, T: 2 * math.Sqrt(3), DF: 2, P: 1 - math.Sqrt(12./14),
				CI95: [2]float64{2 - .95*math.Sqrt(2/.0975)/math.Sqrt(3), 2 + .95*math.Sqrt(2/.0975)/math.Sqrt(3)},
			},
		},
		{
			"not a number",
			[]float64{nan, 1},
			[]float64{0, 0},
			rank.Test{N: 2, MeanDifference: nan, CI95: undefined, T: nan, DF: 1, P: nan},
		},
		{
			"infinite",
			[]float64{1, math.Inf(1)},
			[]float64{0, 0},
			rank.Test{N: 2, MeanDifference: math.Inf(1), CI95: undefined, T: nan, DF: 1, P: nan},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := rank.PairedT(tt.a, tt.b)
			check.Equal(t, "test", got, tt.want, near(1e-9), cmpopts.EquateNaNs())
		})
	}
}

func TestPairedT_EqualDifferencesHaveNoDeviation(t *testing.T) {
	t.Parallel()
	a := make([]float64, 10)
	for i := range a {
		a[i] = .1 // ten of them do not sum to 1
	}
	if got := rank.PairedT(a, make([]float64, 10)); got.P != 0 || !math.IsInf(got.T, 1) || got.MeanDifference != .1 {
		t.Errorf("got %+v, want mean .1, t +Inf, p 0", got)
	}
}

func TestPairedT_MatchesGonum(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 8))
		n := 2 + r.IntN(300)
		a, b := make([]float64, n), make([]float64, n)
		shift := r.NormFloat64() * .2
		for i := range a {
			a[i], b[i] = r.Float64()+shift, r.Float64()
		}
		got, swapped := rank.PairedT(a, b), rank.PairedT(b, a)
		student := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}
		check.Near(t, got.P, 2*student.Survival(math.Abs(got.T)), 1e-11, "seed %d: p for t %v and %d pairs", seed, got.T, n)
		edge := (got.CI95[1] - got.MeanDifference) / (got.MeanDifference / got.T)
		if want := student.Quantile(.975); math.Abs(edge-want) > 1e-10*want {
			t.Errorf("seed %d: edge of the interval of %d pairs in standard errors: got %v, want %v", seed, n, edge, want)
		}
		if got.P != swapped.P || got.T != -swapped.T || got.CI95 != [2]float64{-swapped.CI95[1], -swapped.CI95[0]} {
			t.Errorf("seed %d: swapped: got %+v for %+v", seed, swapped, got)
		}
	}
}

func TestPairedT_ExtremeValues(t *testing.T) {
	t.Parallel()
	for _, a := range [][]float64{
		{1e308, -1e308}, {1e-320, 2e-320}, {1, 1 + 1e-16}, {1, math.Nextafter(1, 2)}, {1e200, math.Nextafter(1e200, math.Inf(1))},
	} {
		got := rank.PairedT(a, make([]float64, 2))
		if got.P < 0 || got.P > 1 {
			t.Errorf("%v: p: got %v, want 0 to 1 or none", a, got.P)
		}
	}
}

func TestPairedT_PanicsOnUnequalLengths(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("got no panic")
		}
	}()
	rank.PairedT([]float64{1}, nil)
}

// Gonum itself loses digits near 0, and for more degrees of freedom, where the distribution is nearly normal.
func TestStudent(t *testing.T) {
	t.Parallel()
	near := func(what string, nu int, x, got, want, most float64) {
		check.Near(t, got, want, most*want, "%s of %v, %d degrees of freedom", what, x, nu)
	}
	for _, nu := range []int{1, 2, 3, 4, 5, 7, 10, 28, 29, 30, 64, 98, 99, 100, 101, 102, 150, 999} {
		want := distuv.StudentsT{Sigma: 1, Nu: float64(nu)}
		for x := .05; x < 1e9 && want.Prob(x) > 1e-300; x *= 1.1 {
			near("probability beyond", nu, x, rank.Beyond(nu, x), 2*want.Survival(x), 1e-12)
			near("density", nu, x, rank.Density(nu, x), want.Prob(x), 1e-12)
		}
		near("quantile", nu, .975, rank.Edge(nu), want.Quantile(.975), 1e-12)
	}
	for _, nu := range []int{1e6, 1e7} {
		for x := 0.; x < 3.5; x += .01 {
			density := distuv.UnitNormal.Prob(x)
			want := 2*distuv.UnitNormal.Survival(x) + density*(x*x*x+x)/(2*float64(nu))
			near("probability beyond", nu, x, rank.Beyond(nu, x), want, 1e-9)
			near("density", nu, x, rank.Density(nu, x), density*(1+(x*x*x*x-2*x*x-1)/(4*float64(nu))), 1e-9)
		}
	}
	for nu, want := range map[int]float64{1: 12.7062, 5: 2.5706, 30: 2.0423, 120: 1.9799, 1e3: 1.9623, 1e6: 1.96} { // from tables
		near("quantile", nu, .975, rank.Edge(nu), want, 3e-5)
	}
	for _, x := range []float64{1e-300, 1e-9, 1e120, math.Inf(1)} { // one degree of freedom: the Cauchy distribution
		near("probability beyond", 1, x, rank.Beyond(1, x), 2/math.Pi*math.Atan(1/x), 1e-13)
	}
}
