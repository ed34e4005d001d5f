package learning_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"resolwe"
	"resolwe/internal/elementary"
	"resolwe/internal/test/check"
)

// tieTree is a task whose atoms are tied along trees.
const tieTree = "e(a, a)\nf(a)\ntarget q(a)\nq(x)\nf(x) ^ q(x)\ne(x, y) ^ q(x) ^ q(y)\n"

// forest is data of it: each atom but the first of a tree is tied to an earlier one.
type forest []struct {
	parent int // -1 for none
	f, q   bool
}

// randomForest draws trees of so many atoms, whose atoms are tied to one of so many before them.
func randomForest(r *rand.Rand, trees, atoms, back int) forest {
	out := make(forest, trees*atoms)
	for i := range out {
		x := &out[i]
		k := i % atoms
		if x.parent = -1; k > 0 {
			x.parent = i - 1 - r.IntN(min(k, back))
		}
		x.f = r.IntN(3) == 0
		x.q = r.Float64() < .3 || x.parent >= 0 && out[x.parent].q && r.IntN(2) == 0
	}
	return out
}

func (t forest) db() string {
	var b strings.Builder
	for i, x := range t {
		fmt.Fprintf(&b, "@entity a A%d\n", i)
		if x.parent >= 0 {
			fmt.Fprintf(&b, "e(A%d, A%d)\n", x.parent, i)
		}
		if x.f {
			fmt.Fprintf(&b, "f(A%d)\n", i)
		}
		if x.q {
			fmt.Fprintf(&b, "q(A%d)\n", i)
		}
	}
	return b.String()
}

// objective is the conditional log-likelihood of the data, by belief propagation, and the logarithm of the prior around 0 with
// a standard deviation of 2.
func (t forest) objective(w []float64) float64 {
	softplus := func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
	odds, sum := make([]float64, len(t)), 0.0
	for i, x := range t {
		h := w[0]
		if x.f {
			h += w[1]
		}
		odds[i] = h
		if x.q {
			sum += h
			if x.parent >= 0 && t[x.parent].q {
				sum += w[2]
			}
		}
	}
	for i, x := range slices.Backward(t) {
		sum -= softplus(odds[i])
		if p := x.parent; p >= 0 {
			odds[p] += softplus(odds[i]+w[2]) - softplus(odds[i])
		}
	}
	for _, v := range w {
		sum -= v * v / 8
	}
	return sum
}

// slope is the objective's gradient, by differences.
func (t forest) slope(w []float64) []float64 {
	const h = 2e-4
	out, at := make([]float64, len(w)), slices.Clone(w)
	for i := range w {
		at[i] = w[i] + h
		up := t.objective(at)
		at[i] = w[i] - h
		out[i] = (up - t.objective(at)) / (2 * h)
		at[i] = w[i]
	}
	return out
}

// optimum climbs by Newton's method on differences.
func (t forest) optimum() []float64 {
	const h = 1e-3
	w := make([]float64, 3)
	for range 30 {
		step, matrix := t.slope(w), make([]float64, 9)
		for i := range w {
			at := slices.Clone(w)
			at[i] += h
			for j, g := range t.slope(at) {
				matrix[3*max(i, j)+min(i, j)] = (step[j] - g) / h
			}
		}
		if !elementary.Solve(matrix, step) {
			panic("no optimum")
		}
		for i, s := range step {
			w[i] += max(-1, min(1, s))
		}
	}
	return w
}

// Learning on trees of any size is exact.
func TestLearn_Trees(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 3))
	m := parse(t, tieTree)
	for _, data := range []forest{
		randomForest(r, 1, 500, 1), randomForest(r, 1, 500, 500), randomForest(r, 8, 40, 3),
	} {
		got, err := resolwe.Learn(t.Context(), m, inMemory(t, m, data.db()), resolwe.LearnOptions{Objective: true})
		check.OK(t, err)
		want := data.optimum()
		if !got.Converged || !got.Exact || math.Abs(got.Objective-data.objective(want)) > 1e-6 {
			t.Errorf("%d atoms: got %+v, want an objective of %v", len(data), got, data.objective(want))
		}
		for i, w := range weights(got.Model.Formulas) {
			check.Near(t, w, want[i], 1e-6, "%d atoms, weight %d", len(data), i)
		}
	}
}
