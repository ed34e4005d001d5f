package subgraph

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/table"
	"resolwe/internal/grow"
)

// Truth is what the data says about an atom.
type Truth uint8

// The truth values. The zero value is none.
const (
	True Truth = iota + 1
	False
	Unknown
)

// String returns the word for a truth value.
func (t Truth) String() string {
	return [...]string{"no truth", True: "true", False: "false", Unknown: "unknown"}[t]
}

// ConflictError says that an atom was given two truth values.
type ConflictError struct {
	Predicate     string
	Args          []string
	First, Second int // the calls of Add that gave them, from 0
	Truths        [2]Truth
}

// Error names the atom and the two statements.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s%v is stated both %v and %v", e.Predicate, e.Args, e.Truths[0], e.Truths[1])
}

// Builder collects the facts of one subgraph at a time. Wrong use, such as a type that the schema lacks, is an error of Finish. It is not
// safe for concurrent use.
type Builder struct {
	schema *mln.Schema
	sub    *Subgraph // nil before Reset
	wrong  error     // the first mistake in the calls since Reset
	facts  []pending
	added  int

	rows, next, offsets []uint32 // scratch of a relation
}

// pending holds the statements about one predicate in order of arrival, one column for each argument.
type pending struct {
	cols  [][]uint32
	truth []Truth
	order []int
}

// NewBuilder returns a builder of subgraphs with the schema, which it keeps. Call Reset before the first fact.
func NewBuilder(schema *mln.Schema) *Builder { return &Builder{schema: schema} }

// Reset starts a new subgraph and discards the previous one. fold is -1 for none.
func (b *Builder) Reset(name, center string, fold int) {
	b.sub = &Subgraph{Name: name, Center: center, Fold: fold, Domains: make([]Domain, len(b.schema.Types))}
	b.added, b.wrong = 0, nil
	for i := range b.sub.Domains {
		b.sub.Domains[i].Names = &nameTable{}
	}
	if len(b.facts) != len(b.schema.Predicates) {
		b.facts = make([]pending, len(b.schema.Predicates))
		for i, p := range b.schema.Predicates {
			b.facts[i].cols = make([][]uint32, len(p.Args))
		}
	}
	for i := range b.facts {
		p := &b.facts[i]
		for c := range p.cols {
			p.cols[c] = p.cols[c][:0]
		}
		p.truth, p.order = p.truth[:0], p.order[:0]
	}
}

// At sets the time of the subgraph.
func (b *Builder) At(t Time) {
	if b.sub != nil {
		b.sub.Time = t
	}
}

// Entity returns the local id of an entity, adding it to the type's domain if it is new.
func (b *Builder) Entity(typ int, name string) uint32 {
	if b.sub == nil || typ < 0 || typ >= len(b.sub.Domains) {
		b.fail("entity %q has type %d, but there are %d", name, typ, len(b.schema.Types))
		return 0
	}
	d := &b.sub.Domains[typ]
	names, ok := d.Names.(*nameTable)
	if !ok {
		b.fail("entity %q of type %s comes after its domain", name, b.schema.Types[typ])
		return 0
	}
	id := names.add(name)
	d.Size = len(names.names)
	return id
}

// Domain states all entities of a type at once. The builder keeps names, which must be distinct.
func (b *Builder) Domain(typ int, names *DictNames) {
	if b.sub == nil || typ < 0 || typ >= len(b.sub.Domains) || b.sub.Domains[typ].Size > 0 {
		b.fail("the domain of type %d comes late, or there are only %d types", typ, len(b.schema.Types))
		return
	}
	b.sub.Domains[typ] = Domain{Size: len(names.IDs), Names: names}
}

// Fact states the truth of an atom, given by the names of its predicate and its arguments, which it adds to their types' domains.
func (b *Builder) Fact(predicate string, truth Truth, args ...string) {
	pred := b.schema.Predicate(predicate)
	if pred < 0 {
		b.fail("there is no predicate %q", predicate)
		return
	}
	types := b.schema.Predicates[pred].Args
	ids := make([]uint32, 0, len(args))
	for i, name := range args[:min(len(args), len(types))] {
		ids = append(ids, b.Entity(types[i], name))
	}
	for range args[len(ids):] {
		ids = append(ids, 0) // one too many, as Add finds
	}
	b.Add(pred, ids, truth)
}

// Add states the truth of an atom. Its arguments are local ids that Entity returned for the predicate's types; they are copied.
func (b *Builder) Add(pred int, args []uint32, truth Truth) {
	if b.sub == nil || pred < 0 || pred >= len(b.facts) {
		b.fail("an atom has predicate %d, but there are %d", pred, len(b.schema.Predicates))
		return
	}
	decl, p := &b.schema.Predicates[pred], &b.facts[pred]
	switch {
	case len(args) != len(decl.Args):
		b.fail("%s has %d arguments: it was stated with %d", decl.Name, len(decl.Args), len(args))
		return
	case truth < True || truth > Unknown:
		b.fail("%s was stated without a truth value", decl.Name)
		return
	}
	for c, id := range args {
		if typ := decl.Args[c]; int(id) >= b.sub.Domains[typ].Size {
			b.fail("argument %d of %s is entity %d of type %s, of which there are %d", c+1, decl.Name, id, b.schema.Types[typ], b.sub.Domains[typ].Size)
			return
		}
	}
	for c, id := range args {
		p.cols[c] = append(p.cols[c], id)
	}
	p.truth = append(p.truth, truth)
	p.order = append(p.order, b.added)
	b.added++
}

