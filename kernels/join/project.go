package join

import (
	"slices"

	"resolwe/format/subgraph"
	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// projection visits the tuples of a relation that a projection sums.
type projection struct {
	table  *subgraph.Table
	row    []uint32   // column of the vector's entities; nil for a scalar
	equal  [][2]int   // columns with the same variable
	consts []colConst // columns with a constant
	never  bool       // a constant is absent
}

type colConst struct {
	col int
	id  uint32
}

// projectionOf binds a projection to the current subgraph.
func (s *Scratch) projectionOf(n *plan.Node) *projection {
	p := &s.project
	*p = projection{equal: p.equal[:0], consts: p.consts[:0]}
	p.table, _ = s.table(n.Literal.Pred, n.Literal.Source)
	if p.table.Len() == 0 {
		p.never = true
		return p
	}
	for c, a := range n.Literal.Args {
		if !a.IsVar() {
			p.never = p.never || s.Const(a) < 0
			p.consts = append(p.consts, colConst{col: c, id: uint32(s.Const(a))})
		} else if first := slices.Index(n.Literal.Args, a); first < c {
			p.equal = append(p.equal, [2]int{first, c})
		}
	}
	if n.Arity > 0 {
		p.row = p.table.Cols[slices.Index(n.Literal.Args, 0)]
	}
	return p
}

// matches reports whether tuple i matches the constants and repeated variables.
func (p *projection) matches(i int) bool {
	for _, c := range p.consts {
		if p.table.Cols[c.col][i] != c.id {
			return false
		}
	}
	for _, e := range p.equal {
		if p.table.Cols[e[0]][i] != p.table.Cols[e[1]][i] {
			return false
		}
	}
	return true
}

// argument returns the column of a relation for a variable of a projection.
func argument(n *plan.Node, t *subgraph.Table, a plan.Arg) []uint32 {
	return t.Cols[slices.Index(n.Literal.Args, a)]
}

// eachProjected visits the tuples that match the pattern and whose factors all hold; it stops when visit returns false.
func (s *Scratch) eachProjected(n *plan.Node, visit func(p *projection, i int) bool) {
	for i, k := range n.Kids { // before the projection's own memory is in use
		if n.Factors[i][0] == n.Factors[i][1] {
			s.Set(k)
		}
	}
	p := s.projectionOf(n)
	if p.never {
		return
	}
	s.work.Edges += uint64(p.table.Len())
	if len(n.Kids) == 0 {
		for i := range p.table.Len() {
			if p.matches(i) && !visit(p, i) {
				return
			}
		}
		return
	}
	live := s.firstFactor(p, n)
	for _, i := range live {
		if p.matches(int(i)) && s.factorsHold(p, n, int(i)) && !visit(p, int(i)) {
			return
		}
	}
}

// firstFactor lists the tuples that satisfy the first factor.
func (s *Scratch) firstFactor(p *projection, n *plan.Node) []uint32 {
	s.live = s.live[:0]
	rows, cols := argument(n, p.table, n.Factors[0][0]), argument(n, p.table, n.Factors[0][1])
	l := s.plainFactor(n, 0)
	for i, x := range rows {
		if l != nil {
			if list := l.rows.Row(x); len(list) == 0 || !has(list, cols[i]) {
				continue
			}
		} else if !s.factorHolds(n, 0, x, cols[i]) {
			continue
		}
		s.live = append(s.live, uint32(i))
	}
	return s.live
}

// factorsHold reports whether tuple i satisfies the factors after the first.
func (s *Scratch) factorsHold(p *projection, n *plan.Node, i int) bool {
	for k := 1; k < len(n.Kids); k++ {
		f := n.Factors[k]
		if !s.factorHolds(n, k, argument(n, p.table, f[0])[i], argument(n, p.table, f[1])[i]) {
			return false
		}
	}
	return true
}

// plainFactor returns the scan of a matrix factor whose rows are lists, nil for others.
func (s *Scratch) plainFactor(n *plan.Node, k int) *scan {
	if n.Factors[k][0] == n.Factors[k][1] {
		return nil
	}
	return s.listScan(n.Kids[k])
}

func (s *Scratch) factorHolds(n *plan.Node, k int, x, y uint32) bool {
	if n.Factors[k][0] == n.Factors[k][1] {
		return bitset.Has(s.Set(n.Kids[k]), x)
	}
	if l := s.listScan(n.Kids[k]); l != nil {
		return has(l.rows.Row(x), y)
	}
	return bitset.Has(s.Row(n.Kids[k], x), y)
}

func has(list []uint32, id uint32) bool {
	_, ok := slices.BinarySearch(list, id)
	return ok
}

// weigh visits the same tuples as eachProjected with the product of their factors' counts. It must run under Counting.
func (s *Scratch) weigh(n *plan.Node, visit func(p *projection, i int, w int64)) {
	for i, k := range n.Kids {
		if n.Factors[i][0] == n.Factors[i][1] {
			s.Counts(k)
		}
	}
	s.eachProjected(n, func(p *projection, i int) bool {
		visit(p, i, s.weight(p, n, i))
		return true
	})
}

// weight multiplies the counts of a projection's factors for tuple i. It must run under Counting.
func (s *Scratch) weight(p *projection, n *plan.Node, i int) int64 {
	w := int64(1)
	for k, id := range n.Kids {
		f := n.Factors[k]
		x, y := argument(n, p.table, f[0])[i], argument(n, p.table, f[1])[i]
		if f[0] == f[1] {
			w = Mul(w, s.Counts(id)[x])
			continue
		}
		row := s.CountRow(id, x)
		at, _ := slices.BinarySearch(row.IDs, y)
		w = Mul(w, row.At(at))
	}
	return w
}
