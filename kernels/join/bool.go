package join

import (
	"math/bits"

	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// boolNode is the part of a node's value over the boolean semiring computed so far.
type boolNode struct {
	epoch uint32
	holds bool               // of a scalar
	set   []uint64           // of a vector
	rows  rowCache[[]uint64] // of a matrix
}

func (s *Scratch) boolNode(id plan.NodeID) (n *boolNode, fresh bool) {
	n = &s.bools[id]
	if n.epoch == s.epoch {
		return n, false
	}
	n.epoch = s.epoch
	return n, true
}

// boolRows returns the rows of a matrix built so far.
func (s *Scratch) boolRows(id plan.NodeID) *rowCache[[]uint64] {
	b, fresh := s.boolNode(id)
	if fresh {
		b.rows.begin(s.size[s.Prog.Nodes[id].Row])
	}
	return &b.rows
}

// Holds evaluates a scalar node: whether its join has a solution.
func (s *Scratch) Holds(id plan.NodeID) bool {
	b, fresh := s.boolNode(id)
	if !fresh {
		return b.holds
	}
	n := &s.Prog.Nodes[id]
	if n.Op == plan.OpSum {
		b.holds = bitset.Any(s.Set(n.Kids[0]))
		return b.holds
	}
	if n.Op == plan.OpProject {
		_, tuples := s.projected(n)
		b.holds = len(tuples) > 0
		return b.holds
	}
	l := s.scanOf(id)
	b.holds = l.holds != l.complement
	return b.holds
}

// Set evaluates a vector node as the set of its type's entities for which the join has a solution. Borrowed.
func (s *Scratch) Set(id plan.NodeID) []uint64 {
	b, fresh := s.boolNode(id)
	if !fresh {
		return b.set
	}
	n := &s.Prog.Nodes[id]
	size := s.size[n.Row]
	dst := s.words.take(bitset.Words(size))
	b.set = dst
	switch n.Op {
	case plan.OpScan:
		l := s.scanOf(id)
		bitset.SetAll(dst, l.set)
		if l.complement {
			bitset.NotInto(dst, size)
		}
	case plan.OpAll:
		bitset.Fill(dst, size)
	case plan.OpDifferConst:
		bitset.Fill(dst, size)
		if c := s.consts[n.Const]; c >= 0 {
			bitset.Clear(dst, uint32(c))
		}
	case plan.OpAnd:
		copy(dst, s.Set(n.Kids[0]))
		for _, k := range n.Kids[1:] {
			bitset.AndInto(dst, s.Set(k))
		}
	case plan.OpVec:
		s.vecInto(dst, n)
	case plan.OpProject:
		table, tuples := s.projected(n)
		column := argument(n, table, 0)
		for _, i := range tuples {
			bitset.Set(dst, column[i])
		}
	case plan.OpDiffer, plan.OpMul, plan.OpSum: // of other shapes
	}
	return dst
}

// vecInto collects the rows of A that meet S: through the transpose, as a union of a row for each member of S, or row by row without S.
func (s *Scratch) vecInto(dst []uint64, n *plan.Node) {
	a, at, set := n.Kids[0], n.Kids[1], n.Kids[2]
	if set != plan.None {
		lists := s.listsOf(at)
		bitset.Each(s.Set(set), func(z uint32) bool {
			s.orRow(dst, at, lists, z)
			return true
		})
		return
	}
	l := s.listed(a)
	for x := range uint32(s.size[n.Row]) {
		if l != nil {
			if l.len(x) > 0 {
				bitset.Set(dst, x)
			}
		} else if bitset.Any(s.Row(a, x)) {
			bitset.Set(dst, x)
		}
	}
}

// listed returns the scan of a matrix node whose rows are lists in this subgraph, nil for other nodes.
func (s *Scratch) listed(id plan.NodeID) *scan {
	if s.Prog.Nodes[id].Op != plan.OpScan || s.onBackground(id) {
		return nil
	}
	if l := s.scanOf(id); !l.complement {
		return l
	}
	return nil
}

// listScan returns the scan of a matrix node whose rows are one ascending list each, nil for other nodes.
func (s *Scratch) listScan(id plan.NodeID) *scan {
	if l := s.listed(id); l != nil && len(l.also.IDs) == 0 {
		return l
	}
	return nil
}

// orRow adds row x of a matrix to dst; lists are the node's. A long list is worth storing as bits.
func (s *Scratch) orRow(dst []uint64, id plan.NodeID, lists lists, x uint32) {
	if lists.some() {
		if ids := lists.row(s, x); len(ids) <= len(dst)/longList {
			bitset.SetAll(dst, ids)
			s.work.Edges += uint64(len(ids))
			return
		}
	}
	bitset.OrInto(dst, s.Row(id, x))
	s.work.Words += uint64(len(dst))
}

// longList is the number of words of bits that cost as much as one id of a list.
const longList = 2

// Row evaluates row x of a matrix node as a set of the column type's entities. Borrowed.
func (s *Scratch) Row(id plan.NodeID, x uint32) []uint64 {
	rows := s.boolRows(id)
	if row := rows.row(x); row != nil {
		return *row
	}
	dst := s.words.take(bitset.Words(s.size[s.Prog.Nodes[id].Col]))
	s.rowInto(dst, id, x)
	rows.keep(x, dst)
	s.work.Rows++
	return dst
}

// rowInto evaluates row x of a matrix node into dst, which is empty.
func (s *Scratch) rowInto(dst []uint64, id plan.NodeID, x uint32) {
	if s.onBackground(id) {
		s.backgroundRowInto(dst, id, x)
		return
	}
	n := &s.Prog.Nodes[id]
	size := s.size[n.Col]
	switch n.Op {
	case plan.OpScan:
		l := s.scanOf(id)
		l.setRow(dst, x)
		s.work.Edges += uint64(l.len(x))
		if l.complement {
			bitset.NotInto(dst, size)
		}
	case plan.OpDiffer:
		bitset.Fill(dst, size)
		bitset.Clear(dst, x)
	case plan.OpAnd:
		copy(dst, s.Row(n.Kids[0], x))
		for _, k := range n.Kids[1:] {
			bitset.AndInto(dst, s.Row(k, x))
		}
		s.work.Words += uint64(len(n.Kids) * len(dst))
	case plan.OpMul:
		s.mulInto(dst, n, x)
	case plan.OpAll, plan.OpDifferConst, plan.OpVec, plan.OpSum, plan.OpProject: // of other shapes
	}
}

// mulInto adds to dst the rows of B for the members of row x of A that are in S.
func (s *Scratch) mulInto(dst []uint64, n *plan.Node, x uint32) {
	a, set, b := n.Kids[0], n.Kids[1], n.Kids[2]
	var within []uint64
	if set != plan.None {
		within = s.Set(set)
	}
	lists := s.listsOf(b)
	if l := s.listScan(a); l != nil {
		for _, z := range l.rows.Row(x) {
			if within == nil || bitset.Has(within, z) {
				s.orRow(dst, b, lists, z)
			}
		}
		return
	}
	for i, w := range s.Row(a, x) {
		if within != nil {
			w &= within[i]
		}
		for ; w != 0; w &= w - 1 {
			s.orRow(dst, b, lists, uint32(i<<6+bits.TrailingZeros64(w)))
		}
	}
}
