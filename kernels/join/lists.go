package join

import (
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// lists is a matrix node whose rows are available as ascending lists: a relation, or the intersection of two.
type lists struct {
	a, b *scan
	both *intersection // nil for a single relation
}

// listsOf returns the lists of a matrix node; none for other nodes.
func (s *Scratch) listsOf(id plan.NodeID) lists {
	if l := s.listScan(id); l != nil {
		return lists{a: l}
	}
	n := &s.Prog.Nodes[id]
	if n.Op != plan.OpAnd || len(n.Kids) != 2 {
		return lists{}
	}
	l := lists{s.listScan(n.Kids[0]), s.listScan(n.Kids[1]), &s.boths[id]}
	if l.a == nil || l.b == nil {
		return lists{}
	}
	return l
}

// some reports whether there are lists.
func (l lists) some() bool { return l.a != nil }

// row returns row x. Borrowed until the next call with the same scratch.
func (l lists) row(s *Scratch, x uint32) []uint32 {
	switch {
	case l.b == nil:
		return l.a.rows.Row(x)
	case l.both.epoch == s.epoch:
		return l.both.rows.Row(x)
	}
	s.common = s.appendCommon(s.common[:0], l.a.rows.Row(x), l.b.rows.Row(x))
	return s.common
}

// intersection holds all rows of the intersection of two relations.
type intersection struct {
	epoch uint32
	rows  subgraph.Index
	first []uint32 // parallel to rows.IDs: the row of each
}

// all returns all n rows, and, parallel to their ids, the row of each; first is nil if that is not at hand. Borrowed until the next Reset.
func (l lists) all(s *Scratch, n int) (rows *subgraph.Index, first []uint32) {
	if l.b == nil {
		return &l.a.rows, l.a.first
	}
	x := l.both
	if x.epoch == s.epoch {
		return &x.rows, x.first
	}
	x.epoch = s.epoch
	ids, offsets := x.rows.IDs[:0], x.rows.Offsets[:0]
	offsets, x.first = append(offsets, 0), x.first[:0]
	for r := range uint32(n) {
		if a, b := l.a.rows.Row(r), l.b.rows.Row(r); len(a) > 0 && len(b) > 0 {
			ids = s.appendCommon(ids, a, b)
		}
		for len(x.first) < len(ids) {
			x.first = append(x.first, r)
		}
		offsets = append(offsets, uint32(len(ids)))
	}
	x.rows = subgraph.Index{Offsets: offsets, IDs: ids}
	return &x.rows, x.first
}

// Lists returns the rows of a matrix node as ascending lists, for a relation stored with the subgraph or the intersection of two, which is
// computed at once. It returns nil for other nodes. Borrowed.
func (s *Scratch) Lists(id plan.NodeID) *subgraph.Index {
	switch n := &s.Prog.Nodes[id]; n.Op {
	case plan.OpScan:
		if l := s.scanOf(id); !l.complement && len(l.also.IDs) == 0 {
			return &l.rows
		}
	case plan.OpAnd:
		if l := s.listsOf(id); l.some() {
			rows, _ := l.all(s, s.size[n.Row])
			return rows
		}
	case plan.OpDiffer, plan.OpMul, plan.OpAll, plan.OpDifferConst, plan.OpVec, plan.OpSum, plan.OpProject:
	}
	return nil
}

// longer is the ratio of lengths from which the shorter list's ids are looked up in the longer one.
const longer = 32

// appendCommon appends the ids that are in both of two ascending lists.
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
	dst = grow.By(dst, len(long))
	for _, id := range long { // without a branch, since outcomes are random
		dst[n] = id
		n += int(s.hit[id>>6] >> (id & 63) & 1)
	}
	for _, id := range short {
		s.hit[id>>6] = 0
	}
	return dst[:n]
}
