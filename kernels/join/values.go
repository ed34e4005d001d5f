package join

import (
	"slices"

	"resolwe/format/subgraph"
	"resolwe/internal/grow"
	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// Values calls visit with each value of output d of a reduced query that the factors over it and the outputs below first allow, given the
// values bound to these, and with n times the factors' counts. If no factor over two outputs restricts the values to try, they are those
// listed, or all if listed is nil. It must run under Counting.
func (s *Scratch) Values(q *plan.Query, d, first int, binding []uint32, n int64, listed []uint32, visit func(v uint32, n int64)) {
	driver, row := s.shortest(q, d, first, binding)
	step := func(v uint32, n int64) {
		s.Step()
		for _, f := range q.Vectors {
			if f.Var == d {
				n = Mul(n, s.Counts(f.Node)[v])
			}
		}
		for k, m := range q.Mats {
			if m.Col != d || m.Row >= first || k == driver || n == 0 {
				continue
			}
			other := s.CountRow(m.Node, binding[m.Row])
			i, ok := slices.BinarySearch(other.IDs, v)
			if !ok {
				return
			}
			n = Mul(n, other.At(i))
		}
		if n > 0 {
			visit(v, n)
		}
	}
	switch {
	case driver >= 0:
		for i, v := range row.IDs {
			step(v, Mul(n, row.At(i)))
		}
	case listed != nil:
		for _, v := range listed {
			step(v, n)
		}
	default:
		for v := range uint32(s.Size(q.Conj.Types[q.Outputs[d]])) {
			step(v, n)
		}
	}
}

// shortest returns the matrix over output d and one below first that has the shortest row given their values, and that row; -1 for none.
func (s *Scratch) shortest(q *plan.Query, d, first int, binding []uint32) (at int, row Vec) {
	at = -1
	for k, m := range q.Mats {
		if m.Col != d || m.Row >= first {
			continue
		}
		if r := s.CountRow(m.Node, binding[m.Row]); at < 0 || len(r.IDs) < len(row.IDs) {
			at, row = k, r
		}
	}
	return at, row
}

// Candidates returns the values of output d of a reduced query that the factors over it and the earlier outputs allow, given the values
// bound to these. skip, unless nil, says which matrices to leave out. Borrowed until the next call for the output.
func (s *Scratch) Candidates(q *plan.Query, d int, binding []uint32, skip func(plan.Matrix) bool) []uint64 {
	size := s.Size(q.Conj.Types[q.Outputs[d]])
	for len(s.allowed) <= d {
		s.allowed = append(s.allowed, nil)
	}
	s.allowed[d] = grow.To(s.allowed[d], bitset.Words(size))
	set := s.allowed[d]
	bitset.Fill(set, size)
	for _, f := range q.Vectors {
		if f.Var == d {
			bitset.AndInto(set, s.Set(f.Node))
		}
	}
	for _, f := range q.Mats {
		if f.Col == d && (skip == nil || !skip(f)) {
			bitset.AndInto(set, s.Row(f.Node, binding[f.Row]))
		}
	}
	return set
}

// EachCandidate calls visit with the [Scratch.Candidates] of output d, ascending. A list of a single matrix is visited without a set of all entities.
func (s *Scratch) EachCandidate(q *plan.Query, d int, binding []uint32, visit func(v uint32) bool) {
	var only *plan.Matrix
	for k := range q.Mats {
		if m := &q.Mats[k]; m.Col == d && only == nil {
			only = m
		} else if m.Col == d {
			only = nil
			break
		}
	}
	var lists *subgraph.Index
	if only != nil && !s.unexpanded(only.Node) {
		lists = s.Lists(only.Node)
	}
	if lists == nil {
		bitset.Each(s.Candidates(q, d, binding, nil), visit)
		return
	}
	for _, v := range lists.Row(binding[only.Row]) {
		lacks := func(f plan.Vector) bool { return f.Var == d && !bitset.Has(s.Set(f.Node), v) }
		if !slices.ContainsFunc(q.Vectors, lacks) && !visit(v) {
			return
		}
	}
}

// Scalar returns the product of a reduced query's factors over no output: 0 if it has no solution. It must run under Counting.
func (s *Scratch) Scalar(q *plan.Query) int64 {
	// One that is 0 makes it 0 however large the others are.
	if !s.Guards(q.Conj) || slices.ContainsFunc(q.Scalars, func(id plan.NodeID) bool { return s.Count(id) == 0 }) {
		return 0
	}
	n := int64(1)
	for _, id := range q.Scalars {
		n = Mul(n, s.Count(id))
	}
	return n
}
