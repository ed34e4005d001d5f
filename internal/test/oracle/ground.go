package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// Ground is a ground Markov network by its definition: weighted Boolean functions, counted with multiplicity, and hard ones. It is
// the oracle, and it builds the equivalent network.Network.
type Ground struct {
	Atoms, Formulas int
	soft            []softFormula
	hard            []func(x []bool) bool

	terms        map[string]*term
	constant     []int64
	features     []network.Feature
	clauses      [][]network.Lit
	hardFeatures []network.Feature
}

type softFormula struct {
	formula uint32
	n       int64
	atoms   []uint32
	holds   func(x []bool) bool
}

type term struct {
	lits  []network.Lit
	coefs map[uint32]int64
}

// New returns a world without formulas.
func New(atoms, formulas int) *Ground {
	return &Ground{Atoms: atoms, Formulas: formulas, terms: map[string]*term{}, constant: make([]int64, formulas)}
}

// Pos returns the literal of an atom.
func Pos(a int) network.Lit { return network.NewLit(uint32(a), false) }

// Neg returns the literal of an atom's negation.
func Neg(a int) network.Lit { return network.NewLit(uint32(a), true) }

func every(lits []network.Lit) func(x []bool) bool {
	return func(x []bool) bool {
		return !slices.ContainsFunc(lits, func(l network.Lit) bool { return !l.True(x) })
	}
}

func atomsOf(lits []network.Lit) (atoms []uint32) {
	for _, l := range lits {
		atoms = append(atoms, l.Atom())
	}
	return atoms
}

// Some returns a function that reports whether some literal holds.
func Some(lits []network.Lit) func(x []bool) bool {
	return func(x []bool) bool {
		return slices.ContainsFunc(lits, func(l network.Lit) bool { return l.True(x) })
	}
}

// And adds n groundings of a conjunction.
func (w *Ground) And(formula uint32, n int64, lits ...network.Lit) {
	w.soft = append(w.soft, softFormula{formula, n, atomsOf(lits), every(lits)})
	w.term(formula, n, lits)
}

// Or adds n groundings of a clause.
func (w *Ground) Or(formula uint32, n int64, lits ...network.Lit) {
	w.soft = append(w.soft, softFormula{formula, n, atomsOf(lits), Some(lits)})
	opposite := make([]network.Lit, len(lits))
	for i, l := range lits {
		opposite[i] = l ^ 1
	}
	w.constant[formula] += n
	w.term(formula, -n, opposite)
}

// Implies adds one grounding of a => b, which always holds if a is b.
func (w *Ground) Implies(formula uint32, a, b int) {
	w.Or(formula, 1, Neg(a), Pos(b))
}

