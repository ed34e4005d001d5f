package loglinear_test

import (
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// addHardParity requires an odd number of the atoms to be true, or an even one: by clauses, by equivalences, or by alternatives.
func addHardParity(w *oracle.Ground, form int, odd bool, atoms []int) {
	leaf := func(a int, negated bool) *network.Node { return oracle.Leaf(network.NewLit(uint32(a), negated)) }
	tree := leaf(atoms[0], odd)
	for _, a := range atoms[1:] {
		switch form {
		case 1:
			tree = oracle.Node(network.OpNot, oracle.Node(network.OpIff, tree, leaf(a, false)))
		default:
			not := oracle.Node(network.OpNot, tree)
			tree = oracle.Node(network.OpOr,
				oracle.Node(network.OpAnd, tree, leaf(a, true)), oracle.Node(network.OpAnd, not, leaf(a, false)))
		}
	}
	if form > 0 {
		w.HardFeature(oracle.Node(network.OpNot, tree))
		return
	}
	for s := range 1 << len(atoms) {
		var lits []network.Lit
		parity := odd
		for i, a := range atoms {
			lits = append(lits, network.NewLit(uint32(a), s>>i&1 == 1))
			parity = parity != (s>>i&1 == 1)
		}
		if parity { // forbids the state s
			w.HardClause(lits...)
		}
	}
}

// What parities imply is found by elimination: contradictions, fixed atoms, and atoms that are equal or opposite.
func TestImplications_Parities(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var m loglinear.Model
	contradictions, fixed, units := 0, 0, 0
	for i := range 300 {
		const atoms = 8
		w := oracle.New(atoms, 1)
		for range 1 + r.IntN(atoms) {
			addHardParity(w, r.IntN(3), r.IntN(2) == 0, r.Perm(atoms)[:3+r.IntN(3)])
		}
		if r.IntN(3) == 0 {
			w.HardClause(network.NewLit(uint32(r.IntN(atoms)), r.IntN(2) == 0))
		}
		var states [][]bool
		for s := range 1 << atoms {
			x := make([]bool, atoms)
			for a := range x {
				x[a] = s>>a&1 == 1
			}
			if w.Lawful(x) {
				states = append(states, x)
			}
		}
		m.Reset(w.Network(), []float64{0})
		if contradictory := m.Implications.Conflict >= 0; contradictory || len(states) == 0 {
			check.Equal(t, "contradictory", contradictory, len(states) == 0)
			oracle.WantUnsatisfiable(t, m.Possible())
			contradictions++
			continue
		}
		always := func(holds func(x []bool) bool) bool {
			for _, x := range states {
				if !holds(x) {
					return false
				}
			}
			return true
		}
		for a := range uint32(atoms) {
			value, ok := m.Implications.Fixed(a)
			first := states[0][a]
			if want := always(func(x []bool) bool { return x[a] == first }); ok != want || ok && value != first {
				t.Errorf("seed %d, network %d: atom %d is %v, %v; want fixed %v to %v", seed, i, a, value, ok, want, first)
			}
			if ok {
				fixed++
				continue
			}
			l := m.Implications.Block[a]
			if !always(func(x []bool) bool { return x[a] == l.True(x) }) {
				t.Errorf("seed %d, network %d: atom %d is not %v", seed, i, a, l)
			}
			for b := range a {
				if other := m.Implications.Block[b]; always(func(x []bool) bool { return (x[a] == x[b]) == (first == states[0][b]) }) {
					check.Equal(t, "unit", l.Atom(), other.Atom())
					units++
				}
			}
		}
	}
	check.AtLeast(t, min(contradictions, fixed, units), 20, "of each kind")
}

// What parities and clauses imply together holds in every state that satisfies them.
func TestImplications_ParitiesAndClauses(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var m loglinear.Model
	fixed, units := 0, 0
	for i := range check.Networks(t, 2000) {
		const atoms = 7
		w := oracle.New(atoms, 1)
		for range 3 + r.IntN(5) {
			addHardParity(w, 1+r.IntN(2), r.IntN(2) == 0, r.Perm(atoms)[:3+r.IntN(3)])
		}
		for range 1 + r.IntN(3) {
			var clause []network.Lit
			for _, a := range r.Perm(atoms)[:2+r.IntN(2)] {
				clause = append(clause, network.NewLit(uint32(a), r.IntN(2) == 0))
			}
			w.HardClause(clause...)
		}
		m.Reset(w.Network(), []float64{0})
		for s := range 1 << atoms {
			x := make([]bool, atoms)
			for a := range x {
				x[a] = s>>a&1 == 1
			}
			if !w.Lawful(x) {
				continue
			}
			check.Is(t, m.Implications.Conflict, -1, "seed %d, network %d has a solution: conflict", seed, i)
			for a := range uint32(atoms) {
				value, ok := m.Implications.Fixed(a)
				l := m.Implications.Block[a]
				if ok && x[a] != value || !ok && x[a] != l.True(x) {
					t.Errorf("seed %d, network %d: atom %d is fixed %v to %v, or %v; not so in %v", seed, i, a, ok, value, l, x)
				}
				fixed, units = fixed+int(loglinear.Indicator(ok)), units+int(loglinear.Indicator(!ok && l.Atom() != a))
			}
		}
	}
	check.AtLeast(t, min(fixed, units), 100, "of each kind")
}
