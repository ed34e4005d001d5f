package subgraph

import "slices"

// Subgraph is one subgraph of a stream. The entities of a type have dense local ids 0..n-1. Its slices may be views into a mapped file or a
// reader's buffer: they are read-only, and the reader says how long they live.
type Subgraph struct {
	Index     int    // position in the stream, from 0
	Name      string // unique in the stream, unless Later
	Center    string // the entity around which it was formed, "" for none
	Fold      int    // cross-validation fold, -1 for none
	Time      Time   // none if the stream is not ordered by time
	Domains   []Domain
	Relations []Relation // by predicate of the stream's schema
	Later     bool       // an earlier subgraph has this name: this one states what became known of it later
	// Shared is nil if Relations is complete, as it is unless a reader was asked to leave out what is shared.
	Shared *Shared
}

// Domain is the entities of one type. Local ids follow the order of first mention in the data.
type Domain struct {
	Size  int
	Names Names // may be incomplete if a reader was not asked for names
}

// Names converts between local ids and names of a domain.
type Names interface {
	// Name returns the name of a local id below the domain's size.
	Name(id uint32) string
	// Lookup returns the local id of a name, and whether the domain has it.
	Lookup(name string) (uint32, bool)
}

// Relation holds what is known about the atoms of one predicate. An evidence predicate has only True; absent atoms are false. A target
// predicate also has atoms of unknown truth. A listed target also has those stated false, and no other atoms exist. A target that is not
// listed keeps those stated false too (Given conditions on them), and absent atoms exist.
type Relation struct {
	True, False, Unknown Table
}

// Tables returns the tables of true, false and unknown atoms, in this order.
func (r *Relation) Tables() [3]*Table { return [3]*Table{&r.True, &r.False, &r.Unknown} }

// Table is a set of tuples of local ids, sorted lexicographically, without duplicates.
type Table struct {
	// Cols holds one column for each argument, all of the same length.
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

// words returns how many words a table and its indexes take.
func (t *Table) words() int {
	return t.Len()*len(t.Cols) + len(t.Forward.Offsets) + len(t.Backward.Offsets) + len(t.Backward.IDs)
}

// Words returns how many words the tables stored with a subgraph take.
func (s *Subgraph) Words() (n int) {
	for i := range s.Relations {
		for _, t := range s.Relations[i].Tables() {
			n += t.words()
		}
	}
	return n
}

// Index lists each entity's partners in a binary relation, in ascending order: those of id are IDs[Offsets[id]:Offsets[id+1]]. The last
// entities of a domain may be beyond the index: they have none.
type Index struct {
	Offsets []uint32 // at most domain size + 1 entries; empty for an empty table
	IDs     []uint32
}

// Row returns the partners of id in ascending order; none for an id beyond the index.
func (x *Index) Row(id uint32) []uint32 {
	if int(id)+1 >= len(x.Offsets) {
		return nil
	}
	return x.IDs[x.Offsets[id]:x.Offsets[id+1]]
}

// Clone returns a deep copy of a subgraph that has all its relations.
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
