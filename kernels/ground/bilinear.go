package ground

import (
	"slices"

	"resolwe/kernels/join"
	"resolwe/kernels/network"
)

// incidence is an incidence matrix of the network as it is built.
type incidence struct {
	network.Incidence
	space   int
	members []int64 // by binding of the first outputs: how many atoms meet in its entities, fixed ones too
	total   []int64 // by entity: sum of the multiplicities, those of fixed atoms too
	fixed   []int64 // by entity: that of the atoms that are fixed to true; nil where there are none

	most   int64 // that a multiplicity may be, so that the products of two incidences' fit
	misfit bool  // one is more
}

// of returns the atoms of an entity.
func (s *incidence) of(h uint32) []uint32 { return s.Atoms[s.Start[h]:s.Start[h+1]] }

// size returns how many atoms an entity has.
func (s *incidence) size(h uint32) uint32 { return s.Start[h+1] - s.Start[h] }

// bilinear is a factor over two incidence matrices that formulas multiply, left <= right.
type bilinear struct {
	left, right int
	pairs       int64 // about how many terms listing it would take
	coefs       []network.Coef
	source      uint32 // the same as a bundle, for the pairs that are listed

	// By atom of one matrix, the sum over its entities of the other matrix's total and fixed; nil until a formula needs it.
	toRight, toRightFixed, toLeft, toLeftFixed []int64
}

// newIncidence returns an incidence matrix without entities.
func (b *builder) newIncidence(sp *space, most int64) *incidence {
	s := next(&b.incidences)
	*s = incidence{
		Incidence: network.Incidence{Start: append(slices.Grow(s.Start[:0], sp.entities()+1), 0), Atoms: s.Atoms[:0]},
		space:     sp.id, most: most, members: s.members[:0], total: b.counts.take(sp.entities()),
	}
	return s
}

// next lengthens a list by one, whose memory is that of an earlier value where there is one.
func next[T any](list *[]*T) *T {
	n := len(*list)
	if n == cap(*list) {
		*list = append(*list, nil)
	}
	*list = (*list)[:n+1]
	if (*list)[n] == nil {
		(*list)[n] = new(T)
	}
	return (*list)[n]
}

// bilinear returns the factor of two incidence matrices of one space.
func (b *builder) bilinear(left, right int) *bilinear {
	left, right = min(left, right), max(left, right)
	for _, m := range b.bilinears {
		if m.left == left && m.right == right {
			return m
		}
	}
	m := next(&b.bilinears)
	*m = bilinear{left: left, right: right, pairs: pairs(b.incidences[left], b.incidences[right])}
	return m
}

// pairs bounds the number of pairs of atoms that meet: for each binding of the first outputs, by those in the entities
// and by all.
func pairs(l, r *incidence) int64 {
	sum := int64(0)
	for o := range l.members {
		sum = join.Add(sum, l.pairs(r, o, l.Entities()/len(l.members)))
	}
	return sum
}

func (s *incidence) pairs(r *incidence, o, inner int) int64 {
	most, met := join.Mul(s.members[o], r.members[o]), int64(0)
	for h := uint32(o * inner); h < uint32((o+1)*inner) && met < most; h++ {
		met += int64(s.size(h)) * int64(r.size(h))
	}
	return min(most, met)
}

// worthwhile reports whether a bilinear factor is cheaper by its entities than by its pairs: a sweep reads each pair
// from both ends, and pairs are merged with those of other formulas.
func (b *builder) worthwhile(m *bilinear) bool {
	const (
		fewest = 1 << 14 // pairs; fewer are listed
		margin = 2
	)
	l, r := b.incidences[m.left], b.incidences[m.right]
	pairs, edges := join.Mul(m.pairs, int64(b.replicas)), len(l.Atoms)+l.Entities()
	if l == r {
		pairs /= 2
	} else {
		edges += len(r.Atoms)
	}
	return pairs >= fewest && 2*pairs > margin*int64(b.replicas*edges)
}

// addBilinear adds a formula to a bilinear factor, n times. swapped says that the formula's left matrix is the factor's
// right one. What the formula has no use for is not computed: it might not fit.
func (b *builder) addBilinear(formula uint32, n int64, f *factor, m *bilinear, swapped bool) {
	left, right := f.leftOnly, f.rightOnly
	if swapped {
		left, right = right, left
	}
	l, r := b.incidences[m.left], b.incidences[m.right]
	constant := func(x, y []int64, k int64) {
		if k != 0 {
			b.constantOfEach(formula, product(product(dot(x, y), k), n))
		}
	}
	constant(l.total, r.total, f.one)
	constant(l.fixed, r.total, left)
	constant(l.total, r.fixed, right)
	constant(l.fixed, r.fixed, f.both)
	unary := func(met *[]int64, s *incidence, counts []int64, k int64) {
		if k == 0 || counts == nil {
			return
		}
		if *met == nil {
			*met = b.incident(s, counts)
		}
		b.addUnaries(*met, n, k)
	}
	unary(&m.toRight, l, r.total, left)
	unary(&m.toRightFixed, l, r.fixed, f.both)
	unary(&m.toLeft, r, l.total, right)
	unary(&m.toLeftFixed, r, l.fixed, f.both)
	if f.both != 0 {
		m.coefs = append(m.coefs, network.Coef{Formula: formula, Mult: product(n, f.both)})
	}
}

// dot returns the sum of products of counts; nil stands for zeros.
func dot(x, y []int64) int64 {
	n := int64(0)
	for h := range min(len(x), len(y)) {
		n = join.Add(n, join.Mul(x[h], y[h]))
	}
	return n
}

// incident returns, by atom of a matrix, the sum of counts over its entities.
func (b *builder) incident(s *incidence, counts []int64) []int64 {
	out := b.counts.take(b.atoms)
	plain := s.Mult == nil && fits(counts) // an atom is in an entity once: no sum is beyond that of all
	for h := range uint32(s.Entities()) {
		switch n := counts[h]; {
		case n == 0:
		case plain:
			for _, a := range s.of(h) {
				out[a] += n
			}
		default:
			s.addIncident(out, h, n)
		}
	}
	return out
}

func (s *incidence) addIncident(out []int64, h uint32, n int64) {
	for k := s.Start[h]; k < s.Start[h+1]; k++ {
		a := s.Atoms[k]
		out[a] = join.Add(out[a], join.Mul(s.At(k), n))
	}
}

// fits reports whether the sum of counts does.
func fits(counts []int64) bool {
	sum := int64(0)
	for _, n := range counts {
		if sum += n; sum < 0 {
			return false
		}
	}
	return true
}
