package subgraph

import (
	"maps"
	"slices"

	"resolwe/format/mln"
)

// Constant names an entity.
type Constant struct{ Type, Name string }

// ReaderOptions are the choices of a reader. The zero value is good.
type ReaderOptions struct {
	// Names keeps the names of the entities. Without it a pipe's reader takes the same memory however long the stream
	// is, Names.Name returns "#" and a number that stands for the entity throughout the stream, and Names.Lookup
	// knows the center and the Wanted constants only.
	Names bool
	// Wanted are the constants that Names.Lookup answers for even without Names, by type and name. Types that the
	// stream does not have are ignored.
	Wanted []Constant
	// Shared leaves out what subgraphs share, see Subgraph.Shared. Without it subgraphs are complete.
	Shared bool
	// SkipDamaged lets a pipe's reader leave out damaged records, see Reader.Skipped. A mapped file needs no such
	// option: At fails for the damaged records alone.
	SkipDamaged bool
}

// decoder turns frames into subgraphs. It is safe for concurrent use.
type decoder struct {
	opt    ReaderOptions
	schema *mln.Schema
	unzip  decompressor
}

// record is a decoded frame. head is nil where it could not be read.
type record struct {
	head      *head
	ids       [][]uint32 // by type: global ids of the local ones
	relations []Relation
	shared    *Shared // nil where no relation is induced
}

func (d *decoder) names(f *frame) (*newNames, error) {
	b, s, err := d.unzip.payload(f, tagNames)
	if err != nil {
		return nil, err
	}
	n, err := parseNames(b, len(d.schema.Types))
	if err != nil {
		return nil, damage(tagNames, s.offset, err)
	}
	return n, nil
}

// head reads the section that names the subgraph.
func (d *decoder) head(f *frame) (*head, error) {
	if err := checkTags(f.all, tagHead, tagEntities, tagNames, tagShared, tagFacts); err != nil {
		return nil, err
	}
	b, s, err := d.unzip.payload(f, tagHead)
	if err != nil {
		return nil, err
	}
	h, err := parseHead(b, d.schema)
	if err != nil {
		return nil, damage(tagHead, s.offset, err)
	}
	return h, nil
}

// newBase reads what the frame of a record brings for subgraphs to share, nil where that is nothing. next holds the first
// free global id of each type behind it.
func (d *decoder) newBase(f *frame, next []uint32) (*baseRecord, error) {
	if !f.has(tagShared) {
		return nil, nil
	}
	b, s, err := d.unzip.payload(f, tagShared)
	if err != nil {
		return nil, err
	}
	base, err := parseBase(b, int(f.ordinal), d.schema, next)
	if err != nil {
		return nil, damage(tagShared, s.offset, err)
	}
	return base, nil
}

// body reads the sections that the head describes. next holds the first free global id of each type, base is nil where
// the head asks for none.
func (d *decoder) body(f *frame, r *record, next []uint32, base *baseRecord) error {
	b, s, err := d.unzip.payload(f, tagEntities)
	if err != nil {
		return err
	}
	if uint64(len(b)) != r.head.entities()*wordSize {
		return damage(tagEntities, s.offset, malformed("section has %d bytes for %d entities", len(b), r.head.entities()))
	}
	rest := wordReader{rest: words(b)}
	r.ids = make([][]uint32, len(r.head.sizes))
	for t, n := range r.head.sizes {
		r.ids[t] = rest.take(n)
		if n > 0 && slices.Max(r.ids[t]) >= next[t] {
			return damage(tagEntities, s.offset, malformed("an entity of type %s is not in the stream yet", d.schema.Types[t]))
		}
	}
	if base != nil {
		if r.shared, err = base.link(r.head, r.ids, d.schema); err != nil {
			return damage(tagEntities, s.offset, err)
		}
	}
	b, s, err = d.unzip.payload(f, tagFacts)
	if err != nil {
		return err
	}
	r.relations, err = parseFacts(b, r.head, d.schema)
	if err != nil {
		return damage(tagFacts, s.offset, err)
	}
	return nil
}

func (r *record) name() string {
	if r.head == nil {
		return ""
	}
	return r.head.name
}

// subgraph assembles a record. dict is nil where names are not asked for.
func (d *decoder) subgraph(r *record, position int, dict dictionary, found []map[string]uint32) *Subgraph {
	s := &Subgraph{
		Index: position, Name: r.head.name, Center: r.head.center, Fold: r.head.fold,
		Domains: make([]Domain, len(r.ids)), Relations: r.relations, Shared: r.shared,
	}
	names := make([]domainNames, len(r.ids))
	for t, ids := range r.ids {
		n := &names[t]
		n.typ, n.ids, n.wanted, n.dict = t, ids, found[t], dict
		n.center, n.local = r.head.center, r.head.centers[t]
		s.Domains[t] = Domain{Size: len(ids), Names: n}
	}
	if !d.opt.Shared {
		return s.Complete(d.schema)
	}
	return s
}

// wanted follows the constants that were asked for.
type wanted struct {
	asked []map[string]bool   // by type
	found []map[string]uint32 // by type: global ids; replaced, never changed, because subgraphs hold them
}

func newWanted(schema *mln.Schema, list []Constant) *wanted {
	w := &wanted{
		asked: make([]map[string]bool, len(schema.Types)),
		found: make([]map[string]uint32, len(schema.Types)),
	}
	for _, c := range list {
		t := schema.Type(c.Type)
		if t < 0 {
			continue
		}
		if w.asked[t] == nil {
			w.asked[t] = map[string]bool{}
		}
		w.asked[t][c.Name] = true
	}
	return w
}

// any reports whether a constant of a type of the stream is asked for.
func (w *wanted) any() bool {
	return slices.ContainsFunc(w.asked, func(m map[string]bool) bool { return m != nil })
}

// take looks for the constants among new names.
func (w *wanted) take(n *newNames) {
	for t, asked := range w.asked {
		if len(asked) == len(w.found[t]) {
			continue
		}
		for i := range n.counts[t] {
			if name := n.at(t, i); asked[string(name)] {
				found := maps.Clone(w.found[t])
				if found == nil {
					found = map[string]uint32{}
				}
				found[string(name)] = n.bases[t] + i
				w.found[t] = found
			}
		}
	}
}
