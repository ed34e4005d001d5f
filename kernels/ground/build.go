package ground

import (
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/join"
	"resolwe/kernels/network"
)

// builder collects the terms of a network as they come.
type builder struct {
	atoms         int  // of a replica
	replicas      int  // of the terms of two atoms, and of the vectors of those of one
	exact         bool // constants have to fit
	scale         []float64
	constants     []int64
	unstated      []bool // by formula: the constant does not fit
	unary         unaryTerms
	pairs         pairTerms
	conjunctionAt map[string]int
	conjunctions  []network.Conjunction
	features      []network.Feature
	clauses       [][]network.Lit
	hardFeatures  []network.Feature
	incidences    []*incidence
	bilinears     []*bilinear

	counts   counts
	forest   network.Forest
	recycled *network.Network
}

func (b *builder) reset(formulas, atoms, replicas int) {
	*b = builder{
		atoms: atoms / replicas, replicas: replicas, constants: make([]int64, formulas), unary: b.unary, pairs: b.pairs, conjunctionAt: map[string]int{},
		incidences: b.incidences[:0], bilinears: b.bilinears[:0], counts: b.counts, forest: b.forest, recycled: b.recycled,
		unstated: grow.Zeroed(b.unstated, formulas),
	}
	b.unary.reset(formulas, b.atoms, replicas)
	b.pairs.reset(formulas)
	b.counts.used = 0
}

// begin says which formula the terms of one atom that follow belong to.
func (b *builder) begin(formula uint32) { b.unary.formula = formula }

func (b *builder) addUnary(atom uint32, n int64) { b.addUnaryOf(b.unary.formula, atom, n) }

func (b *builder) addUnaryOf(formula, atom uint32, n int64) {
	v := b.unary.vector(formula, &b.counts)
	v[atom] = sum(v[atom], n)
}

// addUnaries adds n k times a vector of counts by atom.
func (b *builder) addUnaries(counts []int64, n, k int64) {
	if k == 0 {
		return
	}
	v := b.unary.vector(b.unary.formula, &b.counts)
	for a, c := range counts {
		if c != 0 {
			v[a] = sum(v[a], product(product(c, k), n))
		}
	}
}

// sum adds signed counts.
func sum(a, b int64) int64 {
	c, fits := added(a, b)
	if !fits {
		join.Overflow()
	}
	return c
}

// added adds signed counts, modulo 2^64 where they do not fit.
func added(a, b int64) (c int64, fits bool) {
	c = a + b
	return c, (a < 0) != (b < 0) || (c < 0) == (a < 0)
}

func (b *builder) constant(formula uint32, n int64) {
	c, fits := added(b.constants[formula], n)
	if !fits && b.exact {
		join.Overflow()
	}
	b.constants[formula] = c
	b.unstated[formula] = b.unstated[formula] || !fits
}

// constantOfEach adds a constant for each of the replicas.
func (b *builder) constantOfEach(formula uint32, n int64) {
	for range b.replicas {
		b.constant(formula, n)
	}
}

// add adds n times a conjunction of literals of distinct atoms in ascending order, which it does not keep.
func (b *builder) add(formula uint32, n int64, lits []network.Lit) {
	switch len(lits) {
	case 0:
		b.constant(formula, n)
	case 1:
		if lits[0].Negated() { // not a is 1 - a
			b.constant(formula, n)
			n = -n
		}
		b.addUnary(lits[0].Atom(), n)
	case 2:
		b.pair(formula, n, lits[0], lits[1])
	default:
		b.conjunction(formula, n, lits)
	}
}

// pair writes a product of two literals in terms of their atoms.
func (b *builder) pair(formula uint32, n int64, l, m network.Lit) {
	x, y := l.Atom(), m.Atom()
	sign := n
	switch {
	case l.Negated() && m.Negated(): // (1 - x)(1 - y)
		b.constant(formula, n)
		b.addUnary(x, -n)
		b.addUnary(y, -n)
	case l.Negated(): // (1 - x) y
		b.addUnary(y, n)
		sign = -n
	case m.Negated():
		b.addUnary(x, n)
		sign = -n
	}
	b.pairs.add(x, y, formula, sign)
}

func (b *builder) conjunction(formula uint32, n int64, lits []network.Lit) {
	key := make([]byte, 0, 4*len(lits))
	for _, l := range lits {
		key = append(key, byte(l), byte(l>>8), byte(l>>16), byte(l>>24))
	}
	i, ok := b.conjunctionAt[string(key)]
	if !ok {
		i = len(b.conjunctions)
		b.conjunctionAt[string(key)] = i
		b.conjunctions = append(b.conjunctions, network.Conjunction{Lits: slices.Clone(lits)})
	}
	c := &b.conjunctions[i]
	if k := len(c.Coefs) - 1; k >= 0 && c.Coefs[k].Formula == formula {
		c.Coefs[k].Mult = sum(c.Coefs[k].Mult, n)
		return
	}
	c.Coefs = append(c.Coefs, network.Coef{Formula: formula, Mult: n})
}

func (b *builder) feature(formula uint32, n int64, tree *network.Node) {
	f := newFeature(tree)
	f.Coefs = []network.Coef{{Formula: formula, Mult: n}}
	b.features = append(b.features, f)
}

// newFeature lists a tree's atoms.
func newFeature(tree *network.Node) network.Feature {
	f := network.Feature{Root: tree}
	var visit func(*network.Node)
	visit = func(n *network.Node) {
		if n.Op == network.OpLit {
			f.Atoms = append(f.Atoms, n.Lit.Atom())
		}
		for _, k := range n.Kids {
			visit(k)
		}
	}
	visit(tree)
	slices.Sort(f.Atoms)
	f.Atoms = slices.Compact(f.Atoms)
	return f
}

// build merges equal terms and returns the network, in the memory of a recycled one, with bilinear factors in
// components of least atoms and more. It must run under join's Counting.
func (b *builder) build(least int) *network.Network {
	net := b.recycled
	b.recycled = nil
	if net == nil {
		net = &network.Network{}
	}
	net.NumAtoms, net.Constant, net.Features, net.HardFeatures = b.atoms*b.replicas, b.constants, b.features, b.hardFeatures
	net.Scale = b.scale
	for i, unstated := range b.unstated {
		if unstated {
			b.constants[i] = 0
		}
	}
	b.pairs.prune()
	b.reduceBilinears(net, least)
	b.unary.into(net)
	b.pairs.into(net, b.atoms, b.replicas)
	if net.Repeat(b.atoms, b.replicas); b.replicas == 1 {
		net.FindReplicas()
	}
	net.Conjunctions = net.Conjunctions[:0]
	for _, c := range b.conjunctions {
		c.Coefs = slices.DeleteFunc(c.Coefs, func(k network.Coef) bool { return k.Mult == 0 })
		if len(c.Coefs) > 0 {
			net.Conjunctions = append(net.Conjunctions, c)
		}
	}
	slices.SortFunc(b.clauses, slices.Compare[[]network.Lit])
	net.Clauses = slices.CompactFunc(b.clauses, slices.Equal[[]network.Lit])
	return net
}

// counts hands out vectors of zeros, in memory that it keeps.
type counts struct {
	list [][]int64
	used int // of list
}

func (c *counts) take(n int) []int64 {
	if c.used == len(c.list) {
		c.list = append(c.list, nil)
	}
	v := &c.list[c.used]
	c.used++
	*v = grow.Zeroed(*v, n)
	return *v
}
