package rsg

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
)

// spread bounds the memory of a ranking, in words for each global id.
const spread = 4

// background is a SHRD section: a background and the global ids of its entities.
type background struct {
	subgraph.Background
	record int        // the record that contains it
	ids    [][]uint32 // by type: global ids of the background ids, ascending
	ranks  []ranking  // by type
}

func newBackground(record int, ids [][]uint32, relations []subgraph.Relation, has []bool) *background {
	b := &background{
		Background: subgraph.Background{Sizes: make([]int, len(ids)), Relations: relations, Has: has},
		record:     record, ids: ids, ranks: make([]ranking, len(ids)),
	}
	for t := range ids {
		b.Sizes[t], b.ranks[t] = len(ids[t]), newRanking(ids[t])
	}
	return b
}

func (b *background) append(dst []byte, schema *mln.Schema) []byte {
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
		dst = appendTable(dst, &b.Relations[i].True, schema.Predicates[i].Args, b.Sizes)
	}
	return dst
}

// parseBackground is the inverse of append, for streams over the schema. next holds the first free global id of each type. It checks shared
// data in full, once for all subgraphs.
func parseBackground(b []byte, record int, schema *mln.Schema, next []uint32) (*background, error) {
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
		for i, id := range ids[t] {
			if id < next[t] && (i == 0 || ids[t][i-1] < id) {
				continue
			}
			return nil, malformed("global ids of type %s do not ascend or are not in the stream yet", schema.Types[t])
		}
	}
	relations := make([]subgraph.Relation, len(counts))
	for i := range relations {
		p, t := &schema.Predicates[i], &relations[i].True
		t.Cols = make([][]uint32, len(p.Args))
		r.table(t, int(counts[i]), p.Args, sizes)
		err := t.Check(p.Args, sizes)
		if err == nil {
			err = t.CheckIndexes()
		}
		if err != nil {
			return nil, factError(p, 0, err)
		}
	}
	return newBackground(record, ids, relations, has), nil
}

// shareable reports whether a predicate's relation may be induced from a background.
func shareable(p *mln.Predicate) bool { return p.Role == mln.RoleEvidence && len(p.Args) == 2 }

// link is the part of a record that it shares.
type link struct{ subgraph.Shared }

// to describes how a record with a head and the global ids of its entities uses the background.
func (l *link) to(b *background, h *head, ids [][]uint32, schema *mln.Schema) error {
	s := &l.Shared
	s.Background, s.Induced = &b.Background, h.induced
	s.Counts = grow.To(s.Counts, len(h.counts))
	clear(s.Counts)
	s.ToBackground, s.FromBackground, l.Lacks = grow.To(s.ToBackground, len(ids)), grow.To(s.FromBackground, len(ids)), grow.To(l.Lacks, len(ids))
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
			s.Counts[i] = l.count(i, p.Args)
			if s.Counts[i] != int(h.counts[i][0]) {
				return malformed("%s has %d tuples, the base induces %d", p.Name, h.counts[i][0], s.Counts[i])
			}
		}
	}
	return nil
}

// match maps the local ids of a type, given by their global ids, to background ids and back, and lists the remaining background ids. It
// returns false if two local ids are one entity of the background.
func (l *link) match(b *background, typ int, ids []uint32) bool {
	to, from := grow.To(l.ToBackground[typ], len(ids)), absent(l.FromBackground[typ], b.Sizes[typ])
	b.ranks[typ].of(to, ids)
	matched, lacks := 0, l.Lacks[typ][:0]
	for i, id := range to {
		if id != subgraph.NoEntity {
			from[id] = uint32(i)
			matched++
		}
	}
	for id, local := range from {
		if local == subgraph.NoEntity {
			lacks = append(lacks, uint32(id))
		}
	}
	l.ToBackground[typ], l.FromBackground[typ], l.Lacks[typ] = to, from, lacks
	return matched+len(lacks) == len(from)
}

// count returns the number of tuples of an induced relation with the given argument types: the background's, less those of entities that
// the record lacks. Tuples that lack both arguments are thereby subtracted twice, so they are counted, from the side with fewer tuples, and
// added back.
func (l *link) count(pred int, args []int) int {
	t := &l.Background.Relations[pred].True
	rows, cols := l.Lacks[args[0]], l.Lacks[args[1]]
	ofRows, ofCols := total(&t.Forward, rows), total(&t.Backward, cols)
	n := t.Len() - ofRows - ofCols
	if ofRows < ofCols {
		return n + totalLacking(&t.Forward, rows, l.FromBackground[args[1]])
	}
	return n + totalLacking(&t.Backward, cols, l.FromBackground[args[0]])
}

