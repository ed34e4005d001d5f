package join

import (
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// scan is a literal in the current subgraph: the rows of an index, or their complement.
type scan struct {
	epoch      uint32
	complement bool
	rows       subgraph.Index // of a matrix
	first      []uint32       // parallel to rows.IDs: the row of each; nil if that is not at hand
	also       subgraph.Index // more ids of the rows, disjoint from the others; mostly empty
	set        []uint32       // of a vector, ascending
	holds      bool           // of a scalar
	cols       columns        // memory for what is not a view
	offsets    []uint32
}

// len returns the number of ids listed for row x.
func (l *scan) len(x uint32) int { return len(l.rows.Row(x)) + len(l.also.Row(x)) }

// setRow adds the ids listed for row x to dst.
func (l *scan) setRow(dst []uint64, x uint32) {
	bitset.SetAll(dst, l.rows.Row(x))
	bitset.SetAll(dst, l.also.Row(x))
}

// union is the merge of the first of a predicate's tables.
type union struct {
	epoch uint32
	from  []uint8 // by tuple: its table
	table subgraph.Table
}

// scanOf binds a scan to the current subgraph.
func (s *Scratch) scanOf(id plan.NodeID) *scan {
	l := &s.scans[id]
	if l.epoch == s.epoch {
		return l
	}
	l.epoch = s.epoch
	n := &s.Prog.Nodes[id]
	l.also, l.first = subgraph.Index{}, nil
	if s.bindKnown(l, n) {
		return l
	}
	table, complement := s.table(n.Literal.Pred, n.Literal.Source)
	if complement && s.absent(n.Literal.Args) { // atoms of entities that the subgraph lacks do not exist
		table, _ = s.Union(n.Literal.Pred, 0)
		complement = false
	}
	l.complement = complement != n.Literal.Negated
	switch args := n.Literal.Args; {
	case len(args) == 2 && args[0] == 0 && args[1] == 1:
		l.rows, l.first = table.Forward, table.Cols[0]
	case len(args) == 2 && args[0] == 1 && args[1] == 0:
		l.rows = table.Backward
	case len(args) == 1 && args[0] == 0:
		l.set = table.Cols[0]
	case len(args) == 2 && args[0] == 0 && !args[1].IsVar():
		l.set = s.row(&table.Backward, args[1])
	case len(args) == 2 && args[1] == 0 && !args[0].IsVar():
		l.set = s.row(&table.Forward, args[0])
	default:
		s.filter(l, n, table)
	}
	return l
}

// bindKnown binds the query atoms of known truth of a listed target to its two tables, to avoid merging them.
func (s *Scratch) bindKnown(l *scan, n *plan.Node) bool {
	f := &n.Literal
	if n.Arity != 2 || len(f.Args) != 2 || f.Negated || f.Source != plan.SourceKnown || s.Role(f.Pred) != mln.RoleListed {
		return false
	}
	r := &s.Sub.Relations[f.Pred]
	l.complement, l.rows, l.also = false, r.True.Forward, r.False.Forward
	if f.Args[0] != 0 {
		l.rows, l.also = r.True.Backward, r.False.Backward
	}
	return true
}

// absent reports whether a constant among the arguments is not in its domain.
func (s *Scratch) absent(args []plan.Arg) bool {
	return slices.ContainsFunc(args, func(a plan.Arg) bool { return !a.IsVar() && s.Const(a) < 0 })
}

func (s *Scratch) row(x *subgraph.Index, c plan.Arg) []uint32 {
	if id := s.Const(c); id >= 0 {
		return x.Row(uint32(id))
	}
	return nil
}

// filter collects the rows and columns of the tuples that match a scan's constants and repeated variables.
func (s *Scratch) filter(l *scan, n *plan.Node, table *subgraph.Table) {
	cols := s.matching(l.cols, n.Literal.Args, n.Arity, table)
	s.work.Edges += uint64(table.Len())
	switch l.cols = cols; n.Arity {
	case 0:
		l.holds = len(cols.rows) > 0
	case 1:
		l.set = cols.cols[0]
	case 2:
		l.offsets = grow.Zeroed(l.offsets, s.size[n.Row]+1)
		for _, row := range cols.cols[0] {
			l.offsets[row+1]++
		}
		for i := range s.size[n.Row] {
			l.offsets[i+1] += l.offsets[i]
		}
		l.rows = subgraph.Index{Offsets: l.offsets, IDs: cols.cols[1]}
	}
}

// table returns the atoms of a predicate from a source, or those of which they are the complement.
func (s *Scratch) table(pred int, src plan.Source) (t *subgraph.Table, complement bool) {
	r := &s.Sub.Relations[pred]
	switch {
	case s.induced(pred):
		return s.expand(pred), false
	case src == plan.SourceTrue:
		return &r.True, false
	case src == plan.SourceKnown && s.Role(pred) != mln.RoleListed:
		return &r.Unknown, true
	}
	first := 0
	if s.Role(pred) == mln.RoleListed {
		first = int(src) // the 2 tables of known truth, or all 3
	}
	t, _ = s.Union(pred, first)
	return t, first == 0
}

// Union merges the first tables of a predicate, out of the disjoint ones of its true, false and unknown atoms. from has the table of each
// tuple. The result is borrowed until the next Reset.
func (s *Scratch) Union(pred, first int) (t *subgraph.Table, from []uint8) {
	args, all := s.Prog.Schema.Predicates[pred].Args, s.Sub.Relations[pred].Tables()
	u := &s.unions[4*pred+first]
	if u.epoch == s.epoch {
		return &u.table, u.from
	}
	u.epoch, u.from = s.epoch, u.from[:0]
	if u.table.Cols == nil {
		u.table.Cols = make([][]uint32, len(args))
	}
	for c := range args {
		u.table.Cols[c] = u.table.Cols[c][:0]
	}
	var at [len(all)]int // in each table
	n := 0
	for _, t := range all[:first] {
		n += t.Len()
	}
	for range n {
		k := 0
		for i, t := range all[:first] {
			if at[i] < t.Len() && (at[k] == all[k].Len() || tupleLess(t, at[i], all[k], at[k])) {
				k = i
			}
		}
		for c := range args {
			u.table.Cols[c] = append(u.table.Cols[c], all[k].Cols[c][at[k]])
		}
		u.from = append(u.from, uint8(k))
		at[k]++
	}
	if len(args) == 2 {
		u.table.BuildIndex(s.size[args[0]], s.size[args[1]])
	}
	return &u.table, u.from
}

// tupleLess reports whether tuple i of a table comes before tuple j of another in lexicographic order.
func tupleLess(a *subgraph.Table, i int, b *subgraph.Table, j int) bool {
	for c := range a.Cols {
		if x, y := a.Cols[c][i], b.Cols[c][j]; x != y {
			return x < y
		}
	}
	return false
}
