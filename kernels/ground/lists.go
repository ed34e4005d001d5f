package ground

import (
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/plan"
)

// lists are the rows of a matrix of zeros and ones, as far as they have been asked for.
type lists struct {
	known, ok bool
	index     subgraph.Index
	memory    subgraph.Index // of what is no view
}

// stored returns the rows of a matrix of zeros and ones whose relations all are stored with the subgraph, transposed
// the columns. It returns false for a matrix of another kind. Borrowed, until the next subgraph.
func (r *rows) stored(id plan.NodeID, transposed bool) (*subgraph.Index, bool) {
	at := 2 * int(id)
	if transposed {
		at++
	}
	l := &r.lists[at]
	if !l.known {
		l.known = true
		l.ok = r.list(l, id, transposed)
	}
	return &l.index, l.ok
}

// list sets the rows of a matrix, and reports whether it is one that has them.
func (r *rows) list(l *lists, id plan.NodeID, transposed bool) bool {
	n := &r.scratch.Prog.Nodes[id]
	switch {
	case n.Op == plan.OpLeaf && isBinary(n) && r.scratch.Role(n.Leaf.Pred) == mln.RoleEvidence && !r.shared(id):
		l.index = *indexOf(n, &r.scratch.Sub.Relations[n.Leaf.Pred].True, transposed)
		return true
	case n.Op == plan.OpAnd && transposed:
		index, ok := r.stored(id, false)
		if ok {
			transpose(&l.memory, index, r.scratch.Size(n.Col))
			l.index = l.memory
		}
		return ok
	case n.Op == plan.OpAnd && len(n.Kids) == 2:
		a, okA := r.stored(n.Kids[0], false)
		b, okB := r.stored(n.Kids[1], false)
		if !okA || !okB {
			return false
		}
		if len(a.IDs) < len(b.IDs) {
			a, b = b, a
		}
		r.intersect(&l.memory, a, b)
		l.index = l.memory
		return true
	}
	return false
}

// isBinary reports whether a leaf is a relation between two entities that are no constants, not the complement of one.
func isBinary(n *plan.Node) bool {
	return n.Arity == 2 && len(n.Leaf.Args) == 2 && !n.Leaf.Negated
}

// indexOf returns the rows of a binary leaf over a table, transposed the columns.
func indexOf(n *plan.Node, t *subgraph.Table, transposed bool) *subgraph.Index {
	if (n.Leaf.Args[0] == 0) != transposed {
		return &t.Forward
	}
	return &t.Backward
}

// intersect makes out what the rows of two matrices have in common, of which b has fewer entries.
func (r *rows) intersect(out, a, b *subgraph.Index) {
	n, marks := max(len(b.Offsets)-1, 0), r.acc
	out.IDs, out.Offsets = grown(out.IDs, len(b.IDs)+1), grown(out.Offsets, n+1)
	out.Offsets[0] = 0
	k := 0
	for z := range uint32(n) {
		few := b.Row(z)
		if len(few) > 0 {
			for _, y := range few {
				marks[y] = 1
			}
			for _, y := range a.Row(z) { // which may be one of the few
				out.IDs[k] = y
				k += int(marks[y])
			}
			for _, y := range few {
				marks[y] = 0
			}
		}
		out.Offsets[z+1] = uint32(k)
	}
	out.IDs = out.IDs[:k]
}

// transpose makes out the columns, so many, of a matrix.
func transpose(out, in *subgraph.Index, columns int) {
	out.Offsets, out.IDs = resized(out.Offsets, columns+2), grown(out.IDs, len(in.IDs))
	for _, y := range in.IDs {
		out.Offsets[y+2]++
	}
	for y := range columns {
		out.Offsets[y+2] += out.Offsets[y+1]
	}
	for z := range uint32(max(len(in.Offsets)-1, 0)) {
		for _, y := range in.Row(z) { // Offsets[y+1] moves from the beginning of y's column to its end
			out.IDs[out.Offsets[y+1]] = z
			out.Offsets[y+1]++
		}
	}
	out.Offsets = out.Offsets[:columns+1]
}
