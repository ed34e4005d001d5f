package ground

import (
	"slices"

	"resolwe/kernels/join"
)

// side is a side of the network as it is built.
type side struct {
	Side
	space   int
	members []int64 // by binding of the first outputs: how many atoms meet in its hubs, fixed ones too
	total   []int64 // by hub: sum of the multiplicities, those of fixed atoms too
	fixed   []int64 // by hub: that of the atoms that are fixed to true; nil where there are none

	misfit bool // a multiplicity does not fit
}

// of returns the atoms of a hub.
func (s *side) of(h uint32) []uint32 { return s.Atoms[s.Start[h]:s.Start[h+1]] }

// size returns how many atoms a hub has.
func (s *side) size(h uint32) uint32 { return s.Start[h+1] - s.Start[h] }

// meeting is two sides that formulas multiply, left <= right.
type meeting struct {
	left, right int
	pairs       int64 // about how many terms listing it would take
	coefs       []Coef
	source      uint32 // the same as a bundle, for the pairs that are listed

	// By atom of one side, the sum over its hubs of the other side's total and fixed; nil until a formula needs it.
	toRight, toRightFixed, toLeft, toLeftFixed []int64
}

// newSide returns a side without hubs.
func (b *builder) newSide(sp *space) *side {
	s := next(&b.sides)
	*s = side{
		Side:  Side{Start: append(slices.Grow(s.Start[:0], sp.hubs()+1), 0), Atoms: s.Atoms[:0]},
		space: sp.id, members: s.members[:0], total: b.counts.take(sp.hubs()),
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

// meet returns the meeting of two sides of one space.
func (b *builder) meet(left, right int) *meeting {
	left, right = min(left, right), max(left, right)
	for _, m := range b.meetings {
		if m.left == left && m.right == right {
			return m
		}
	}
	m := next(&b.meetings)
	*m = meeting{left: left, right: right, pairs: pairs(b.sides[left], b.sides[right])}
	return m
}

// pairs bounds the number of pairs of atoms that meet: for each binding of the first outputs, by those in the hubs and by
// all.
func pairs(l, r *side) int64 {
	sum := int64(0)
	for o := range l.members {
		sum = join.Add(sum, l.pairs(r, o, l.Hubs()/len(l.members)))
	}
	return sum
}

func (s *side) pairs(r *side, o, inner int) int64 {
	most, met := join.Mul(s.members[o], r.members[o]), int64(0)
	for h := uint32(o * inner); h < uint32((o+1)*inner) && met < most; h++ {
		met += int64(s.size(h)) * int64(r.size(h))
	}
	return min(most, met)
}

// worthwhile reports whether a meeting is cheaper by its hubs than by its pairs: a sweep reads each pair from both ends,
// and pairs are merged with those of other formulas.
func (b *builder) worthwhile(m *meeting) bool {
	const (
		fewest = 1 << 14 // pairs; fewer are listed
		margin = 2
	)
	l, r := b.sides[m.left], b.sides[m.right]
	pairs, edges := join.Mul(m.pairs, int64(b.copies)), len(l.Atoms)+l.Hubs()
	if l == r {
		pairs /= 2
	} else {
		edges += len(r.Atoms)
	}
	return pairs >= fewest && 2*pairs > margin*int64(b.copies*edges)
}

// addMeeting adds a formula to a meeting, n times. swapped says that the formula's left side is the meeting's right one.
// What the formula has no use for is not computed: it might not fit.
func (b *builder) addMeeting(formula uint32, n int64, f *factor, m *meeting, swapped bool) {
	left, right := f.leftOnly, f.rightOnly
	if swapped {
		left, right = right, left
	}
	l, r := b.sides[m.left], b.sides[m.right]
	constant := func(x, y []int64, k int64) {
		if k != 0 {
			b.constantOfEach(formula, product(product(dot(x, y), k), n))
		}
	}
	constant(l.total, r.total, f.one)
	constant(l.fixed, r.total, left)
	constant(l.total, r.fixed, right)
	constant(l.fixed, r.fixed, f.both)
	unary := func(met *[]int64, s *side, counts []int64, k int64) {
		if k == 0 || counts == nil {
			return
		}
		if *met == nil {
			*met = b.met(s, counts)
		}
		b.addUnaries(*met, n, k)
	}
	unary(&m.toRight, l, r.total, left)
	unary(&m.toRightFixed, l, r.fixed, f.both)
	unary(&m.toLeft, r, l.total, right)
	unary(&m.toLeftFixed, r, l.fixed, f.both)
	if f.both != 0 {
		m.coefs = append(m.coefs, Coef{formula, product(n, f.both)})
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

// met returns, by atom of a side, the sum of counts over its hubs.
func (b *builder) met(s *side, counts []int64) []int64 {
	out := b.counts.take(b.atoms)
	plain := s.Mult == nil && fits(counts) // an atom meets a hub once: no sum is beyond that of all
	for h := range uint32(s.Hubs()) {
		switch n := counts[h]; {
		case n == 0:
		case plain:
			for _, a := range s.of(h) {
				out[a] += n
			}
		default:
			s.addMet(out, h, n)
		}
	}
	return out
}

func (s *side) addMet(out []int64, h uint32, n int64) {
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
