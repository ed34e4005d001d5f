package elementary_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"resolwe/internal/elementary"
	"resolwe/internal/test/check"
)

func TestSolve_MatchesGonum(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 51))
		n := 1 + r.IntN(20)
		root := mat.NewDense(n, n, nil)
		b := make([]float64, n)
		for i := range n {
			b[i] = r.NormFloat64()
			for j := range n {
				root.Set(i, j, r.NormFloat64())
			}
		}
		var a mat.Dense
		a.Mul(root, root.T())
		for i := range n {
			a.Set(i, i, a.At(i, i)+0.1)
		}
		var want mat.VecDense
		check.OK(t, want.SolveVec(&a, mat.NewVecDense(n, slices.Clone(b))))
		got := slices.Clone(b)
		if !elementary.Solve(slices.Clone(a.RawMatrix().Data), got) {
			t.Fatalf("seed %d: not positive definite", seed)
		}
		for i, x := range got {
			check.Near(t, x, want.AtVec(i), 1e-7*max(1, math.Abs(x)), "seed %d, x[%d]", seed, i)
		}
	}
}

func TestSolve_NotPositiveDefinite(t *testing.T) {
	t.Parallel()
	for name, a := range map[string][]float64{
		"zero":       {0, 0, 0, 0},
		"indefinite": {1, 2, 2, 1},
		"singular":   {1, 1, 1, 1},
		"negative":   {-1, 0, 0, -1},
		"undefined":  {math.NaN(), 0, 0, 1},
	} {
		if elementary.Solve(a, []float64{1, 1}) {
			t.Errorf("%s: got a solution, want none", name)
		}
	}
}

func TestVariances_MatchesGonum(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 69))
		n := 1 + r.IntN(12)
		root := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				root.Set(i, j, r.NormFloat64())
			}
		}
		var a, inverse mat.Dense
		a.Mul(root, root.T())
		for i := range n {
			a.Set(i, i, a.At(i, i)+0.1)
		}
		check.OK(t, inverse.Inverse(&a))
		got, ok := elementary.Variances(slices.Clone(a.RawMatrix().Data), n)
		if !ok {
			t.Fatalf("seed %d: not positive definite", seed)
		}
		for i, v := range got {
			if want := inverse.At(i, i); math.Abs(v-want) > 1e-7*want {
				t.Errorf("seed %d, place %d: got %v, want %v", seed, i, v, want)
			}
		}
	}
	if _, ok := elementary.Variances([]float64{1, 2, 2, 1}, 2); ok {
		t.Error("an indefinite matrix has variances")
	}
}
