package rsg

import (
	"maps"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
)

// Constant names an entity.
type Constant struct{ Type, Name string }

// ReaderOptions are the options of a reader. The zero value is ready to use.
type ReaderOptions struct {
	// Names keeps the names of the entities. Without it a pipe's reader takes constant memory however long the stream is, Names.Name
	// returns "#" and a number that identifies the entity throughout the stream, and Names.Lookup only knows the center and the Wanted
	// constants.
	Names bool
	// Wanted are constants that Names.Lookup knows even without Names, by type and name. Types not in the stream are ignored.
	Wanted []Constant
	// Shared omits data that subgraphs share, see Subgraph.Shared. Without it subgraphs are complete.
	Shared bool
	// SkipDamaged makes a pipe's reader skip damaged records, see Reader.Skipped. A mapped file needs no such option: At fails only for
	// damaged records.
	SkipDamaged bool
	// Damaged, unless nil, is called with each damage that a pipe's reader skips.
	Damaged func(error)
}

// decoder turns frames into subgraphs. It is safe for concurrent use.
type decoder struct {
	opt      ReaderOptions
	schema   *mln.Schema
	unzip    decompressor
	promised bool // the index must have a digest
}

// newNames reads the names that a record adds.
func (d *decoder) newNames(b *Buffer) error {
	return d.unzip.read(&b.frame, tagNames, func(content []byte) error { return b.names.parse(content, len(d.schema.Types)) })
}

// head reads the section that describes the subgraph.
func (d *decoder) head(b *Buffer) error {
	b.head.name = ""
	if err := checkTags(b.frame.all, recordTags[1:]...); err != nil {
		return err
	}
	err := d.unzip.read(&b.frame, tagHead, func(content []byte) error { return b.head.parse(content, d.schema, &b.text) })
	if err != nil {
		return err
	}
	b.head.time = subgraph.Time{}
	if !b.frame.has(tagTime) {
		return nil
	}
	return d.unzip.read(&b.frame, tagTime, func(content []byte) (err error) {
		if b.head.time, err = parseTime(content); err == nil && !b.head.time.Known {
			err = malformed("the section holds no time")
		}
		return err
	})
}

// readBackground reads the background that a record contains for subgraphs to share, nil for none. next holds the first free global id of
// each type after it.
func (d *decoder) readBackground(f *frame, next []uint32) (out *background, err error) {
	if !f.has(tagShared) {
		return nil, nil
	}
	err = d.unzip.read(f, tagShared, func(content []byte) (err error) {
		out, err = parseBackground(content, int(f.ordinal), d.schema, next)
		return err
	})
	return out, err
}

// body reads the sections that the head describes. next holds the first free global id of each type; background is nil if the head requires
// none.
func (d *decoder) body(b *Buffer, next []uint32, background *background) error {
	err := d.unzip.readCounted(&b.frame, tagEntities, b.head.entities(), func(content []byte) error {
		return d.entitiesOf(b, words(content), next, background)
	})
	if err != nil {
		return err
	}
	return d.unzip.readCounted(&b.frame, tagFacts, b.head.factWords(d.schema), func(content []byte) error {
		return b.parseFacts(content, d.schema)
	})
}

// entitiesOf sets the global ids of the entities, and derives what is shared.
func (d *decoder) entitiesOf(b *Buffer, ids, next []uint32, background *background) error {
	rest := wordReader{rest: ids}
	b.ids = grow.To(b.ids, len(b.head.sizes))
	for t, n := range b.head.sizes {
		b.ids[t] = rest.take(n)
		if n > 0 && slices.Max(b.ids[t]) >= next[t] {
			return malformed("an entity of type %s is not in the stream yet", d.schema.Types[t])
		}
	}
	if b.shared = nil; background == nil {
		return nil
	}
	b.shared = &b.link.Shared
	return b.link.to(background, &b.head, b.ids, d.schema)
}

// center checks that the center is the one named in the head, if its name is in the record or in dict, which may be nil.
func (d *decoder) center(b *Buffer, dict dictionary) error {
	for t, local := range b.head.centers {
		if local == noCenter {
			continue
		}
		var name []byte
		switch id := b.ids[t][local]; {
		case b.names.has(t, id):
			name = b.names.at(t, id-b.names.bases[t])
		case dict != nil:
			name = dict.name(t, id)
		default:
			continue
		}
		if string(name) != b.head.center {
			return damage(tagEntities, b.frame.offset, malformed("the center is another entity of type %s", d.schema.Types[t]))
		}
	}
	return nil
}

// subgraph assembles a record. dict is nil if names are not requested.
func (d *decoder) subgraph(b *Buffer, position int, dict dictionary, found []map[string]uint32) *subgraph.Subgraph {
	b.domains, b.entities = grow.To(b.domains, len(b.ids)), grow.To(b.entities, len(b.ids))
	for t, ids := range b.ids {
		b.entities[t] = domainNames{
			typ: t, ids: ids, wanted: found[t], dict: dict, center: b.head.center, local: b.head.centers[t],
		}
		b.domains[t] = subgraph.Domain{Size: len(ids), Names: &b.entities[t]}
	}
	b.sub = subgraph.Subgraph{
		Index: position, Name: b.head.name, Center: b.head.center, Fold: b.head.fold, Time: b.head.time,
		Domains: b.domains, Relations: b.relations, Shared: b.shared,
	}
	if !d.opt.Shared {
		return b.whole.Of(&b.sub, d.schema)
	}
	return &b.sub
}

// wanted tracks the requested constants.
type wanted struct {
	asked []map[string]bool   // by type
	found []map[string]uint32 // by type: global ids; replaced, never modified, because subgraphs hold them
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

// any reports whether a constant of a type in the stream is requested.
func (w *wanted) any() bool {
	return slices.ContainsFunc(w.asked, func(m map[string]bool) bool { return m != nil })
}

// take looks for requested constants among new names.
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

// Buffer is the memory of one subgraph, overwritten by the next read. The zero value is empty. It must not be used by several goroutines at
// once.
type Buffer struct {
	frame     frame
	names     newNames
	next      []uint32   // by type: first free global id after the record
	head      head       // without a name if it could not be read
	ids       [][]uint32 // by type: global ids of the local ones
	relations []subgraph.Relation
	shared    *subgraph.Shared // nil if no relation is induced
	sub       subgraph.Subgraph
	whole     subgraph.Completion

	// Memory of the fields above.
	cols     [][]uint32
	link     link
	domains  []subgraph.Domain
	entities []domainNames
	found    []map[string]uint32
	text     texts
}

// textBytes is the size of a chunk of text, allocated when strings keep arriving.
const textBytes = 4 << 10

// texts makes strings, many in one chunk of memory. Strings already made never change.
type texts struct{ chunk strings.Builder }

func (t *texts) add(b []byte) string {
	if size := t.chunk.Cap(); size-t.chunk.Len() < len(b) {
		t.chunk.Reset()
		t.chunk.Grow(max(len(b), min(2*size, textBytes)))
	}
	at := t.chunk.Len()
	t.chunk.Write(b)
	return t.chunk.String()[at:]
}
