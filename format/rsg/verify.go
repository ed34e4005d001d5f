package rsg

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// Summary describes a whole stream.
type Summary struct {
	Subgraphs int
	Bytes     int64
	Digest    bool // the stream has a digest: its records are those that were written, in their order
}

// Verify reads a stream to its end and checks every byte. Beyond a reader's checks it makes those that FORMAT.md leaves to it: both indexes
// of a relation agree, no atom has two truth values, names are unique, centers are who they claim to be, and the tail index describes the
// records, with a digest of each if there is one. It keeps the dictionary in memory. Damage is a *CorruptError.
func Verify(r io.Reader, path string) (Summary, error) {
	rd, err := NewReader(r, path, ReaderOptions{Shared: true})
	if err != nil {
		return Summary{}, err
	}
	types := len(rd.schema.Types)
	rd.audit = &audit{schema: rd.schema, dicts: make(dictionaryWhole, types), index: newIndexBuilder(types, rd.total)}
	for {
		_, err := rd.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Summary{}, err
		}
	}
	return Summary{Subgraphs: rd.expect, Bytes: rd.offset, Digest: rd.audit.digest}, nil
}

// audit makes the checks of Verify that need more than one record, or take more time than a reader has.
type audit struct {
	schema *mln.Schema
	dicts  dictionaryWhole
	index  *indexBuilder
	next   []uint32
	digest bool // the stream has one
}

// record checks a record that a reader has accepted, and its new names. sum is the digest up to it.
func (a *audit) record(rec *Buffer, sum uint64) error {
	f := &rec.frame
	if err := a.names(&rec.names); err != nil {
		return damage(tagNames, f.offset, err)
	}
	for t, ids := range rec.ids {
		if err := a.domain(t, ids, &rec.head); err != nil {
			return damage(tagEntities, f.offset, err)
		}
	}
	for i := range rec.relations {
		if rec.head.induced[i] { // from a background, which is checked in full
			continue
		}
		if err := a.relation(i, &rec.relations[i]); err != nil {
			return damage(tagFacts, f.offset, err)
		}
	}
	if _, ok := a.index.names.Lookup(rec.head.name); ok {
		return damage(tagHead, f.offset, malformed("a subgraph of that name is already in the stream"))
	}
	return a.index.add(&rec.head, f.offset, f.length, a.next, sum)
}

func (a *audit) names(n *newNames) error {
	a.next = a.next[:0]
	for t := range a.dicts {
		dict := &a.dicts[t]
		for i := range n.counts[t] {
			known := dict.Len()
			if _, err := intern(dict, string(n.at(t, i))); err != nil {
				return err
			}
			if dict.Len() == known {
				return malformed("%s %q is in the dictionary already", a.schema.Types[t], n.at(t, i))
			}
			if a.schema.IsNumber(t) && !isNumberName(string(n.at(t, i))) {
				return malformed("%s %q is not the shortest spelling of a number", a.schema.Types[t], n.at(t, i))
			}
		}
		a.next = append(a.next, uint32(dict.Len()))
	}
	return nil
}

// domain checks that no entity is repeated, and the center.
func (a *audit) domain(typ int, ids []uint32, h *head) error {
	sorted := slices.Clone(ids)
	if slices.Sort(sorted); len(slices.Compact(sorted)) < len(ids) {
		return malformed("an entity of type %s is there twice", a.schema.Types[typ])
	}
	local := uint32(noCenter)
	if id, ok := a.dicts[typ].Lookup(h.center); ok && h.center != "" {
		if i := slices.Index(ids, id); i >= 0 {
			local = uint32(i)
		}
	}
	if local != h.centers[typ] {
		return malformed("the center is another entity of type %s", a.schema.Types[typ])
	}
	return nil
}

func (a *audit) relation(pred int, r *subgraph.Relation) error {
	p := &a.schema.Predicates[pred]
	for k, t := range r.Tables() {
		if err := t.CheckIndexes(); err != nil {
			return factError(p, k, err)
		}
	}
	return oneTruth(p, r)
}

// oneTruth checks that no atom is in two tables.
func oneTruth(p *mln.Predicate, r *subgraph.Relation) error {
	if !disjoint(&r.True, &r.False) || !disjoint(&r.True, &r.Unknown) || !disjoint(&r.False, &r.Unknown) {
		return malformed("an atom of %s has two truth values", p.Name)
	}
	return nil
}

// disjoint reports whether two checked tables share no tuple.
func disjoint(t, u *subgraph.Table) bool {
	for i, k := 0, 0; i < t.Len() && k < u.Len(); {
		order := 0
		for c := 0; c < len(t.Cols) && order == 0; c++ {
			order = cmp.Compare(t.Cols[c][i], u.Cols[c][k])
		}
		switch {
		case order == 0:
			return false
		case order < 0:
			i++
		default:
			k++
		}
	}
	return true
}

// tail compares the index with the one expected from the records.
func (a *audit) tail(f *frame) error {
	if err := checkTags(f.all, indexTags...); err != nil {
		return err
	}
	if !a.index.timed && f.has(tagTime) {
		return damage(tagTime, f.offset, malformed("no record has a time"))
	}
	a.digest = f.has(tagSums)
	var want []byte
	for _, s := range a.index.sections() {
		if s.tag == tagSums && !a.digest {
			continue
		}
		got, err := f.find(s.tag)
		if err != nil {
			return err
		}
		want = s.fill(want[:0])
		switch {
		case checksum(got.stored) != got.crc:
			return damage(got.tag, got.offset, ErrChecksum)
		case s.tag == tagSums && !bytes.Equal(got.stored, want):
			return damage(got.tag, got.offset, ErrForeign)
		case got.codec != codecNone || got.size != got.length || !bytes.Equal(got.stored, want):
			return damage(got.tag, got.offset, malformed("index does not describe the records"))
		}
	}
	return nil
}

// proof reads the frames of a writer back, as a reader will: sections, ids, centers, tuples, the index. The writer has checked its subgraphs,
// and its dictionary has distinct names; this checks what became of them.
type proof struct {
	Reader
	dicts  dictionaryWhole
	record Buffer
}

// frame reads the frame at an offset of the stream.
func (p *proof) frame(all []byte, offset int64) error {
	h, err := parseFrameHeader(all[:frameHeaderSize], offset)
	if err != nil {
		return err
	}
	var f frame
	if err := f.parseBody(h, all[frameHeaderSize:]); err != nil {
		return err
	}
	switch h.tag {
	case tagSchema:
		_, err = schemaOf(&f, &p.unzip)
		p.total = f.digest(0)
	case tagOrigin:
		_, err = originOf(&f, &p.unzip)
	case tagIndex:
		_, err = parseIndex(&f, &p.unzip, len(p.schema.Types), fileHeaderSize)
	default:
		if f.has(tagShared) { // the background is used by later records: it keeps its memory
			all = slices.Clone(all)
			defer func() { p.record = Buffer{} }()
		}
		if err = p.follow(h); err == nil {
			err = p.decode(&p.record, h, all[frameHeaderSize:])
		}
		if err == nil {
			err = p.center(&p.record, p.dicts)
		}
		for i := 0; err == nil && i < len(p.record.relations); i++ {
			err = oneTruth(&p.schema.Predicates[i], &p.record.relations[i])
		}
		p.expect++
	}
	return err
}
