package subgraph

import (
	"math"
	"slices"

	"resolwe/format/mln"
)

// spread bounds the memory of a ranking: this many words for each global id.
const spread = 4

// baseRecord is a SHRD section: a base and the global ids of its entities.
type baseRecord struct {
	Base
	record int        // that brings it
	ids    [][]uint32 // by type: global ids of the base ids, ascending
	ranks  []ranking  // by type
}

func newBaseRecord(record int, ids [][]uint32, relations []Relation, has []bool) *baseRecord {
	b := &baseRecord{
		Base:   Base{Sizes: make([]int, len(ids)), Relations: relations, Has: has},
		record: record, ids: ids, ranks: make([]ranking, len(ids)),
	}
	for t := range ids {
		b.Sizes[t], b.ranks[t] = len(ids[t]), newRanking(ids[t])
	}
	return b
}

func (b *baseRecord) append(dst []byte) []byte {
	for _, n := range b.Sizes {
		dst = le.AppendUint32(dst, uint32(n))
	}
	for i := range b.Relations {
		dst = le.AppendUint32(appendFlag(dst, b.Has[i]), uint32(b.Relations[i].True.Len()))
	}
	for _, ids := range b.ids {
		dst = appendWords(dst, ids)
	}
	for i := range b.Relations {
		dst = appendTable(dst, &b.Relations[i].True)
	}
	return dst
}

// parseBase is the inverse of append, for streams over the schema. next holds the first free global id of each type. What
// subgraphs share is checked in full, once for all of them.
func parseBase(b []byte, record int, schema *mln.Schema, next []uint32) (*baseRecord, error) {
	c := cursor{rest: b}
	sizes := make([]int, len(schema.Types))
	has, counts := make([]bool, len(schema.Predicates)), make([]uint32, len(schema.Predicates))
	need := uint64(0)
	for t := range sizes {
		n := c.word()
		if n >= math.MaxInt32 {
			return nil, malformed("size of type %s out of range", schema.Types[t])
		}
		sizes[t] = int(n)
		need += uint64(n)
	}
	for i := range counts {
		p := &schema.Predicates[i]
		flag, n := c.word(), c.word()
		if flag > 1 || flag == 0 && n > 0 || flag == 1 && !shareable(p) {
			return nil, malformed("flag or count of predicate %s out of range", p.Name)
		}
		has[i], counts[i] = flag == 1, n
		need += tableWords(p.Args, sizes, n)
	}
	if c.short || uint64(len(c.rest)) != need*wordSize {
		return nil, malformed("section has %d bytes, the counts ask for %d words", len(b), need)
	}
	r := wordReader{rest: words(c.rest)}
	ids := make([][]uint32, len(sizes))
	for t, n := range sizes {
		ids[t] = r.take(n)
		if n == 0 {
			continue
		}
		if err := checkRow(ids[t], int(next[t])); err != nil {
			return nil, malformed("global ids of type %s do not ascend or are not in the stream yet", schema.Types[t])
		}
	}
	relations := make([]Relation, len(counts))
	for i := range relations {
		p, t := &schema.Predicates[i], &relations[i].True
		t.Cols = make([][]uint32, len(p.Args))
		r.table(t, int(counts[i]), p.Args, sizes)
		err := t.check(p.Args, sizes)
		if err == nil {
			err = t.checkIndexes()
		}
		if err != nil {
			return nil, factError(p, 0, err)
		}
	}
	return newBaseRecord(record, ids, relations, has), nil
}

// shareable reports whether a predicate's relation may be induced.
func shareable(p *mln.Predicate) bool { return p.Role == mln.RoleEvidence && len(p.Args) == 2 }

// link is what a record shares, and memory to find that out.
type link struct {
	Shared
	lacks [][]uint32 // by type: base ids of the entities that the record lacks
}

// to describes how a record with the head, whose entities have the global ids, shares in the base.
func (l *link) to(b *baseRecord, h *head, ids [][]uint32, schema *mln.Schema) error {
	s := &l.Shared
	s.Base, s.Induced = &b.Base, h.induced
	s.Counts = resize(s.Counts, len(h.counts))
	clear(s.Counts)
	s.ToBase, s.FromBase, l.lacks = resize(s.ToBase, len(ids)), resize(s.FromBase, len(ids)), resize(l.lacks, len(ids))
	for t := range ids {
		if !l.match(b, t, ids[t]) {
			return malformed("an entity of type %s is there twice", schema.Types[t])
		}
	}
	for i, induced := range h.induced {
		p := &schema.Predicates[i]
		switch {
		case !induced:
		case !b.Has[i]:
			return malformed("the base has no relation %s", p.Name)
		default:
			s.Counts[i] = s.count(i, p.Args, l.lacks)
			if s.Counts[i] != int(h.counts[i][0]) {
				return malformed("%s has %d tuples, the base induces %d", p.Name, h.counts[i][0], s.Counts[i])
			}
		}
	}
	return nil
}

// match maps the local ids of a type, which have the given global ids, to base ids and back, and lists the base ids that
// are left. It reports false where two local ids are one entity of the base.
func (l *link) match(b *baseRecord, typ int, ids []uint32) bool {
	to, from := resize(l.ToBase[typ], len(ids)), absent(l.FromBase[typ], b.Sizes[typ])
	b.ranks[typ].of(to, ids)
	matched, lacks := 0, l.lacks[typ][:0]
	for i, id := range to {
		if id != NoEntity {
			from[id] = uint32(i)
			matched++
		}
	}
	for id, local := range from {
		if local == NoEntity {
			lacks = append(lacks, uint32(id))
		}
	}
	l.ToBase[typ], l.FromBase[typ], l.lacks[typ] = to, from, lacks
	return matched+len(lacks) == len(from)
}

// absent returns a map of n ids to nothing, in the memory of m where it suffices.
func absent(m []uint32, n int) []uint32 {
	m = resize(m, n)
	for i := range m {
		m[i] = NoEntity
	}
	return m
}

// owned returns the bytes of memory that the base takes beside its section.
func (b *baseRecord) owned() (n int64) {
	for t := range b.ranks {
		n += wordSize * int64(len(b.ranks[t].places))
	}
	return n
}

// ranking gives the places of ids in an ascending list.
type ranking struct {
	ids    []uint32
	places []uint32 // by id from the first on, where they do not lie too far apart
}

func newRanking(ids []uint32) ranking {
	r := ranking{ids: ids}
	if len(ids) == 0 {
		return r
	}
	width := uint64(ids[len(ids)-1]-ids[0]) + 1
	if width > spread*uint64(len(ids)) {
		return r
	}
	r.places = absent(nil, int(width))
	for i, id := range ids {
		r.places[id-ids[0]] = uint32(i)
	}
	return r
}

// of writes the place of each id, NoEntity where it is not in the list, to dst, which is as long.
func (r *ranking) of(dst, ids []uint32) {
	dst = dst[:len(ids)]
	switch places := r.places; {
	case len(r.ids) == 0:
		for i := range dst {
			dst[i] = NoEntity
		}
	case places == nil:
		for i, id := range ids {
			dst[i] = r.search(id)
		}
	default:
		first := uint64(r.ids[0])
		for i, id := range ids {
			place := NoEntity
			if k := uint64(id) - first; k < uint64(len(places)) {
				place = places[k]
			}
			dst[i] = place
		}
	}
}

func (r *ranking) search(id uint32) uint32 {
	if i, ok := slices.BinarySearch(r.ids, id); ok {
		return uint32(i)
	}
	return NoEntity
}
