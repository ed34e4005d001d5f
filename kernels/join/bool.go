package join

import (
	"math/bits"

	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// boolNode is a node's value over the boolean semiring, as far as it has been asked for.
type boolNode struct {
	epoch uint32
	holds bool     // of a scalar
	set   []uint64 // of a vector
	rows  [][]uint64
}

func (s *Scratch) boolNode(id plan.NodeID) (n *boolNode, fresh bool) {
	n = &s.bools[id]
	if n.epoch == s.epoch {
		return n, false
	}
	n.epoch = s.epoch
	return n, true
}

// Holds evaluates a scalar node: whether the join it stands for has a solution.
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
	l := s.leafOf(id)
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
	case plan.OpLeaf:
		l := s.leafOf(id)
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
	case plan.OpDiffer, plan.OpMul, plan.OpSum: // of other shapes
	}
	return dst
}

// vecInto collects the rows of A that meet S: through the transpose, a union of as many rows as S has members, or row
// by row where there is no S.
func (s *Scratch) vecInto(dst []uint64, n *plan.Node) {
	a, at, set := n.Kids[0], n.Kids[1], n.Kids[2]
	if set != plan.None {
		bitset.Each(s.Set(set), func(z uint32) bool {
			s.orRow(dst, at, z)
			return true
		})
		return
	}
	for x := range uint32(s.size[n.Row]) {
		if l := s.plainLeaf(a); l != nil {
			if len(l.rows.Row(x)) > 0 {
				bitset.Set(dst, x)
			}
		} else if bitset.Any(s.Row(a, x)) {
			bitset.Set(dst, x)
		}
	}
}

// plainLeaf returns the leaf of a matrix node whose rows are lists, nil for any other node.
func (s *Scratch) plainLeaf(id plan.NodeID) *leaf {
	if s.Prog.Nodes[id].Op != plan.OpLeaf {
		return nil
	}
	if l := s.leafOf(id); !l.complement {
		return l
	}
	return nil
}

// orRow adds row x of a matrix to dst.
func (s *Scratch) orRow(dst []uint64, id plan.NodeID, x uint32) {
	if l := s.plainLeaf(id); l != nil {
		bitset.SetAll(dst, l.rows.Row(x))
		return
	}
	bitset.OrInto(dst, s.Row(id, x))
}

// Row evaluates row x of a matrix node as a set of the column type's entities. Borrowed.
func (s *Scratch) Row(id plan.NodeID, x uint32) []uint64 {
	b, fresh := s.boolNode(id)
	n := &s.Prog.Nodes[id]
	if fresh {
		b.rows = resized(b.rows, s.size[n.Row])
	}
	if row := b.rows[x]; row != nil {
		return row
	}
	size := s.size[n.Col]
	dst := s.words.take(bitset.Words(size))
	b.rows[x] = dst
	switch n.Op {
	case plan.OpLeaf:
		l := s.leafOf(id)
		bitset.SetAll(dst, l.rows.Row(x))
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
	case plan.OpMul:
		s.mulInto(dst, n, x)
	case plan.OpAll, plan.OpDifferConst, plan.OpVec, plan.OpSum: // of other shapes
	}
	return dst
}

// mulInto adds to dst the rows of B that row x of A reaches within S.
func (s *Scratch) mulInto(dst []uint64, n *plan.Node, x uint32) {
	a, set, b := n.Kids[0], n.Kids[1], n.Kids[2]
	var within []uint64
	if set != plan.None {
		within = s.Set(set)
	}
	if l := s.plainLeaf(a); l != nil {
		for _, z := range l.rows.Row(x) {
			if within == nil || bitset.Has(within, z) {
				s.orRow(dst, b, z)
			}
		}
		return
	}
	for i, w := range s.Row(a, x) {
		if within != nil {
			w &= within[i]
		}
		for ; w != 0; w &= w - 1 {
			s.orRow(dst, b, uint32(i<<6+bits.TrailingZeros64(w)))
		}
	}
}

// resized returns a slice of n zero elements in the memory of s where it suffices.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
