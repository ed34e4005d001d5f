package subgraph

import (
	"slices"
	"sync"

	"resolwe/format/mln"
	"resolwe/internal/grow"
)

// NoEntity stands, in a map between ids, for an entity without a counterpart.
const NoEntity = ^uint32(0)

// Background is a graph from which many subgraphs of a stream are cut, with entities of its own. It is immutable, and the same value for
// all subgraphs of a reader that use it, so derived data may be cached by its address. (A reader loads a background again only if the
// backgrounds of a file would take more than 1 GiB besides the mapped bytes.)
type Background struct {
	Sizes     []int      // by type: number of entities, with ids 0..n-1 of the background
	Relations []Relation // by predicate: True is indexed; empty unless Has is set
	Has       []bool     // by predicate: whether the background has it

	views sync.Map // by *Map: a *Background in the schema of its model
}

// Shared is the part of a subgraph that is not stored with it. An induced relation holds those tuples of the background's relation whose
// arguments are all entities of the subgraph.
type Shared struct {
	Background *Background
	// Induced says, by predicate, whether the relation is induced. Its True table is empty until Expand.
	Induced []bool
	// Counts holds, by predicate, the number of tuples of an induced relation.
	Counts []int
	// ToBackground maps, by type, local ids to the background's, and FromBackground the reverse; NoEntity means no counterpart.
	ToBackground, FromBackground [][]uint32
	// Lacks holds by type the background's ids, ascending, of the entities that the subgraph lacks.
	Lacks [][]uint32
}

// Bytes returns the memory used by the relations.
func (b *Background) Bytes() int64 {
	n := 0
	for i := range b.Relations {
		n += b.Relations[i].True.words()
	}
	return int64(n) * 4
}

// Complete returns a subgraph with all its relations: s itself if none is induced, otherwise a copy that shares the rest. The schema is
// that of the relations.
func (s *Subgraph) Complete(schema *mln.Schema) *Subgraph { return new(Completion).Of(s, schema) }

// Facts returns how many facts of an evidence predicate the subgraph has.
func (s *Subgraph) Facts(pred int) int {
	if s.Shared != nil && s.Shared.Induced[pred] {
		return s.Shared.Counts[pred]
	}
	return s.Relations[pred].True.Len()
}

// Extended returns a subgraph with more relations, which are not induced, after its own. It shares the rest.
func (s *Subgraph) Extended(more []Relation) *Subgraph {
	out := *s
	out.Relations = slices.Concat(s.Relations, more)
	if s.Shared != nil {
		shared := *s.Shared
		shared.Induced = slices.Concat(shared.Induced, make([]bool, len(more)))
		out.Shared = &shared
	}
	return &out
}

// Completion is memory for a subgraph with all its relations. The zero value is empty.
type Completion struct {
	sub       Subgraph
	relations []Relation
	expanded  []Table // by predicate
}

// Of does what Complete does, in the memory of c: the result lives until the next call.
func (c *Completion) Of(s *Subgraph, schema *mln.Schema) *Subgraph {
	if s.Shared == nil {
		return s
	}
	c.relations, c.expanded = append(c.relations[:0], s.Relations...), grow.To(c.expanded, len(s.Relations))
	for i, induced := range s.Shared.Induced {
		if induced {
			s.Shared.Expand(&c.expanded[i], i, schema.Predicates[i].Args)
			c.relations[i].True = c.expanded[i]
		}
	}
	c.sub = *s
	c.sub.Shared, c.sub.Relations = nil, c.relations
	return &c.sub
}

// Expand builds the table of an induced relation with the given argument types, reusing the memory of t, which must come from Expand or be
// the zero table.
func (s *Shared) Expand(t *Table, pred int, args []int) {
	rows, cols, n := s.ToBackground[args[0]], s.ToBackground[args[1]], s.Counts[pred]
	if len(t.Cols) != 2 {
		t.Cols = make([][]uint32, 2)
	}
	t.Cols[0], t.Cols[1] = grow.To(t.Cols[0], n), grow.To(t.Cols[1], n)
	t.Forward = Index{Offsets: grow.To(t.Forward.Offsets, len(rows)+1), IDs: t.Cols[1]}
	t.Backward = Index{Offsets: grow.To(t.Backward.Offsets, len(cols)+1), IDs: grow.To(t.Backward.IDs, n)}
	if n == 0 {
		t.Forward.Offsets, t.Backward.Offsets = t.Forward.Offsets[:0], t.Backward.Offsets[:0]
		return
	}
	s.fill(t, pred, rows, s.FromBackground[args[1]])
	t.invert()
	forward := t.Forward.Offsets
	for c := range cols {
		for _, r := range t.Backward.Row(uint32(c)) {
			t.Cols[1][forward[r]] = uint32(c)
			forward[r]++
		}
	}
	restart(forward)
}

// fill writes the tuples by their first argument, with the partners of each in the background's order, and the forward offsets. Each
// backward offset becomes the number of tuples with the preceding second argument.
func (s *Shared) fill(t *Table, pred int, rows, local []uint32) {
	base := &s.Background.Relations[pred].True.Forward
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

// accumulate replaces counts by their running sums.
func accumulate(counts []uint32) []uint32 {
	for i := 1; i < len(counts); i++ {
		counts[i] += counts[i-1]
	}
	return counts
}

// invert builds the backward index of columns that ascend by the first, from counts: each offset holds the number of tuples with the
// preceding second argument.
func (t *Table) invert() {
	next := accumulate(t.Backward.Offsets)
	for i, id := range t.Cols[1] {
		t.Backward.IDs[next[id]] = t.Cols[0][i]
		next[id]++
	}
	restart(next)
}

// restart shifts offsets back after each has moved on to the start of the next row.
func restart(offsets []uint32) {
	copy(offsets[1:], offsets)
	offsets[0] = 0
}
