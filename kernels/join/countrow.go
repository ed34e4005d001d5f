package join

import (
	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// CountRow evaluates row x of a matrix node: the number of solutions for each entity of the column type with at least one. Borrowed. It
// must run under Counting.
func (s *Scratch) CountRow(id plan.NodeID, x uint32) Vec {
	c := s.countRows(id)
	if c.lists != nil {
		return Vec{IDs: c.lists.Row(x)}
	}
	if row := c.rows.row(x); row != nil {
		return *row
	}
	var row Vec
	switch n := &s.Prog.Nodes[id]; n.Op {
	case plan.OpScan, plan.OpDiffer:
		if s.unexpanded(id) {
			row.IDs = s.inducedRow(n, x)
			break
		}
		bits := s.Row(id, x)
		row.IDs = bitset.AppendIDs(s.ids.take(bitset.Count(bits))[:0], bits)
	case plan.OpAnd:
		row = s.andRow(n, x)
	case plan.OpMul:
		row = s.product(n, x)
	case plan.OpAll, plan.OpDifferConst, plan.OpVec, plan.OpSum, plan.OpProject: // of other shapes
	}
	c.rows.keep(x, row)
	return row
}

// countRows returns the value of a matrix node computed so far.
func (s *Scratch) countRows(id plan.NodeID) *countNode {
	c, fresh := s.countNode(id)
	if fresh {
		c.lists = nil // of the last subgraph
		if !s.unexpanded(id) {
			c.lists = s.Lists(id)
		}
		c.rows.begin(s.size[s.Prog.Nodes[id].Row])
	}
	return c
}

// andRow returns row x of an elementwise product. Factors that only exclude entries come last.
func (s *Scratch) andRow(n *plan.Node, x uint32) Vec {
	var row Vec
	begun, late := false, false
	for _, k := range n.Kids {
		if _, ok := s.except(k, x); ok {
			late = true
			continue
		}
		if r := s.CountRow(k, x); begun {
			row = s.multiplied(row, r)
		} else {
			row, begun = r, true
		}
	}
	if !late {
		return row
	}
	for _, k := range n.Kids {
		except, ok := s.except(k, x)
		switch {
		case !ok:
		case begun:
			row = s.without(row, except)
		default:
			row, begun = s.CountRow(k, x), true
		}
	}
	return row
}

// without returns a row without some of its entries.
func (s *Scratch) without(row Vec, except []uint32) Vec {
	out := Vec{IDs: s.ids.take(len(row.IDs))[:0]}
	if row.N != nil {
		out.N = s.nums.take(len(row.IDs))[:0]
	}
	for i, id := range row.IDs {
		for len(except) > 0 && except[0] < id {
			except = except[1:]
		}
		if len(except) > 0 && except[0] == id {
			continue
		}
		out.IDs = append(out.IDs, id)
		if row.N != nil {
			out.N = append(out.N, row.N[i])
		}
	}
	return out
}

// multiplied returns the elementwise product of two rows.
func (s *Scratch) multiplied(a, b Vec) Vec {
	if a.N == nil && b.N == nil {
		s.common = s.appendCommon(s.common[:0], a.IDs, b.IDs)
		ids := s.ids.take(len(s.common))
		copy(ids, s.common)
		return Vec{IDs: ids}
	}
	out := Vec{IDs: s.ids.take(min(len(a.IDs), len(b.IDs)))[:0]}
	out.N = s.nums.take(cap(out.IDs))[:0]
	for i, j := 0, 0; i < len(a.IDs) && j < len(b.IDs); {
		switch {
		case a.IDs[i] < b.IDs[j]:
			i++
		case a.IDs[i] > b.IDs[j]:
			j++
		default:
			out.IDs = append(out.IDs, a.IDs[i])
			out.N = append(out.N, Mul(a.At(i), b.At(j)))
			i++
			j++
		}
	}
	return out
}

// product returns row x of a matrix product. Inner rows that are not lists are evaluated first, since they use the
// same accumulator.
func (s *Scratch) product(n *plan.Node, x uint32) Vec {
	a, b := s.CountRow(n.Kids[0], x), n.Kids[2]
	var within []int64
	if n.Kids[1] != plan.None {
		within = s.Counts(n.Kids[1])
	}
	times := func(i int) int64 {
		if within == nil {
			return a.At(i)
		}
		return Mul(a.At(i), within[a.IDs[i]])
	}
	if right := s.countRows(b).lists; right != nil {
		for i, z := range a.IDs {
			s.accumulate(Vec{IDs: right.Row(z)}, times(i))
		}
	} else {
		first := len(s.inner)
		for _, z := range a.IDs {
			s.inner = append(s.inner, s.CountRow(b, z))
		}
		for i := range a.IDs {
			s.accumulate(s.inner[first+i], times(i))
		}
		s.inner = s.inner[:first]
	}
	words := s.hit[:bitset.Words(s.size[n.Col])]
	out := Vec{IDs: bitset.AppendIDs(s.ids.take(bitset.Count(words))[:0], words)}
	out.N = s.nums.take(len(out.IDs))
	for i, y := range out.IDs {
		out.N[i], s.acc[y] = s.acc[y], 0
	}
	clear(words)
	return out
}

// accumulate adds a row k times to the accumulator.
func (s *Scratch) accumulate(row Vec, k int64) {
	acc, hit := s.acc, s.hit
	switch {
	case k == 0:
	case row.N == nil:
		for _, y := range row.IDs {
			acc[y] = Add(acc[y], k)
			bitset.Set(hit, y)
		}
	default:
		counts := row.N[:len(row.IDs)]
		for j, y := range row.IDs {
			acc[y] = Add(acc[y], Mul(k, counts[j]))
			bitset.Set(hit, y)
		}
	}
}
