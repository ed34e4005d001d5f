package loglinear_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/network"
)

func TestModel_Components(t *testing.T) {
	t.Parallel()
	w := oracle.New(9, 2)
	w.And(0, 1, oracle.Pos(5), oracle.Pos(0)) // connected, though its weight is 0
	w.And(1, 1, oracle.Pos(8))
	w.HardClause(oracle.Pos(2), oracle.Neg(7))
	w.Feature(1, 1, oracle.Node(network.OpOr, oracle.Leaf(oracle.Pos(7)), oracle.Leaf(oracle.Pos(3))))
	w.And(1, 1, oracle.Neg(1), oracle.Pos(4), oracle.Pos(6))
	var m loglinear.Model
	m.Reset(w.Network(), []float64{0, 1})
	want := [][]uint32{{0, 5}, {1, 4, 6}, {2, 3, 7}, {8}}
	check.MustIs(t, m.Components.Len(), len(want), "components")
	for c := range want {
		if diff := cmp.Diff(m.Components.Atoms(c), want[c]); diff != "" {
			t.Errorf("component %d: %s", c, diff)
		}
	}
	if diff := cmp.Diff(m.Scope.Atoms, []uint32{0, 1, 2, 3, 4, 5, 6, 7}); diff != "" {
		t.Errorf("sampled by default: %s", diff)
	}
	m.SetExact(2)
	if diff := cmp.Diff(m.Scope.Atoms, []uint32{1, 2, 3, 4, 6, 7}); diff != "" {
		t.Errorf("sampled beyond 2: %s", diff)
	}
	m.SetExact(0)
	check.Is(t, len(m.Scope.Atoms), 9, "sampled beyond 0, atoms")
}

func TestAddCounts(t *testing.T) {
	t.Parallel()
	const seed = 2
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		w, _ := oracle.Random(r, 9, 1, false)
		net := w.Network()
		x := make([]bool, w.Atoms)
		for a := range x {
			x[a] = r.IntN(2) == 0
		}
		want := w.Counts(x)
		sums := make([]float64, w.Formulas)
		loglinear.AddCounts(sums, net, x)
		for i, n := range want {
			if sums[i] != float64(n-net.Constant[i]) {
				t.Fatalf("formula %d: got %v, want %v", i, sums[i], n-net.Constant[i])
			}
		}
	}
}

func ExampleAddCounts() {
	counts := make([]float64, 2)
	loglinear.AddCounts(counts, oracle.Friends(), []bool{true, true, false})
	fmt.Println(counts)
	// Output:
	// [2 1]
}

// BindExact gives the same model as Reset and SetExact, whatever the model was bound to before.
func TestModel_BindExact(t *testing.T) {
	t.Parallel()
	const seed = 9
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var got loglinear.Model
	for i := range 40 {
		w, weights := oracle.Random(r, 6+r.IntN(6), 0.5, i%2 == 0)
		net := w.Network()
		var want loglinear.Model
		want.Reset(net, weights)
		want.SetExact(i % 8)
		got.BindExact(net, i%8)
		check.MustEqual(t, fmt.Sprintf("network %d", i), got.Scope.Atoms, want.Scope.Atoms)
		got.SetWeights(weights)
		want.SetWeights(weights)
		marginals := make([][]float64, 2)
		for k, m := range []*loglinear.Model{&got, &want} {
			marginals[k] = make([]float64, w.Atoms)
			opt := mcsat.DefaultOptions()
			opt.Method, opt.Samples, opt.BurnIn = mcsat.MethodMCSAT, 10, 0
			_, err := new(mcsat.Inference).Marginals(marginals[k], m, opt, []*rand.Rand{rand.New(rand.NewPCG(uint64(i), 0))})
			var unsatisfiable *loglinear.UnsatisfiableError
			if err != nil && !errors.As(err, &unsatisfiable) {
				t.Fatal(err)
			}
		}
		check.MustEqual(t, fmt.Sprintf("network %d, marginals", i), marginals[1], marginals[0])
	}
}

// addParity adds the conjunctions over atoms that hold for one of their parities, each with its own formula.
func addParity(w *oracle.Ground, odd bool, atoms []int, formula func() uint32) {
	for s := range 1 << len(atoms) {
		var lits []network.Lit
		parity := false
		for i, a := range atoms {
			lits = append(lits, network.NewLit(uint32(a), s>>i&1 == 0))
			parity = parity != (s>>i&1 == 1)
		}
		if parity == odd {
			w.And(formula(), 1, lits...)
		}
	}
}

