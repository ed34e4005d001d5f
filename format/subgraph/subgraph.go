package subgraph

import "slices"

// Subgraph is one of a stream. Entities of a type are dense local ids 0..n-1. Its slices may be views into a
// mapped file or into a reader's buffer: they are read-only, and live until the reader says.
type Subgraph struct {
	Index     int    // position in the stream, from 0
	Name      string // unique in the stream
	Center    string // the entity around which it was formed, "" where none
	Fold      int    // cross-validation fold, -1 where none
	Time      Time   // none where the stream is in no order of time
	Domains   []Domain
	Relations []Relation // by predicate of the stream's schema
	// Shared is nil where Relations is complete, which it is unless a reader was asked to leave out what is shared.
	Shared *Shared
}

// Domain is the entities of one type. Local ids follow first mention in the data.
type Domain struct {
	Size  int
	Names Names // may know few names where a reader was not asked for them
}

// Names gives the names of the entities of a domain.
type Names interface {
	// Name returns the name of a local id below the domain's size.
	Name(id uint32) string
	// Lookup returns the local id of a name, and whether the domain has it.
	Lookup(name string) (uint32, bool)
}

// Sourced are names that are all in one dictionary, which numbers more than those of the domain. Who sees many domains of one
// dictionary can tell their entities by its numbers, without their names.
type Sourced interface {
	Names
	// Source returns the dictionary, which compares by ==, and its numbers of the domain's local ids, to be read only. A number
	// stands for one name, always the same.
	Source() (dictionary any, numbers []uint32)
}

// Relation holds what is known of the atoms of one predicate. An evidence predicate has True only: what is absent is
// false. A target predicate has the atoms of unknown truth too; a listed one also those stated false, and no others
// exist. A target that is not listed keeps what was stated false as well (Given conditions on it): absent atoms exist.
type Relation struct {
	True, False, Unknown Table
}

// Tables returns the tables of true, false and unknown atoms, in this order.
func (r *Relation) Tables() [3]*Table { return [3]*Table{&r.True, &r.False, &r.Unknown} }

// Table is a set of tuples of local ids: sorted lexicographically, without repetition.
type Table struct {
	// Cols holds a column for each argument, all of one length.
	Cols [][]uint32
	// Forward and Backward index a binary table by its first and its second argument; empty for other arities.
	Forward, Backward Index
}

// Len returns the number of tuples. A predicate has at least one argument.
func (t *Table) Len() int {
	if len(t.Cols) == 0 {
		return 0
	}
	return len(t.Cols[0])
}

// Index lists, for each entity, its partners in a binary relation in ascending order.
// The partners of id are IDs[Offsets[id]:Offsets[id+1]]. The last entities of a domain may be beyond the index: they have
// none.
type Index struct {
	Offsets []uint32 // domain size + 1 entries at most; empty for an empty table
	IDs     []uint32
}

// Row returns the partners of id in ascending order; none for an id beyond the index.
func (x *Index) Row(id uint32) []uint32 {
	if int(id)+1 >= len(x.Offsets) {
		return nil
	}
	return x.IDs[x.Offsets[id]:x.Offsets[id+1]]
}

// Clone returns a copy of a subgraph that has all its relations. Its tables are in memory of its own.
func (s *Subgraph) Clone() *Subgraph {
	out := *s
	out.Domains, out.Relations = slices.Clone(s.Domains), slices.Clone(s.Relations)
	for i := range out.Relations {
		for _, t := range out.Relations[i].Tables() {
			t.Cols = slices.Clone(t.Cols)
			for c := range t.Cols {
				t.Cols[c] = slices.Clone(t.Cols[c])
			}
			t.Forward.Offsets = slices.Clone(t.Forward.Offsets)
			if len(t.Cols) == 2 {
				t.Forward.IDs = t.Cols[1]
			}
			t.Backward = Index{Offsets: slices.Clone(t.Backward.Offsets), IDs: slices.Clone(t.Backward.IDs)}
		}
	}
	return &out
}
