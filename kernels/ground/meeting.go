package ground

import "resolwe/kernels/join"

// side is a side of the network as it is built.
type side struct {
	Side
	space int
	sizes []int64 // by binding of the first outputs: its atoms, fixed ones too
	total []int64 // by hub: sum of the multiplicities, those of fixed atoms too
	fixed []int64 // by hub: that of the atoms that are fixed to true; nil where there are none
}

// of returns the atoms of a hub.
func (s *side) of(h uint32) []uint32 { return s.Atoms[s.Start[h]:s.Start[h+1]] }

// meeting is two sides that formulas multiply, left <= right.
type meeting struct {
	left, right int
	pairs       int64 // about how many terms listing it would take
	coefs       []Coef

	// By atom of one side, the sum over its hubs of the other side's total and fixed; nil until a formula needs it.
	toRight, toRightFixed, toLeft, toLeftFixed []int64
}

func (b *builder) addSide(s *side) int {
	b.sides = append(b.sides, s)
	return len(b.sides) - 1
}

// meet returns the meeting of two sides of one space.
func (b *builder) meet(left, right int) *meeting {
	left, right = min(left, right), max(left, right)
	for _, m := range b.meetings {
		if m.left == left && m.right == right {
			return m
		}
	}
	m := &meeting{left: left, right: right}
	l, r := b.sides[left], b.sides[right]
	m.pairs = pairs(l, r)
	b.meetings = append(b.meetings, m)
	return m
}

// pairs bounds the number of pairs of atoms that meet: for each binding of the first outputs, by those in the hubs and by
// all.
func pairs(l, r *side) int64 {
	if len(l.sizes) == 0 {
		return 0
	}
	inner := l.Hubs() / len(l.sizes)
	sum := int64(0)
	for o, n := range l.sizes {
		most, met := join.Mul(n, r.sizes[o]), int64(0)
		for h := uint32(o * inner); h < uint32((o+1)*inner) && met < most; h++ {
			met += int64(len(l.of(h))) * int64(len(r.of(h)))
		}
		sum = join.Add(sum, min(most, met))
	}
	return sum
}

// worthwhile reports whether a meeting is cheaper by its hubs than by its pairs: a sweep reads each pair from both ends,
// and pairs are merged with those of other formulas.
func (b *builder) worthwhile(m *meeting) bool {
	const (
		fewest = 1 << 14 // pairs; fewer are listed
		margin = 2
	)
	l, r := b.sides[m.left], b.sides[m.right]
	pairs, edges := m.pairs, len(l.Atoms)+l.Hubs()
	if l == r {
		pairs /= 2
	} else {
		edges += len(r.Atoms)
	}
	return pairs >= fewest && 2*pairs > margin*int64(edges)
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
			b.constant(formula, product(product(dot(x, y), k), n))
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
		for a, v := range *met {
			if v != 0 {
				b.addUnary(uint32(a), product(product(v, k), n))
			}
		}
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
	out := make([]int64, b.atoms)
	plain := s.Mult == nil && fits(counts) // an atom meets a hub once: no sum is beyond that of all
	for h, n := range counts {
		if n == 0 {
			continue
		}
		if plain {
			for _, a := range s.of(uint32(h)) {
				out[a] += n
			}
			continue
		}
		for k := s.Start[h]; k < s.Start[h+1]; k++ {
			a := s.Atoms[k]
			out[a] = join.Add(out[a], join.Mul(s.At(k), n))
		}
	}
	return out
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
