package join

import (
	"slices"

	"resolwe/format/subgraph"
	"resolwe/kernels/plan"
)

// dotsApart is dots for two matrices that count entities apart from the row's own, without building a product, whose rows are long. It returns
// false, and dst is arbitrary, for other matrices, and where a count that the result may not need is too large.
func (s *Scratch) dotsApart(dst []int64, id plan.NodeID, within []int64) bool {
	n := &s.Prog.Nodes[id]
	if n.Op != plan.OpAnd || len(n.Kids) != 2 {
		return false
	}
	for i, k := range n.Kids {
		mul, other := &s.Prog.Nodes[k], n.Kids[1-i]
		if mul.Op != plan.OpMul {
			continue
		}
		right := s.countRows(mul.Kids[2]).lists
		if right == nil {
			continue
		}
		var inner []int64
		if mul.Kids[1] != plan.None {
			inner = s.Counts(mul.Kids[1])
		}
		if s.Prog.Nodes[other].Op == plan.OpDiffer {
			return s.dotsUnlike(dst, mul, right, inner, within)
		}
		if lists := s.countRows(other).lists; lists != nil && s.Prog.Nodes[mul.Kids[0]].Op == plan.OpDiffer {
			return s.dotsOfOthers(dst, s.size[mul.Col], lists, right, inner, within)
		}
	}
	return false
}

// dotsUnlike is dotsApart for a product A S B without its diagonal: sum over z of A(x, z) S(z) times the weights of row z of B but x's.
func (s *Scratch) dotsUnlike(dst []int64, mul *plan.Node, right *subgraph.Index, inner, within []int64) bool {
	sums := s.nums.take(s.size[s.Prog.Nodes[mul.Kids[2]].Row])
	for z := range sums {
		for _, y := range right.Row(uint32(z)) {
			if sums[z] += weight(within, y); sums[z] < 0 {
				return false
			}
		}
	}
	for x := range uint32(len(dst)) {
		dst[x] = 0
		row := s.CountRow(mul.Kids[0], x)
		for i, z := range row.IDs {
			n := sums[z]
			if _, self := slices.BinarySearch(right.Row(z), x); self {
				n -= weight(within, x)
			}
			dst[x] = Add(dst[x], Mul(Mul(row.At(i), weight(inner, z)), n))
		}
	}
	return true
}

// dotsOfOthers is dotsApart for lists and a product (x != z) S B: for each y of row x the sum over z of S(z) B(z, y), but x's.
func (s *Scratch) dotsOfOthers(dst []int64, size int, lists, right *subgraph.Index, inner, within []int64) bool {
	sums := s.nums.take(size)
	for z := range uint32(len(dst)) {
		for _, y := range right.Row(z) {
			if sums[y] += weight(inner, z); sums[y] < 0 {
				return false
			}
		}
	}
	for x := range uint32(len(dst)) {
		dst[x] = 0
		for _, y := range lists.Row(x) {
			n := sums[y]
			if _, self := slices.BinarySearch(right.Row(x), y); self {
				n -= weight(inner, x)
			}
			dst[x] = Add(dst[x], Mul(n, weight(within, y)))
		}
	}
	return true
}

// weight returns an entry of a dense vector, of ones if it is nil.
func weight(dense []int64, x uint32) int64 {
	if dense == nil {
		return 1
	}
	return dense[x]
}
