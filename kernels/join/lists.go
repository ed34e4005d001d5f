package join

import (
	"slices"

	"resolwe/format/subgraph"
	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// lists is a matrix node whose rows are known as ascending lists: a relation, or the intersection of two.
type lists struct{ a, b *leaf }

// listsOf returns the lists of a matrix node; none for a node of another kind.
func (s *Scratch) listsOf(id plan.NodeID) lists {
	if l := s.plainLeaf(id); l != nil {
		return lists{a: l}
	}
	n := &s.Prog.Nodes[id]
	if n.Op != plan.OpAnd || len(n.Kids) != 2 {
		return lists{}
	}
	l := lists{a: s.plainLeaf(n.Kids[0]), b: s.plainLeaf(n.Kids[1])}
	if l.a == nil || l.b == nil {
		return lists{}
	}
	return l
}

// some reports whether there are lists.
func (l lists) some() bool { return l.a != nil }

// row returns row x. Borrowed until the next call with the same scratch.
func (l lists) row(s *Scratch, x uint32) []uint32 {
	if l.b == nil {
		return l.a.rows.Row(x)
	}
	s.common = s.appendCommon(s.common[:0], l.a.rows.Row(x), l.b.rows.Row(x))
	return s.common
}

// all returns all of n rows. Borrowed until the next call with the same scratch.
func (l lists) all(s *Scratch, n int) *subgraph.Index {
	if l.b == nil {
		return &l.a.rows
	}
	x := &s.both
	x.IDs = x.IDs[:0]
	x.Offsets = append(x.Offsets[:0], 0)
	for r := range uint32(n) {
		x.IDs = s.appendCommon(x.IDs, l.a.rows.Row(r), l.b.rows.Row(r))
		x.Offsets = append(x.Offsets, uint32(len(x.IDs)))
	}
	return x
}

// longer is how many times as long as another a list is at least where the other's ids are looked up in it.
const longer = 32

// appendCommon appends the ids that two ascending lists share.
func (s *Scratch) appendCommon(dst, short, long []uint32) []uint32 {
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(long) > longer*len(short) {
		for _, id := range short {
			if has(long, id) {
				dst = append(dst, id)
			}
		}
		return dst
	}
	bitset.SetAll(s.hit, short)
	n := len(dst)
	dst = slices.Grow(dst, len(long))[:n+len(long)]
	for _, id := range long { // without a branch, since the outcomes are at random
		dst[n] = id
		n += int(s.hit[id>>6] >> (id & 63) & 1)
	}
	for _, id := range short {
		s.hit[id>>6] = 0
	}
	return dst[:n]
}
