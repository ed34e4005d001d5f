package mcsat_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/network"
)

// group forbids two of the atoms to be true together and, if closed, requires one.
func group(w *oracle.Ground, closed bool, atoms ...int) {
	var clause []network.Lit
	for i, a := range atoms {
		for _, b := range atoms[:i] {
			w.HardClause(oracle.Neg(b), oracle.Neg(a))
		}
		clause = append(clause, oracle.Pos(a))
	}
	if closed {
		w.HardClause(clause...)
	}
}

// What has a closed form has no error and no warning, whatever the method: fixed atoms, and units and groups that nothing connects with
// others but fixed atoms or factors without energy. All else is sampled.
func TestMarginals_ClosedForms(t *testing.T) {
	t.Parallel()
	const zero = 2 // formula of weight 0
	for _, test := range []struct {
		name    string
		atoms   int
		add     func(w *oracle.Ground)
		sampled int
	}{
		{"a group", 3, func(w *oracle.Ground) { group(w, true, 0, 1, 2) }, 0},
		{"a group that may be empty", 4, func(w *oracle.Ground) { group(w, false, 0, 1, 2, 3) }, 0},
		{"a group of few pairs", 4, func(w *oracle.Ground) {
			group(w, true, 0, 1, 2, 3)
			w.And(0, 1, oracle.Neg(0), oracle.Neg(2))
		}, 0},
		{"a unit", 2, func(w *oracle.Ground) {
			w.HardClause(oracle.Pos(0), oracle.Pos(1))
			w.HardClause(oracle.Neg(0), oracle.Neg(1))
		}, 0},
		{"fixed atoms", 3, func(w *oracle.Ground) {
			w.HardClause(oracle.Pos(0))
			w.HardClause(oracle.Neg(0), oracle.Pos(1))
			w.HardClause(oracle.Neg(0), oracle.Neg(1), oracle.Neg(2))
		}, 0},
		{"an atom tied to a fixed one", 3, func(w *oracle.Ground) {
			w.HardClause(oracle.Pos(1))
			w.And(0, 1, oracle.Pos(0), oracle.Pos(1))
			w.And(1, 2, oracle.Pos(0), oracle.Neg(1), oracle.Pos(2))
			w.HardClause(oracle.Pos(0), oracle.Pos(1), oracle.Pos(2))
		}, 0},
		{"parities", 4, func(w *oracle.Ground) {
			addParity(w, 0, true, true, []int{0, 1, 2})
			addParity(w, 0, true, false, []int{0, 1, 3})
			addParity(w, 0, true, true, []int{0, 2, 3})
		}, 0},
		{"ties without weight", 3, func(w *oracle.Ground) {
			w.And(zero, 1, oracle.Pos(0), oracle.Pos(1))
			w.And(zero, 1, oracle.Pos(0), oracle.Pos(1), oracle.Pos(2))
		}, 0},
		{"ties with weight", 4, func(w *oracle.Ground) {
			w.HardClause(oracle.Pos(3))
			w.And(0, 1, oracle.Pos(0), oracle.Pos(1))
			w.And(zero, 1, oracle.Pos(1), oracle.Pos(2), oracle.Pos(3))
		}, 2},
		{"a clause that nothing satisfies", 3, func(w *oracle.Ground) { w.HardClause(oracle.Pos(0), oracle.Pos(1), oracle.Pos(2)) }, 3},
		{"two groups", 7, func(w *oracle.Ground) {
			group(w, true, 0, 1, 2)
			group(w, false, 3, 4, 5, 6)
			w.And(0, 1, oracle.Pos(1), oracle.Pos(4))
		}, 7},
		{"a soft parity", 3, func(w *oracle.Ground) { addParity(w, 0, false, true, []int{0, 1, 2}) }, 3},
	} {
		w := oracle.New(test.atoms, 4)
		test.add(w)
		for a := range test.atoms {
			w.And(3, int64(a+1), oracle.Pos(a))
		}
		weights := []float64{1.2, -0.7, 0, 0.4}
		want := w.Enumerate(weights)
		for _, method := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
			opt := mcsat.DefaultOptions()
			opt.Method, opt.Samples = method, 400
			var f mcsat.Inference
			got, errs := make([]float64, test.atoms), make([]float64, test.atoms)
			d, err := f.Marginals(got, modelOf(w.Network(), weights), opt, sources(1, 4))
			check.OK(t, err)
			f.Errors(errs)
			exact := 0
			for a, e := range errs {
				if e == 0 {
					exact++
					check.Near(t, got[a], want.Marginals[a], 1e-12, "%s, %s, atom %d", test.name, method, a)
				}
			}
			check.Equal(t, test.name+": sampled", []int{d.Sampled, test.atoms - exact}, []int{test.sampled, test.sampled})
			if d.Sampled == 0 && (d.Any() || d.Imprecise || d.Samples > 0 || !math.IsNaN(d.MaxError)) || d.Short {
				t.Errorf("%s, %s: got %+v", test.name, method, d)
			}
		}
	}
}

// In random networks, marginals without an error are exact.
func TestMarginals_NoErrorIsExact(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var f mcsat.Inference
	exact := 0
	for i := range 150 {
		w, weights := oracle.Random(r, 6, 1, true)
		if i%2 == 0 {
			group(w, i%4 == 0, r.Perm(6)[:3+r.IntN(2)]...)
		}
		w.HardClause(network.NewLit(uint32(r.IntN(6)), r.IntN(2) == 0))
		weights[1+r.IntN(5)] = 0
		want := w.Enumerate(weights)
		if want.States == 0 {
			continue
		}
		opt := mcsat.DefaultOptions()
		opt.Method, opt.Samples, opt.BurnIn = mcsat.MethodMCSAT, 20, 0
		got, errs := make([]float64, w.Atoms), make([]float64, w.Atoms)
		_, err := f.Marginals(got, modelOf(w.Network(), weights), opt, sources(i, 2))
		check.OK(t, err)
		f.Errors(errs)
		for a, e := range errs {
			if e == 0 {
				exact++
				check.Near(t, got[a], want.Marginals[a], 1e-9, "seed %d, network %d, atom %d", seed, i, a)
			}
		}
	}
	check.AtLeast(t, exact, 50, "atoms without an error")
}