// fail keeps the first mistake.
func (b *Builder) fail(format string, args ...any) {
	if b.wrong == nil && b.sub != nil {
		b.wrong = fmt.Errorf("subgraph %s: %s", Shown(b.sub.Name), fmt.Sprintf(format, args...))
	}
}

// errNotBegun is the mistake of a builder without Reset.
var errNotBegun = errors.New("a subgraph begins with Builder.Reset")

// Finish returns the subgraph, in memory of its own. The error is a *ConflictError if an atom has two truth values, or names a mistake in the
// use of the builder.
func (b *Builder) Finish() (*Subgraph, error) {
	s := b.sub
	switch {
	case s == nil:
		return nil, errNotBegun
	case b.wrong != nil:
		return nil, b.wrong
	}
	s.Relations = make([]Relation, len(b.facts))
	for i := range b.facts {
		if err := b.relation(i, &s.Relations[i]); err != nil {
			return nil, err
		}
	}
	b.sub = nil
	return s, nil
}

// relation sorts the statements about one predicate into tables by truth value.
func (b *Builder) relation(pred int, dst *Relation) error {
	p, decl := &b.facts[pred], &b.schema.Predicates[pred]
	rows := b.sorted(pred)
	tables := dst.Tables()
	for _, t := range tables {
		t.Cols = make([][]uint32, len(p.cols))
	}
	for i, r := range rows {
		if i > 0 && p.compare(rows[i-1], r) == 0 {
			if first := rows[i-1]; p.truth[first] != p.truth[r] {
				return b.conflict(pred, first, r)
			}
			continue
		}
		if p.truth[r] == False && !decl.Role.IsTarget() {
			continue // evidence is closed world
		}
		t := tables[p.truth[r]-True]
		for c := range p.cols {
			t.Cols[c] = append(t.Cols[c], p.cols[c][r])
		}
	}
	if len(decl.Args) == 2 {
		for _, t := range tables {
			if t.Len() > 0 {
				t.BuildIndex(b.sub.Domains[decl.Args[0]].Size, b.sub.Domains[decl.Args[1]].Size)
			}
		}
	}
	return nil
}

// sorted returns the statements about a predicate in the order of their arguments, then of arrival, until the next call.
func (b *Builder) sorted(pred int) []uint32 {
	p := &b.facts[pred]
	b.rows = grow.To(b.rows, len(p.truth))
	for i := range b.rows {
		b.rows[i] = uint32(i)
	}
	for c, col := range slices.Backward(p.cols) {
		size := b.sub.Domains[b.schema.Predicates[pred].Args[c]].Size
		if size > 4*len(col) { // too few to count
			slices.SortStableFunc(b.rows, p.compare)
			break
		}
		b.offsets, b.next = accumulate(count(b.offsets, col, size)), grow.To(b.next, len(col))
		for _, r := range b.rows {
			at := &b.offsets[col[r]]
			b.next[*at] = r
			*at++
		}
		b.rows, b.next = b.next, b.rows
	}
	return b.rows
}

func (p *pending) compare(x, y uint32) int {
	for _, col := range p.cols {
		if c := cmp.Compare(col[x], col[y]); c != 0 {
			return c
		}
	}
	return 0
}

func (b *Builder) conflict(pred int, x, y uint32) error {
	p, decl := &b.facts[pred], &b.schema.Predicates[pred]
	e := &ConflictError{
		Predicate: decl.Name, First: p.order[x], Second: p.order[y],
		Truths: [2]Truth{p.truth[x], p.truth[y]},
	}
	for c, typ := range decl.Args {
		e.Args = append(e.Args, b.sub.Domains[typ].Names.Name(p.cols[c][x]))
	}
	return e
}

// BuildIndex builds both indexes of a binary table from its sorted columns, for domains of the given sizes. It reuses the memory of
// existing indexes, and borrows the columns.
func (t *Table) BuildIndex(rows, cols int) {
	t.Forward = Index{Offsets: accumulate(count(t.Forward.Offsets, t.Cols[0], rows)), IDs: t.Cols[1]}
	t.Backward = Index{Offsets: count(t.Backward.Offsets, t.Cols[1], cols), IDs: grow.To(t.Backward.IDs, t.Len())}
	t.invert()
}

// count returns n+1 words: a zero, then how often each id below n occurs.
func count(dst, ids []uint32, n int) []uint32 {
	dst = grow.Zeroed(dst, n+1)
	for _, id := range ids {
		dst[id+1]++
	}
	return dst
}

// nameTable numbers names in order of first mention.
type nameTable struct {
	names []string
	index map[string]uint32
}

func (n *nameTable) add(name string) uint32 {
	id, ok := n.index[name]
	if !ok {
		if n.index == nil {
			n.index = map[string]uint32{}
		}
		id = uint32(len(n.names))
		n.names = append(n.names, name)
		n.index[name] = id
	}
	return id
}

// Name returns the name of a local id.
func (n *nameTable) Name(id uint32) string { return n.names[id] }

// Lookup returns the local id of a name.
func (n *nameTable) Lookup(name string) (uint32, bool) {
	id, ok := n.index[name]
	return id, ok
}

// DictNames are names of a domain in a dictionary that subgraphs share.
type DictNames struct {
	Dict *table.Dict
	IDs  []uint32 // by local id: in the dictionary
}

// Name returns the name of a local id.
func (n *DictNames) Name(id uint32) string { return n.Dict.Name(n.IDs[id]) }

// Lookup returns the local id of a name. It looks at the whole domain.
func (n *DictNames) Lookup(name string) (uint32, bool) {
	id, ok := n.Dict.Lookup(name)
	if !ok {
		return 0, false
	}
	local := slices.Index(n.IDs, id)
	return uint32(max(local, 0)), local >= 0
}