// term adds a conjunction in the canonical form of network.Network.
func (w *Ground) term(formula uint32, n int64, lits []network.Lit) {
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

// Feature adds n groundings of a tree.
func (w *Ground) Feature(formula uint32, n int64, root *network.Node) {
	w.soft = append(w.soft, softFormula{formula, n, root.Atoms(), root.True})
	w.features = append(w.features, network.Feature{
		Atoms: root.Atoms(), Root: root, Coefs: []network.Coef{{Formula: formula, Mult: n}},
	})
}

// HardClause adds a hard clause.
func (w *Ground) HardClause(lits ...network.Lit) {
	w.hard = append(w.hard, Some(lits))
	w.clauses = append(w.clauses, slices.Sorted(slices.Values(lits)))
}

// HardFeature adds a hard tree.
func (w *Ground) HardFeature(root *network.Node) {
	w.hard = append(w.hard, root.True)
	w.hardFeatures = append(w.hardFeatures, network.Feature{Atoms: root.Atoms(), Root: root})
}

// Node returns a tree with an operator.
func Node(op network.NodeOp, kids ...*network.Node) *network.Node {
	return &network.Node{Op: op, Kids: kids}
}

// Leaf returns the tree of a literal.
func Leaf(l network.Lit) *network.Node { return &network.Node{Op: network.OpLit, Lit: l} }

// Network returns the equivalent network.
func (w *Ground) Network() *network.Network {
	net := &network.Network{
		NumAtoms: w.Atoms, Constant: w.constant, Features: w.features, Clauses: w.clauses, HardFeatures: w.hardFeatures,
	}
	terms := slices.SortedFunc(maps.Values(w.terms), func(a, b *term) int {
		return cmp.Or(cmp.Compare(len(a.lits), len(b.lits)), slices.Compare(a.lits, b.lits))
	})
	net.UnaryStart = make([]uint32, w.Atoms+1)
	net.PairStart = []uint32{0}
	for _, t := range terms {
		var coefs []network.Coef
		for _, f := range slices.Sorted(maps.Keys(t.coefs)) {
			if t.coefs[f] != 0 {
				coefs = append(coefs, network.Coef{Formula: f, Mult: t.coefs[f]})
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
			net.Pairs = append(net.Pairs, network.Pair{A: t.lits[0].Atom(), B: t.lits[1].Atom()})
			net.PairCoefs = append(net.PairCoefs, coefs...)
			net.PairStart = append(net.PairStart, uint32(len(net.PairCoefs)))
		default:
			net.Conjunctions = append(net.Conjunctions, network.Conjunction{Lits: t.lits, Coefs: coefs})
		}
	}
	for a := range w.Atoms {
		net.UnaryStart[a+1] += net.UnaryStart[a]
	}
	return net
}

// Truth is the result of enumerating all states by the definition.
type Truth struct {
	LogZ      float64
	Marginals []float64
	Mean      []float64
	Cov       [][]float64
	States    int // that satisfy the hard formulas
}

// Counts returns the true groundings by formula.
func (w *Ground) Counts(x []bool) []int64 {
	n := make([]int64, w.Formulas)
	for _, s := range w.soft {
		if s.holds(x) {
			n[s.formula] += s.n
		}
	}
	return n
}

// Lawful reports whether the hard formulas hold.
func (w *Ground) Lawful(x []bool) bool {
	return !slices.ContainsFunc(w.hard, func(holds func([]bool) bool) bool { return !holds(x) })
}

// Enumerate sums over all states. If none satisfies the hard formulas, the result is zero.
func (w *Ground) Enumerate(weights []float64) Truth {
	d, err := Enumerate(w.Atoms, weights, func(x []bool) []float64 {
		if !w.Lawful(x) {
			return nil
		}
		return w.counts(x)
	})
	if err != nil {
		return Truth{}
	}
	return Truth{LogZ: d.LogZ, Marginals: d.Marginals(), Mean: d.Mean(), Cov: d.Covariance(), States: len(d.States)}
}

// Marginals returns the marginals of a world without hard formulas, whose unconnected parts are each enumerated.
func (w *Ground) Marginals(weights []float64) []float64 {
	part := make([]uint32, w.Atoms) // by atom: the first atom of its part
	for a := range part {
		part[a] = uint32(a)
	}
	for _, s := range w.soft {
		for _, b := range s.atoms {
			from, to := max(part[s.atoms[0]], part[b]), min(part[s.atoms[0]], part[b])
			for a, p := range part {
				if p == from {
					part[a] = to
				}
			}
		}
	}
	out, x := make([]float64, w.Atoms), make([]bool, w.Atoms)
	for first := range uint32(w.Atoms) {
		var atoms []int
		for a, p := range part {
			if p == first {
				atoms = append(atoms, a)
			}
		}
		own := *w
		own.soft = slices.DeleteFunc(slices.Clone(w.soft), func(s softFormula) bool { return part[s.atoms[0]] != first })
		d, err := Enumerate(len(atoms), weights, func(state []bool) []float64 {
			for i, a := range atoms {
				x[a] = state[i]
			}
			return own.counts(x)
		})
		if err != nil {
			panic(err)
		}
		for i, p := range d.Marginals() {
			out[atoms[i]] = p
		}
	}
	return out
}

// counts returns the true groundings by formula.
func (w *Ground) counts(x []bool) []float64 {
	counts := make([]float64, w.Formulas)
	for i, n := range w.Counts(x) {
		counts[i] = float64(n)
	}
	return counts
}

// Random draws a network of every kind of term. Formula 0 is hard: its weight is 0.
func Random(r *rand.Rand, atoms int, spread float64, hard bool) (*Ground, []float64) {
	const formulas = 6
	w := New(atoms, formulas)
	weights := make([]float64, formulas)
	for i := 1; i < formulas; i++ {
		weights[i] = r.NormFloat64() * spread
	}
	lits := func(k int) []network.Lit {
		lits := make([]network.Lit, 0, k)
		for _, a := range r.Perm(atoms)[:k] {
			lits = append(lits, network.NewLit(uint32(a), r.IntN(2) == 0))
		}
		return lits
	}
	for range atoms + r.IntN(atoms) {
		f, n := uint32(1+r.IntN(formulas-1)), int64(1+r.IntN(2))
		switch r.IntN(8) {
		case 0:
			w.And(f, n, lits(1)...)
		case 1, 2:
			w.And(f, n, lits(2)...)
		case 3:
			w.Or(f, n, lits(2)...)
		case 4:
			w.And(f, n, lits(3)...)
		case 5:
			w.Or(f, n, lits(3)...)
		case 6:
			w.And(f, n, lits(4)...)
		default:
			w.Feature(f, n, randomNode(r, lits(3)))
		}
	}
	if hard {
		for range 1 + r.IntN(atoms/2) {
			w.HardClause(lits(2 + r.IntN(2))...)
		}
		if r.IntN(2) == 0 {
			w.HardFeature(randomNode(r, lits(3)))
		}
	}
	return w, weights
}

func randomNode(r *rand.Rand, lits []network.Lit) *network.Node {
	kids := make([]*network.Node, len(lits))
	for i, l := range lits {
		kids[i] = Leaf(l)
	}
	iff := Node(network.OpIff, kids[0], kids[1])
	switch r.IntN(3) {
	case 0:
		return Node(network.OpOr, iff, kids[2])
	case 1:
		return Node(network.OpNot, Node(network.OpAnd, iff, kids[2]))
	default:
		return Node(network.OpIff, iff, kids[2])
	}
}

// Energy returns the sum of weight times count, without constants.
func Energy(net *network.Network, weights []float64, x []bool) float64 {
	counts := make([]float64, len(weights))
	loglinear.AddCounts(counts, net, x)
	sum := 0.0
	for i, n := range counts {
		sum += weights[i] * n
	}
	return sum
}
