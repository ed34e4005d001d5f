package join

import (
	"slices"

	"resolwe/format/subgraph"
	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// argument returns the column of a relation for a variable of a projection.
func argument(n *plan.Node, t *subgraph.Table, a plan.Arg) []uint32 {
	return t.Cols[slices.Index(n.Literal.Args, a)]
}

// projected lists the tuples of the relation that match a projection's literal and whose factors all hold. Borrowed until the next call.
func (s *Scratch) projected(n *plan.Node) (table *subgraph.Table, tuples []uint32) {
	for i, k := range n.Kids { // before the list is in use
		if n.Factors[i][0] == n.Factors[i][1] {
			s.Set(k)
		}
	}
	table, _ = s.table(n.Literal.Pred, n.Literal.Source)
	s.work.Edges += uint64(table.Len())
	s.live = s.live[:0]
	if len(n.Kids) == 0 {
		for i := range table.Len() {
			s.live = append(s.live, uint32(i))
		}
	}
	for k := range n.Kids {
		s.holding(n, table, k)
	}
	values := make([]uint32, slices.Max(n.Literal.Args)+1)
	if len(values) < len(n.Literal.Args) { // constants and repeated variables
		s.live = slices.DeleteFunc(s.live, func(i uint32) bool { return !s.fits(n.Literal.Args, table, int(i), values) })
	}
	return table, s.live
}

// holding lists the tuples for which factor k holds, among those for which the earlier ones do.
func (s *Scratch) holding(n *plan.Node, table *subgraph.Table, k int) {
	rows, cols := argument(n, table, n.Factors[k][0]), argument(n, table, n.Factors[k][1])
	set, list := []uint64(nil), (*scan)(nil)
	if n.Factors[k][0] == n.Factors[k][1] {
		set = s.Set(n.Kids[k])
	} else {
		list = s.listScan(n.Kids[k])
	}
	from, size := s.live, len(s.live)
	if k == 0 {
		size = len(rows)
	}
	s.live = s.live[:0]
	for at := range size {
		i := uint32(at)
		if k > 0 {
			i = from[at]
		}
		x := rows[i]
		var ok bool
		switch {
		case list != nil:
			ids := list.rows.Row(x)
			ok = len(ids) > 0 && has(ids, cols[i])
		case set != nil:
			ok = bitset.Has(set, x)
		default:
			ok = bitset.Has(s.Row(n.Kids[k], x), cols[i])
		}
		if ok {
			s.live = append(s.live, i)
		}
	}
}

func has(list []uint32, id uint32) bool {
	_, ok := slices.BinarySearch(list, id)
	return ok
}

// weigh visits the tuples of projected with the product of their factors' counts and, for a vector, the row. It must run under Counting.
func (s *Scratch) weigh(n *plan.Node, visit func(x uint32, w int64)) {
	for i, k := range n.Kids { // before the list is in use
		if n.Factors[i][0] == n.Factors[i][1] {
			s.Counts(k)
		}
	}
	table, tuples := s.projected(n)
	for _, i := range tuples {
		w := int64(1)
		for k, id := range n.Kids {
			x, y := n.Factors[k][0], n.Factors[k][1]
			if x == y {
				w = Mul(w, s.Counts(id)[argument(n, table, x)[i]])
				continue
			}
			row := s.CountRow(id, argument(n, table, x)[i])
			at, _ := slices.BinarySearch(row.IDs, argument(n, table, y)[i])
			w = Mul(w, row.At(at))
		}
		visit(table.Cols[max(0, slices.Index(n.Literal.Args, 0))][i], w)
	}
}
