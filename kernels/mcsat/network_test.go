package mcsat_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"resolwe/kernels/ground"
)

// world is a ground Markov network as its definition has it: weighted Boolean functions, counted with multiplicity,
// and hard ones. It is the oracle, and it builds the ground.Network that means the same.
type world struct {
	atoms, formulas int
	soft            []softFormula
	hard            []func(x []bool) bool

	terms        map[string]*term
	constant     []int64
	features     []ground.Feature
	clauses      [][]ground.Lit
	hardFeatures []ground.Feature
}

type softFormula struct {
	formula uint32
	n       int64
	holds   func(x []bool) bool
}

type term struct {
	lits  []ground.Lit
	coefs map[uint32]int64
}

func newWorld(atoms, formulas int) *world {
	return &world{atoms: atoms, formulas: formulas, terms: map[string]*term{}, constant: make([]int64, formulas)}
}

func pos(a int) ground.Lit { return ground.NewLit(uint32(a), false) }
func neg(a int) ground.Lit { return ground.NewLit(uint32(a), true) }

func every(lits []ground.Lit) func(x []bool) bool {
	return func(x []bool) bool {
		return !slices.ContainsFunc(lits, func(l ground.Lit) bool { return !l.True(x) })
	}
}

func some(lits []ground.Lit) func(x []bool) bool {
	return func(x []bool) bool {
		return slices.ContainsFunc(lits, func(l ground.Lit) bool { return l.True(x) })
	}
}

// and adds n groundings of a conjunction.
func (w *world) and(formula uint32, n int64, lits ...ground.Lit) {
	w.soft = append(w.soft, softFormula{formula, n, every(lits)})
	w.term(formula, n, lits)
}

// or adds n groundings of a clause.
func (w *world) or(formula uint32, n int64, lits ...ground.Lit) {
	w.soft = append(w.soft, softFormula{formula, n, some(lits)})
	opposite := make([]ground.Lit, len(lits))
	for i, l := range lits {
		opposite[i] = l ^ 1
	}
	w.constant[formula] += n
	w.term(formula, -n, opposite)
}

// implies adds one grounding of a => b, which always holds where a is b.
func (w *world) implies(formula uint32, a, b int) {
	w.or(formula, 1, neg(a), pos(b))
}

// term adds a conjunction in the canonical form of ground.Network.
func (w *world) term(formula uint32, n int64, lits []ground.Lit) {
	lits = slices.Compact(slices.Sorted(slices.Values(lits)))
	for i := 1; i < len(lits); i++ {
		if lits[i].Atom() == lits[i-1].Atom() {
			return
		}
	}
	if len(lits) <= 2 {
		for i, l := range lits {
			if l.Negated() {
				w.term(formula, n, slices.Delete(slices.Clone(lits), i, i+1))
				positive := slices.Clone(lits)
				positive[i] ^= 1
				w.term(formula, -n, positive)
				return
			}
		}
	}
	if len(lits) == 0 {
		w.constant[formula] += n
		return
	}
	key := fmt.Sprint(lits)
	if w.terms[key] == nil {
		w.terms[key] = &term{lits: lits, coefs: map[uint32]int64{}}
	}
	w.terms[key].coefs[formula] += n
}

// feature adds n groundings of a tree.
func (w *world) feature(formula uint32, n int64, root *ground.Node) {
	w.soft = append(w.soft, softFormula{formula, n, root.True})
	w.features = append(w.features, ground.Feature{
		Atoms: nodeAtoms(root), Root: root, Coefs: []ground.Coef{{Formula: formula, N: n}},
	})
}

func (w *world) hardClause(lits ...ground.Lit) {
	w.hard = append(w.hard, some(lits))
	w.clauses = append(w.clauses, slices.Sorted(slices.Values(lits)))
}

func (w *world) hardFeature(root *ground.Node) {
	w.hard = append(w.hard, root.True)
	w.hardFeatures = append(w.hardFeatures, ground.Feature{Atoms: nodeAtoms(root), Root: root})
}

func nodeAtoms(n *ground.Node) []uint32 {
	set := map[uint32]bool{}
	var visit func(n *ground.Node)
	visit = func(n *ground.Node) {
		if n.Op == ground.OpLit {
			set[n.Lit.Atom()] = true
		}
		for _, k := range n.Kids {
			visit(k)
		}
	}
	visit(n)
	return slices.Sorted(maps.Keys(set))
}

func node(op ground.NodeOp, kids ...*ground.Node) *ground.Node {
	return &ground.Node{Op: op, Kids: kids}
}

func leaf(l ground.Lit) *ground.Node { return &ground.Node{Op: ground.OpLit, Lit: l} }

