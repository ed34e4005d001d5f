package localsearch_test

import (
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/localsearch"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// xor returns a tree that holds if an odd number of the atoms is true.
func xor(atoms ...int) *network.Node {
	n := oracle.Leaf(oracle.Pos(atoms[0]))
	for _, a := range atoms[1:] {
		n = oracle.Node(network.OpNot, oracle.Node(network.OpIff, n, oracle.Leaf(oracle.Pos(a))))
	}
	return n
}

// parityClauses calls add with the clauses that require an odd number of true atoms, or an even one.
func parityClauses(odd bool, atoms []int, add func(lits ...network.Lit)) {
	for s := range 1 << len(atoms) {
		var lits []network.Lit
		even := true
		for i, a := range atoms {
			lits = append(lits, network.NewLit(uint32(a), s>>i&1 == 1))
			even = even != (s>>i&1 == 1)
		}
		if even == odd { // violated by the state s only
			add(lits...)
		}
	}
}

// plantedParities draws overlapping parities of three to six atoms, hard, soft or both, as clauses, conjunctions or trees, that a hidden
// state satisfies, with a few clauses and fields.
func plantedParities(r *rand.Rand, atoms, parities int) (*oracle.Ground, []float64) {
	w := oracle.New(atoms, 5)
	hidden := make([]bool, atoms)
	for a := range hidden {
		hidden[a] = r.IntN(2) == 0
	}
	hard, chain := r.IntN(3), r.IntN(2) == 0
	for i := range parities {
		at := r.Perm(atoms)[:3+r.IntN(4)]
		for k := 0; chain && k < len(at); k++ {
			at[k] = (2*i + k) % atoms
		}
		odd := false
		for _, a := range at {
			odd = odd != hidden[a]
		}
		tree, f := xor(at...), uint32(1+r.IntN(2))
		if !odd {
			tree = oracle.Node(network.OpNot, tree)
		}
		asTree := len(at) > 4 || r.IntN(2) == 0
		switch isHard := hard == 0 || hard == 1 && r.IntN(2) == 0; {
		case isHard && asTree:
			w.HardFeature(tree)
		case isHard:
			parityClauses(odd, at, w.HardClause)
		case asTree:
			w.Feature(f, 1, tree)
		default:
			parityClauses(odd, at, func(lits ...network.Lit) { w.Or(f, 1, lits...) })
		}
	}
	for range r.IntN(3) {
		var clause []network.Lit
		for _, a := range r.Perm(atoms)[:3] {
			clause = append(clause, network.NewLit(uint32(a), r.IntN(2) == 0))
		}
		if clause[0].True(hidden) {
			w.HardClause(clause...)
		}
	}
	for a := range atoms {
		w.And(3, int64(r.IntN(7)-3), oracle.Pos(a))
	}
	return w, []float64{0, []float64{0.5, 2, 20}[r.IntN(3)], 1, 0.31, 0}
}

// mode returns the largest energy of a state that satisfies the hard formulas.
func mode(w *oracle.Ground, net *network.Network, weights []float64) (best float64, found bool) {
	x := make([]bool, w.Atoms)
	for s := range 1 << w.Atoms {
		for a := range x {
			x[a] = s>>a&1 == 1
		}
		if !w.Lawful(x) {
			continue
		}
		if e := oracle.Energy(net, weights, x); !found || e > best {
			best, found = e, true
		}
	}
	return best, found
}

// Parities, hard and soft, do not keep the search from the best state.
func TestSearch_Parities(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var m loglinear.Model
	var f localsearch.Search
	for i := range 40 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		w, weights := plantedParities(r, 11, 4+r.IntN(8))
		net := w.Network()
		m.Reset(net, weights)
		want, _ := mode(w, net, weights)
		x, violated := search(t, &f, &m, options(0, 500), r.Uint64())
		if violated > 0 || !w.Lawful(x) {
			t.Errorf("seed %d, network %d: %d hard constraints are violated", seed, i, violated)
			continue
		}
		check.AtLeast(t, oracle.Energy(net, weights, x), want-1e-9*scale(&m), "seed %d, network %d", seed, i)
	}
}