// total returns the number of partners of the ids.
func total(x *subgraph.Index, ids []uint32) (n int) {
	for _, id := range ids {
		n += len(x.Row(id))
	}
	return n
}

// totalLacking returns how many partners of the ids have no local id.
func totalLacking(x *subgraph.Index, ids, local []uint32) (n int) {
	for _, id := range ids {
		for _, partner := range x.Row(id) {
			n += int((uint64(local[partner]) + 1) >> 32) // 1 for NoEntity, without a branch
		}
	}
	return n
}

// absent returns a map from n ids to nothing, in the memory of m if it suffices.
func absent(m []uint32, n int) []uint32 {
	m = grow.To(m, n)
	for i := range m {
		m[i] = subgraph.NoEntity
	}
	return m
}

// ranking gives the positions of ids in an ascending list.
type ranking struct {
	ids    []uint32
	places []uint32 // by id from the first on, if they are not too sparse
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

// of writes the position of each id to dst, which has the same length, or NoEntity if it is not in the list.
func (r *ranking) of(dst, ids []uint32) {
	dst = dst[:len(ids)]
	switch places := r.places; {
	case len(r.ids) == 0:
		for i := range dst {
			dst[i] = subgraph.NoEntity
		}
	case places == nil:
		for i, id := range ids {
			dst[i] = subgraph.NoEntity
			if k, ok := slices.BinarySearch(r.ids, id); ok {
				dst[i] = uint32(k)
			}
		}
	default:
		first := uint64(r.ids[0])
		for i, id := range ids {
			place := subgraph.NoEntity
			if k := uint64(id) - first; k < uint64(len(places)) {
				place = places[k]
			}
			dst[i] = place
		}
	}
}

// loaded returns the background of a record, the same value for all subgraphs that use it. If backgrounds take too much memory, the others
// are forgotten.
func (f *File) loaded(k int) (*background, error) {
	f.mu.Lock()
	load := f.backgrounds[k]
	if load == nil {
		var once func() (*background, error) // apart from load, which would be allocated in each call
		once = sync.OnceValues(func() (*background, error) {
			b, bytes, err := f.loadBackground(k)
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.held += bytes; f.held > maxDecoded {
				f.backgrounds, f.held = map[int]func() (*background, error){k: once}, bytes
			}
			return b, err
		})
		load, f.backgrounds[k] = once, once
	}
	f.mu.Unlock()
	return load()
}

// backgroundOf returns the background that record i with the given head uses, nil if it uses none. It is safe for concurrent use, and
// forgets all backgrounds if they take too much memory.
func (f *File) backgroundOf(h *head, i int) (*background, error) {
	if h.background == noBackground {
		return nil, nil
	}
	k := int(h.background)
	if h.background > uint32(i) {
		return nil, damage(tagHead, int64(f.index.entry(i).offset), malformed("shares in record %d, which comes later", h.background))
	}
	shared, err := f.loaded(k)
	if err == nil {
		return shared, nil
	}
	var c *CorruptError // which affects all users of the background
	errors.As(err, &c)
	if k == i {
		return nil, damage(c.Section, c.Offset, c.Err)
	}
	return nil, damage(c.Section, c.Offset, fmt.Errorf("%w: record %d: %w", ErrLostBackground, k, c.Err))
}

// loadBackground reads the background that a record contains, and returns the memory it takes beyond the file's.
func (f *File) loadBackground(i int) (*background, int64, error) {
	b := new(Buffer)
	if err := f.frame(b, i); err != nil {
		return nil, 0, err
	}
	background, err := f.readBackground(&b.frame, b.names.appendNext(nil))
	if err != nil {
		return nil, 0, err
	}
	if background == nil {
		return nil, 0, damage(tagShared, b.frame.offset, malformed("section is missing"))
	}
	bytes := int64(0)
	for t := range background.ranks {
		bytes += wordSize * int64(len(background.ranks[t].places))
	}
	if s, err := b.frame.find(tagShared); err == nil && s.codec != codecNone {
		bytes += s.size
	}
	return background, bytes, nil
}