// Parities and the rest of the conjunctions add up to the conjunctions, up to a constant.
func TestModel_Parities(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		const atoms, formulas = 8, 6
		w := oracle.New(atoms, formulas)
		parities := 1 + r.IntN(3)
		for range parities {
			one, first := r.IntN(2) == 0, uint32(r.IntN(formulas))
			addParity(w, r.IntN(2) == 0, r.Perm(atoms)[:3+r.IntN(2)], func() uint32 {
				if one {
					return first
				}
				return uint32(r.IntN(formulas))
			})
		}
		w.And(0, 1, oracle.Pos(0), oracle.Neg(1), oracle.Pos(2))
		weights := make([]float64, formulas)
		for i := range weights {
			weights[i] = r.NormFloat64()
		}
		var m loglinear.Model
		m.Reset(w.Network(), weights)
		m.SplitCouplings()
		if len(m.Parities) < 1 || len(m.Parities) > parities {
			t.Fatalf("got %d parities of %d", len(m.Parities), parities)
		}
		least, most := math.Inf(1), math.Inf(-1)
		x := make([]bool, atoms)
		for s := range 1 << atoms {
			for a := range x {
				x[a] = s>>a&1 == 1
			}
			sum := 0.0
			for i, c := range m.Net.Conjunctions {
				if loglinear.AllTrue(c.Lits, x) {
					sum += m.SoftEnergy[i] - m.SoftRest[i]
				}
			}
			for i := range m.Parities {
				if m.Parities[i].Holds(x) {
					sum -= m.Parities[i].Energy
				}
			}
			least, most = min(least, sum), max(most, sum)
		}
		check.AtMost(t, most-least, 1e-9, "energies differ by")
	}
}

// The clauses of an exclusive disjunction form a parity; three of its four clauses do not.
func TestModel_HardParities(t *testing.T) {
	t.Parallel()
	for _, clauses := range []int{3, 4} {
		w := oracle.New(3, 1)
		w.And(0, 1, oracle.Pos(0))
		for s := range 8 {
			if n := s&1 + s>>1&1 + s>>2&1; n%2 == 0 && s < 2*clauses { // an even number of true atoms
				w.HardClause(network.NewLit(0, s&1 == 1), network.NewLit(1, s&2 == 2), network.NewLit(2, s&4 == 4))
			}
		}
		var m loglinear.Model
		m.Reset(w.Network(), []float64{1})
		m.SplitCouplings()
		if got := len(m.Parities); got != clauses-3 {
			t.Fatalf("%d clauses: got %d parities", clauses, got)
		}
		for i := range m.Parities {
			if p := &m.Parities[i]; !p.Odd || !math.IsInf(p.Energy, 1) {
				t.Errorf("got %+v", p)
			}
		}
	}
}

// The atoms of a network without ties have the probabilities of enumeration, by a model that was bound to another network before; one with
// a tie of any kind, even of weight 0, is refused.
func TestModel_Untied(t *testing.T) {
	t.Parallel()
	var m loglinear.Model
	m.Reset(oracle.Friends(), []float64{1, 1})
	const seed = 5
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		w := oracle.New(1+r.IntN(6), 3)
		for a := range w.Atoms {
			w.And(uint32(a%3), int64(1+a/3), oracle.Pos(a))
			w.And(2, -1, oracle.Neg(a))
		}
		weights := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		got := make([]float64, w.Atoms)
		check.MustIs(t, m.Untied(got, w.Network(), weights), true, "untied")
		want := w.Marginals(weights)
		for a := range got {
			check.MustNear(t, got[a], want[a], 1e-14, "atom %d of %d", a, w.Atoms)
		}
	}
	or := oracle.Node(network.OpOr, oracle.Leaf(oracle.Pos(0)), oracle.Leaf(oracle.Pos(1)))
	for name, tie := range map[string]func(*oracle.Ground){
		"pair":         func(w *oracle.Ground) { w.And(0, 1, oracle.Pos(0), oracle.Pos(1)) },
		"conjunction":  func(w *oracle.Ground) { w.And(0, 1, oracle.Pos(0), oracle.Neg(1), oracle.Pos(2)) },
		"feature":      func(w *oracle.Ground) { w.Feature(0, 1, or) },
		"clause":       func(w *oracle.Ground) { w.HardClause(oracle.Pos(0)) },
		"hard feature": func(w *oracle.Ground) { w.HardFeature(or) },
	} {
		w := oracle.New(3, 1)
		tie(w)
		check.Is(t, m.Untied(make([]float64, 3), w.Network(), []float64{0}), false, "%s: untied", name)
	}
	net := oracle.New(2, 1).Network()
	net.Bilinears = make([]network.Bilinear, 1)
	check.Is(t, m.Untied(make([]float64, 2), net, []float64{0}), false, "bilinear factor: untied")
}
