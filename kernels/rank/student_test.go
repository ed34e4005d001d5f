package rank_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"resolwe/internal/test/check"
	"resolwe/kernels/rank"
)

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