func (w *world) network() *ground.Network {
	net := &ground.Network{
		NumAtoms: w.atoms, Constant: w.constant, Features: w.features, Clauses: w.clauses, HardFeatures: w.hardFeatures,
	}
	terms := slices.SortedFunc(maps.Values(w.terms), func(a, b *term) int {
		return cmp.Or(cmp.Compare(len(a.lits), len(b.lits)), slices.Compare(a.lits, b.lits))
	})
	net.UnaryStart = make([]uint32, w.atoms+1)
	net.PairStart = []uint32{0}
	for _, t := range terms {
		var coefs []ground.Coef
		for _, f := range slices.Sorted(maps.Keys(t.coefs)) {
			if t.coefs[f] != 0 {
				coefs = append(coefs, ground.Coef{Formula: f, N: t.coefs[f]})
			}
		}
		if coefs == nil {
			continue
		}
		switch len(t.lits) {
		case 1:
			net.Unary = append(net.Unary, coefs...)
			net.UnaryStart[t.lits[0].Atom()+1] = uint32(len(coefs))
		case 2:
			net.Pairs = append(net.Pairs, ground.Pair{A: t.lits[0].Atom(), B: t.lits[1].Atom()})
			net.PairCoefs = append(net.PairCoefs, coefs...)
			net.PairStart = append(net.PairStart, uint32(len(net.PairCoefs)))
		default:
			net.Cubes = append(net.Cubes, ground.Cube{Lits: t.lits, Coefs: coefs})
		}
	}
	for a := range w.atoms {
		net.UnaryStart[a+1] += net.UnaryStart[a]
	}
	return net
}

// truth is what enumeration of all states by the definition gives.
type truth struct {
	logZ      float64
	marginals []float64
	mean      []float64
	cov       [][]float64
	states    int // that satisfy the hard formulas
}

func (w *world) counts(x []bool) []int64 {
	n := make([]int64, w.formulas)
	for _, s := range w.soft {
		if s.holds(x) {
			n[s.formula] += s.n
		}
	}
	return n
}

func (w *world) lawful(x []bool) bool {
	return !slices.ContainsFunc(w.hard, func(holds func([]bool) bool) bool { return !holds(x) })
}

func (w *world) enumerate(weights []float64) truth {
	type weighted struct {
		x      []bool
		n      []int64
		energy float64
	}
	var states []weighted
	top := math.Inf(-1)
	for bits := range 1 << w.atoms {
		x := make([]bool, w.atoms)
		for a := range x {
			x[a] = bits>>a&1 == 1
		}
		if !w.lawful(x) {
			continue
		}
		s := weighted{x: x, n: w.counts(x)}
		for i, n := range s.n {
			s.energy += weights[i] * float64(n)
		}
		top = max(top, s.energy)
		states = append(states, s)
	}
	z := 0.0
	for _, s := range states {
		z += math.Exp(s.energy - top)
	}
	t := truth{
		logZ: top + math.Log(z), marginals: make([]float64, w.atoms), mean: make([]float64, w.formulas),
		cov: make([][]float64, w.formulas), states: len(states),
	}
	for _, s := range states {
		p := math.Exp(s.energy-top) / z
		for a, v := range s.x {
			if v {
				t.marginals[a] += p
			}
		}
		for i, n := range s.n {
			t.mean[i] += p * float64(n)
		}
	}
	for i := range t.cov {
		t.cov[i] = make([]float64, w.formulas)
		for j := range t.cov[i] {
			for _, s := range states {
				p := math.Exp(s.energy-top) / z
				t.cov[i][j] += p * (float64(s.n[i]) - t.mean[i]) * (float64(s.n[j]) - t.mean[j])
			}
		}
	}
	return t
}

// randomWorld draws a network of every kind of term. Formula 0 is hard: its weight is 0.
func randomWorld(r *rand.Rand, atoms int, spread float64, hard bool) (*world, []float64) {
	const formulas = 6
	w := newWorld(atoms, formulas)
	weights := make([]float64, formulas)
	for i := 1; i < formulas; i++ {
		weights[i] = r.NormFloat64() * spread
	}
	lits := func(k int) []ground.Lit {
		var lits []ground.Lit
		for _, a := range r.Perm(atoms)[:k] {
			lits = append(lits, ground.NewLit(uint32(a), r.IntN(2) == 0))
		}
		return lits
	}
	for range atoms + r.IntN(atoms) {
		f, n := uint32(1+r.IntN(formulas-1)), int64(1+r.IntN(2))
		switch r.IntN(8) {
		case 0:
			w.and(f, n, lits(1)...)
		case 1, 2:
			w.and(f, n, lits(2)...)
		case 3:
			w.or(f, n, lits(2)...)
		case 4:
			w.and(f, n, lits(3)...)
		case 5:
			w.or(f, n, lits(3)...)
		case 6:
			w.and(f, n, lits(4)...)
		default:
			w.feature(f, n, randomNode(r, lits(3)))
		}
	}
	if hard {
		for range 1 + r.IntN(atoms/2) {
			w.hardClause(lits(2 + r.IntN(2))...)
		}
		if r.IntN(2) == 0 {
			w.hardFeature(randomNode(r, lits(3)))
		}
	}
	return w, weights
}

func randomNode(r *rand.Rand, lits []ground.Lit) *ground.Node {
	kids := make([]*ground.Node, len(lits))
	for i, l := range lits {
		kids[i] = leaf(l)
	}
	iff := node(ground.OpIff, kids[0], kids[1])
	switch r.IntN(3) {
	case 0:
		return node(ground.OpOr, iff, kids[2])
	case 1:
		return node(ground.OpNot, node(ground.OpAnd, iff, kids[2]))
	default:
		return node(ground.OpIff, iff, kids[2])
	}
}
