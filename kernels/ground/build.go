package ground

import (
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/join"
	"resolwe/kernels/network"
)

// builder collects the terms of a network.
type builder struct {
	atoms         int  // in one replica
	replicas      int  // of the binary terms, and of the vectors of unary ones
	exact         bool // constants must fit
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
}

// newBuilder returns an empty builder, which reuses the memory of the last one's lists of terms.
func newBuilder(formulas, atoms, replicas int, last *builder) *builder {
	lists := grow.To(last.unary.lists, formulas)
	for i := range lists {
		lists[i] = lists[i][:0]
	}
	return &builder{
		atoms: atoms / replicas, replicas: replicas, constants: make([]int64, formulas), unstated: make([]bool, formulas),
		unary: unaryTerms{vectors: make([][]int64, formulas), lists: lists},
		pairs: pairTerms{formulas: uint32(formulas), list: last.pairs.list[:0], spare: last.pairs.spare}, conjunctionAt: map[string]int{},
	}
}

func (b *builder) addUnary(formula, atom uint32, n int64) {
	v := &b.unary.vectors[formula]
	if *v == nil {
		*v = make([]int64, b.atoms)
	}
	(*v)[atom] = sum((*v)[atom], n)
}

// addUnaries adds a vector of counts, by atom, n k times.
func (b *builder) addUnaries(formula uint32, counts []int64, n, k int64) {
	if k == 0 {
		return
	}
	for a, c := range counts {
		if c != 0 {
			b.addUnary(formula, uint32(a), product(product(c, k), n))
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

// added adds signed counts, modulo 2^64 if they overflow.
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

// constantOfEach adds a constant for each replica.
func (b *builder) constantOfEach(formula uint32, n int64) {
	for range b.replicas {
		b.constant(formula, n)
	}
}

// add adds a conjunction of literals of distinct atoms, in ascending order, n times. It does not keep lits.
func (b *builder) add(formula uint32, n int64, lits []network.Lit) {
	if i := slices.IndexFunc(lits, network.Lit.Negated); i >= 0 && len(lits) <= 2 { // not a is 1 - a
		var positive [2]network.Lit
		copy(positive[:], lits)
		positive[i] ^= 1
		b.add(formula, n, lits[1-i:len(lits)-i])
		b.add(formula, -n, positive[:len(lits)])
		return
	}
	switch len(lits) {
	case 0:
		b.constant(formula, n)
	case 1:
		b.addUnary(formula, lits[0].Atom(), n)
	case 2:
		b.pairs.add(lits[0].Atom(), lits[1].Atom(), formula, n)
	default:
		b.conjunction(formula, n, lits)
	}
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

// build merges equal terms and returns the network, with bilinear factors in components of at least least atoms. It must run under join's
// Counting.
func (b *builder) build(least int) *network.Network {
	net := &network.Network{NumAtoms: b.atoms * b.replicas, Constant: b.constants, Features: b.features, HardFeatures: b.hardFeatures}
	for i, unstated := range b.unstated {
		if unstated {
			b.constants[i] = 0
		}
	}
	b.pairs.list = slices.DeleteFunc(b.pairs.list, func(e entry) bool { // bundles that no formula uses
		return e.source >= b.pairs.formulas && len(b.pairs.bundles[e.source-b.pairs.formulas]) == 0
	})
	b.reduceBilinears(net, least)
	b.unary.into(net, b.atoms, b.replicas)
	b.pairs.into(net, b.replicas)
	net.Repeat(b.atoms, b.replicas)
	for _, c := range b.conjunctions {
		if c.Coefs = withoutZeros(c.Coefs); len(c.Coefs) > 0 {
			net.Conjunctions = append(net.Conjunctions, c)
		}
	}
	slices.SortFunc(b.clauses, slices.Compare[[]network.Lit])
	net.Clauses = slices.CompactFunc(b.clauses, slices.Equal[[]network.Lit])
	return net
}

// withoutZeros drops the coefficients that are 0, in place.
func withoutZeros(coefs []network.Coef) []network.Coef {
	return slices.DeleteFunc(coefs, func(c network.Coef) bool { return c.Mult == 0 })
}

// unaryTerms collects the terms of one atom: for each formula either a vector, common to all replicas, or a list.
type unaryTerms struct {
	vectors [][]int64     // by formula, then atom of a replica
	lists   [][]unaryTerm // by formula; at most one for each atom, none 0
}

// unaryTerm is n times an atom.
type unaryTerm struct {
	atom uint32
	n    int64
}

// append adds a term to the list of a formula.
func (u *unaryTerms) append(formula, atom uint32, n int64) {
	u.lists[formula] = append(u.lists[formula], unaryTerm{atom, n})
}

// into stores the unary terms in a network.
func (u *unaryTerms) into(net *network.Network, atoms, replicas int) {
	each := func(visit func(atom uint32, formula int, n int64)) {
		for f, list := range u.lists {
			for _, t := range list {
				visit(t.atom, f, t.n)
			}
			for r := range replicas {
				for a, n := range u.vectors[f] {
					if n != 0 {
						visit(uint32(r*atoms+a), f, n)
					}
				}
			}
		}
	}
	net.UnaryStart = make([]uint32, net.NumAtoms+1)
	at := net.UnaryStart[1:] // by atom: the number of its terms, then where they begin, then where they end
	each(func(atom uint32, _ int, _ int64) { at[atom]++ })
	end := uint32(0)
	for a, n := range at {
		at[a] = end
		end += n
	}
	net.Unary = make([]network.Coef, end)
	each(func(atom uint32, formula int, n int64) {
		net.Unary[at[atom]] = network.Coef{Formula: uint32(formula), Mult: n}
		at[atom]++
	})
}
