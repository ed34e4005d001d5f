package subgraph

import (
	"slices"

	"resolwe/format/mln"
)

// NoEntity stands in a map between ids for an entity that the other side lacks.
const NoEntity = ^uint32(0)

// Base is a set of relations that many subgraphs of a stream have in common, over entities of its own. It is immutable,
// and one value for all subgraphs of a reader that use it: what is derived from it may be kept under its address. (Only
// where the bases of a file would take a reader more than 1 GiB beside the mapped bytes do they come anew.)
type Base struct {
	Sizes     []int      // by type: entities, with base ids 0..n-1
	Relations []Relation // by predicate: True is indexed; empty where Has is not set
	Has       []bool     // by predicate
}

// Shared is the part of a subgraph that is not stored with it. An induced relation holds exactly the tuples of the base's
// relation whose arguments all are entities of the subgraph.
type Shared struct {
	Base *Base
	// Induced says by predicate whether the relation is induced. Until Expand its True table is empty.
	Induced []bool
	// Counts holds by predicate the number of tuples of an induced relation.
	Counts []int
	// ToBase holds by type the base id of each local id, FromBase the local id of each base id; NoEntity where there
	// is none.
	ToBase, FromBase [][]uint32
}

// Bytes returns the memory that the base's relations take.
func (b *Base) Bytes() int64 {
	n := 0
	for i := range b.Relations {
		t := &b.Relations[i].True
		n += 3*t.Len() + len(t.Forward.Offsets) + len(t.Backward.Offsets)
	}
	return int64(n) * wordSize
}

// Complete returns a subgraph with all its relations: s itself where none is induced, else one that shares the rest with
// it. The schema is that of the relations.
func (s *Subgraph) Complete(schema *mln.Schema) *Subgraph {
	if s.Shared == nil {
		return s
	}
	out := *s
	out.Shared, out.Relations = nil, slices.Clone(s.Relations)
	for i, induced := range s.Shared.Induced {
		if induced {
			out.Relations[i].True = Table{}
			s.Shared.Expand(&out.Relations[i].True, i, schema.Predicates[i].Args)
		}
	}
	return &out
}

// Expand makes the table of an induced relation, whose argument types are given, in the memory that t has: t must be a
// table that Expand made, or the zero one.
func (s *Shared) Expand(t *Table, pred int, args []int) {
	rows, cols, n := s.ToBase[args[0]], s.ToBase[args[1]], s.Counts[pred]
	if len(t.Cols) != 2 {
		t.Cols = make([][]uint32, 2)
	}
	t.Cols[0], t.Cols[1] = resize(t.Cols[0], n), resize(t.Cols[1], n)
	t.Forward = Index{Offsets: resize(t.Forward.Offsets, len(rows)+1), IDs: t.Cols[1]}
	t.Backward = Index{Offsets: resize(t.Backward.Offsets, len(cols)+1), IDs: resize(t.Backward.IDs, n)}
	if n == 0 {
		t.Forward.Offsets, t.Backward.Offsets = t.Forward.Offsets[:0], t.Backward.Offsets[:0]
		return
	}
	forward, backward := t.Forward.Offsets, t.Backward.Offsets
	s.fill(t, pred, rows, s.FromBase[args[1]])
	for c := range cols {
		backward[c+1] += backward[c]
	}
	for i, c := range t.Cols[1] {
		t.Backward.IDs[backward[c]] = t.Cols[0][i]
		backward[c]++
	}
	restart(backward)
	for c := range cols {
		for _, r := range t.Backward.Row(uint32(c)) {
			t.Cols[1][forward[r]] = uint32(c)
			forward[r]++
		}
	}
	restart(forward)
}

// fill writes the tuples by their first argument, with the partners of each in the base's order, and the forward offsets.
// Each backward offset becomes the number of tuples with the second argument before.
func (s *Shared) fill(t *Table, pred int, rows, local []uint32) {
	base := &s.Base.Relations[pred].True.Forward
	forward, backward := t.Forward.Offsets, t.Backward.Offsets
	clear(backward)
	n := uint32(0)
	for r, b := range rows {
		forward[r] = n
		if b == NoEntity {
			continue
		}
		for _, c := range base.Row(b) {
			if c = local[c]; c != NoEntity {
				t.Cols[0][n], t.Cols[1][n] = uint32(r), c
				backward[c+1]++
				n++
			}
		}
	}
	forward[len(rows)] = n
}

// count returns the number of tuples of an induced relation whose argument types are given. lacks holds by type the base's
// entities that the subgraph lacks, whose tuples are taken out. Those that lack both arguments are so taken out twice:
// they are looked for on the side with fewer tuples, and put back.
func (s *Shared) count(pred int, args []int, lacks [][]uint32) int {
	t := &s.Base.Relations[pred].True
	rows, cols := lacks[args[0]], lacks[args[1]]
	ofRows, ofCols := t.Forward.total(rows), t.Backward.total(cols)
	n := t.Len() - ofRows - ofCols
	if ofRows < ofCols {
		return n + t.Forward.totalLacking(rows, s.FromBase[args[1]])
	}
	return n + t.Backward.totalLacking(cols, s.FromBase[args[0]])
}

// total returns how many partners the ids have.
func (x *Index) total(ids []uint32) (n int) {
	for _, id := range ids {
		n += len(x.Row(id))
	}
	return n
}

// totalLacking returns how many of the partners of the ids have no local id.
func (x *Index) totalLacking(ids, local []uint32) (n int) {
	for _, id := range ids {
		for _, partner := range x.Row(id) {
			n += int((uint64(local[partner]) + 1) >> 32) // 1 for NoEntity, without a branch
		}
	}
	return n
}

// restart undoes that each entry of offsets has moved on to the start of the next row.
func restart(offsets []uint32) {
	copy(offsets[1:], offsets)
	offsets[0] = 0
}

// resize returns n elements, of any content, in the memory of s where it suffices.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
