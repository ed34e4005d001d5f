package ground

import (
	"slices"

	"resolwe/kernels/join"
)

// builder collects the terms of a network as they come.
type builder struct {
	atoms        int
	constants    []int64
	unary        unaryTerms
	pairs        []entry
	cubes        map[string]int
	cubeList     []Cube
	features     []Feature
	clauses      [][]Lit
	hardFeatures []Feature
	sides        []*side
	meetings     []*meeting

	sorted []entry // memory of sort
	starts []int
}

// entry is a coefficient of the pair of atoms key>>32 < key&(1<<32-1).
type entry struct {
	key uint64
	Coef
}

func pairEntry(a, b uint32, c Coef) entry { return entry{uint64(min(a, b))<<32 | uint64(max(a, b)), c} }

func (b *builder) reset(formulas, atoms int) {
	*b = builder{
		atoms: atoms, constants: make([]int64, formulas), unary: b.unary, pairs: b.pairs[:0], cubes: map[string]int{},
		sorted: b.sorted, starts: b.starts,
	}
	b.unary.reset(atoms)
}

// begin says which formula the terms of one atom that follow belong to.
func (b *builder) begin(formula uint32) { b.unary.begin(formula) }

func (b *builder) addUnary(atom uint32, n int64) { b.unary.add(atom, n) }

// sum adds signed counts.
func sum(a, b int64) int64 {
	c := a + b
	if (a < 0) == (b < 0) && (c < 0) != (a < 0) {
		join.Overflow()
	}
	return c
}

func (b *builder) constant(formula uint32, n int64) {
	b.constants[formula] = sum(b.constants[formula], n)
}

// add adds n times a conjunction of literals of distinct atoms in ascending order, which it does not keep.
func (b *builder) add(formula uint32, n int64, lits []Lit) {
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
		b.cube(formula, n, lits)
	}
}

// pair writes a product of two literals in terms of their atoms.
func (b *builder) pair(formula uint32, n int64, l, m Lit) {
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
	b.pairs = append(b.pairs, pairEntry(x, y, Coef{formula, sign}))
}

func (b *builder) cube(formula uint32, n int64, lits []Lit) {
	key := make([]byte, 0, 4*len(lits))
	for _, l := range lits {
		key = append(key, byte(l), byte(l>>8), byte(l>>16), byte(l>>24))
	}
	i, ok := b.cubes[string(key)]
	if !ok {
		i = len(b.cubeList)
		b.cubes[string(key)] = i
		b.cubeList = append(b.cubeList, Cube{Lits: slices.Clone(lits)})
	}
	c := &b.cubeList[i]
	if k := len(c.Coefs) - 1; k >= 0 && c.Coefs[k].Formula == formula {
		c.Coefs[k].N = sum(c.Coefs[k].N, n)
		return
	}
	c.Coefs = append(c.Coefs, Coef{formula, n})
}

func (b *builder) feature(formula uint32, n int64, tree *Node) {
	f := newFeature(tree)
	f.Coefs = []Coef{{formula, n}}
	b.features = append(b.features, f)
}

// newFeature lists a tree's atoms.
func newFeature(tree *Node) Feature {
	f := Feature{Root: tree}
	var visit func(*Node)
	visit = func(n *Node) {
		if n.Op == OpLit {
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

// build merges equal terms and returns the network, with products in components of least atoms and more. It must run under join's Counting.
func (b *builder) build(least int) *Network {
	atoms := b.atoms
	sides, products := b.products(least)
	b.sides, b.meetings = nil, nil
	net := &Network{
		NumAtoms: atoms, Constant: b.constants, Features: b.features, HardFeatures: b.hardFeatures,
		Sides: sides, Products: products,
	}
	net.UnaryStart, net.Unary = b.unary.sorted()
	b.sort(&b.pairs, atoms, 0)
	b.sort(&b.pairs, atoms, 32)
	net.setPairs(merged(b.pairs))
	for _, c := range b.cubeList {
		c.Coefs = slices.DeleteFunc(c.Coefs, func(k Coef) bool { return k.N == 0 })
		if len(c.Coefs) > 0 {
			net.Cubes = append(net.Cubes, c)
		}
	}
	slices.SortFunc(b.clauses, slices.Compare[[]Lit])
	net.Clauses = slices.CompactFunc(b.clauses, slices.Equal[[]Lit])
	return net
}

// setPairs sets the terms of two atoms from sorted entries.
func (net *Network) setPairs(es []entry) {
	n := 0
	for i, e := range es {
		if i == 0 || e.key != es[i-1].key {
			n++
		}
	}
	net.Pairs = make([]Pair, 0, n)
	net.PairStart = make([]uint32, 0, n+1)
	net.PairCoefs = make([]Coef, len(es))
	for i, e := range es {
		if i == 0 || e.key != es[i-1].key {
			net.Pairs = append(net.Pairs, Pair{uint32(e.key >> 32), uint32(e.key)})
			net.PairStart = append(net.PairStart, uint32(i))
		}
		net.PairCoefs[i] = e.Coef
	}
	net.PairStart = append(net.PairStart, uint32(len(es)))
}

// sort orders entries by the atom at a shift of their keys. It is stable: but for the pairs that products list at the
// end, entries come in the order of their formulas and stay in it.
func (b *builder) sort(es *[]entry, atoms, shift int) {
	starts := resized(b.starts, atoms+1)
	for _, e := range *es {
		starts[uint32(e.key>>shift)+1]++
	}
	for a := range atoms {
		starts[a+1] += starts[a]
	}
	out := slices.Grow(b.sorted[:0], len(*es))[:len(*es)]
	for _, e := range *es {
		at := &starts[uint32(e.key>>shift)]
		out[*at] = e
		*at++
	}
	b.starts, b.sorted, *es = starts, *es, out
}

// merged adds up the entries of one key and formula, which are neighbours, and drops those that cancel. The result lies
// in the memory of es.
func merged(es []entry) []entry {
	out := es[:0]
	for i, e := range es {
		for j := i; j > 0 && es[j-1].key == e.key && es[j-1].Formula > e.Formula; j-- {
			es[j], es[j-1] = es[j-1], e
		}
	}
	for _, e := range es {
		if k := len(out) - 1; k >= 0 && out[k].key == e.key && out[k].Formula == e.Formula {
			out[k].N = sum(out[k].N, e.N)
			continue
		}
		out = append(out, e)
	}
	return slices.DeleteFunc(out, func(e entry) bool { return e.N == 0 })
}
