package join

import "resolwe/kernels/plan"

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
	s.common = appendCommon(s.common[:0], l.a.rows.Row(x), l.b.rows.Row(x))
	return s.common
}

// appendCommon appends the ids that two ascending lists share.
func appendCommon(dst, short, long []uint32) []uint32 {
	if len(short) > len(long) {
		short, long = long, short
	}
	k := 0
	for _, id := range short {
		for k < len(long) && long[k] < id {
			k++
		}
		if k == len(long) {
			break
		}
		if long[k] == id {
			dst = append(dst, id)
		}
	}
	return dst
}
