package ground

import (
	"resolwe/kernels/join"
	"resolwe/kernels/network"
)

// incidence is an incidence matrix of the network under construction.
type incidence struct {
	network.Incidence
	id      int // number in the builder
	space   *space
	members []int64 // by binding of the first outputs: number of atoms in its entities, including fixed ones
	total   []int64 // by entity: sum of the multiplicities, including those of fixed atoms
	fixed   []int64 // by entity: sum over the atoms fixed to true

	most   int64 // largest allowed multiplicity, so that products of two incidences fit
	misfit bool  // some multiplicity is larger

	keep  []bool // by entity: whether its atoms are kept
	place int    // among the network's incidences, plus 1
}

// size returns how many atoms an entity has.
func (s *incidence) size(h uint32) uint32 { return s.Start[h+1] - s.Start[h] }

// bilinear is a factor over two incidence matrices of one space, multiplied by formulas; the left one comes first in the builder or is the
// same.
type bilinear struct {
	left, right *incidence
	pairs       int64 // approximate number of terms if listed
	coefs       []network.Coef

	// By atom of one matrix: the sum over its entities of the other matrix's total and fixed; nil until a formula needs it.
	toRight, toRightFixed, toLeft, toLeftFixed []int64
}

// bilinear returns the factor of two incidence matrices.
func (b *builder) bilinear(left, right *incidence) *bilinear {
	if left.id > right.id {
		left, right = right, left
	}
	for _, m := range b.bilinears {
		if m.left == left && m.right == right {
			return m
		}
	}
	m := &bilinear{left: left, right: right, pairs: pairs(left, right)}
	b.bilinears = append(b.bilinears, m)
	return m
}

// pairs bounds the number of pairs of atoms that share an entity: for each binding of the first outputs, by the pairs within entities and
// by all pairs.
func pairs(l, r *incidence) (sum int64) {
	for o := range l.members {
		inner := l.Entities() / len(l.members)
		most, met := join.Mul(l.members[o], r.members[o]), int64(0)
		for h := uint32(o * inner); h < uint32((o+1)*inner) && met < most; h++ {
			met += int64(l.size(h)) * int64(r.size(h))
		}
		sum = join.Add(sum, min(most, met))
	}
	return sum
}

// worthwhile reports whether a bilinear factor is cheaper through its entities than as pairs: a sweep reads each pair from both ends, but
// pairs are merged with those of other formulas.
func (b *builder) worthwhile(m *bilinear) bool {
	const (
		fewest = 1 << 14 // pairs; fewer are listed
		margin = 2
	)
	pairs, edges := join.Mul(m.pairs, int64(b.replicas)), len(m.left.Atoms)+m.left.Entities()
	if m.left == m.right {
		pairs /= 2
	} else {
		edges += len(m.right.Atoms)
	}
	return pairs >= fewest && 2*pairs > margin*int64(b.replicas*edges)
}

// addBilinear adds a formula n times to a bilinear factor; the form has the atoms of the factor's left matrix on the left. Sums that the
// formula does not use are not computed: they might overflow.
func (b *builder) addBilinear(formula uint32, n int64, f form, m *bilinear) {
	l, r := m.left, m.right
	for _, x := range [...]struct {
		left, right []int64
		k           int64
	}{{l.total, r.total, f.one}, {l.fixed, r.total, f.leftOnly}, {l.total, r.fixed, f.rightOnly}, {l.fixed, r.fixed, f.both}} {
		if x.k != 0 {
			b.constantOfEach(formula, product(product(dot(x.left, x.right), x.k), n))
		}
	}
	for _, x := range [...]struct {
		met    *[]int64
		of     *incidence
		counts []int64
		k      int64
	}{{&m.toRight, l, r.total, f.leftOnly}, {&m.toRightFixed, l, r.fixed, f.both}, {&m.toLeft, r, l.total, f.rightOnly}, {&m.toLeftFixed, r, l.fixed, f.both}} {
		if x.k != 0 && *x.met == nil {
			*x.met = x.of.incident(b.atoms, x.counts)
		}
		b.addUnaries(formula, *x.met, n, x.k)
	}
	if f.both != 0 {
		m.coefs = append(m.coefs, network.Coef{Formula: formula, Mult: product(n, f.both)})
	}
}

// dot returns the sum of products of counts.
func dot(x, y []int64) int64 {
	n := int64(0)
	for h := range x {
		n = join.Add(n, join.Mul(x[h], y[h]))
	}
	return n
}

// incident returns, by atom of a matrix, the sum of counts over its entities.
func (s *incidence) incident(atoms int, counts []int64) []int64 {
	out := make([]int64, atoms)
	for h, n := range counts {
		for k := s.Start[h]; n != 0 && k < s.Start[h+1]; k++ {
			a := s.Atoms[k]
			out[a] = join.Add(out[a], join.Mul(s.At(k), n))
		}
	}
	return out
}
