package rsg

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"resolwe/format/subgraph"
	"resolwe/format/table"
)

// indexTags are the sections that every index has.
var indexTags = []string{tagRecords, tagOrder, tagBases, tagNames}

// indexEntry is the index entry of a record, except the dictionary bases.
type indexEntry struct {
	offset, length uint64 // of the record's frame
	nameStart      uint64 // in the NAMS section
	nameLength     uint32
	fold           int32
	time           subgraph.Time
}

// indexBuilder builds the tail index as records pass.
type indexBuilder struct {
	names   table.Dict // of the subgraphs
	entries []indexEntry
	bases   []uint32 // one row with a word for each type before each record, and one at the end
	timed   bool     // some record has a time
	sums    []byte   // the digests up to the schema, and up to each record
}

// newIndexBuilder begins an index, given the number of types and the digest up to the schema.
func newIndexBuilder(types int, sum uint64) *indexBuilder {
	return &indexBuilder{bases: make([]uint32, types), sums: le.AppendUint64(nil, sum)}
}

// add adds a record whose name is new. next holds the first free global id of each type after it, sum is the digest up to it.
func (x *indexBuilder) add(h *head, offset, length int64, next []uint32, sum uint64) error {
	start := len(x.names.NamesFrom(0))
	_, err := intern(&x.names, h.name)
	if err != nil {
		return err
	}
	x.entries = append(x.entries, indexEntry{
		offset: uint64(offset), length: uint64(length), fold: int32(h.fold),
		nameStart: uint64(start), nameLength: uint32(len(h.name)), time: h.time,
	})
	x.bases, x.sums = append(x.bases, next...), le.AppendUint64(x.sums, sum)
	x.timed = x.timed || h.time.Known
	return nil
}

func (x *indexBuilder) appendRecords(dst []byte) []byte {
	for _, e := range x.entries {
		dst = le.AppendUint64(dst, e.offset)
		dst = le.AppendUint64(dst, e.length)
		dst = le.AppendUint64(dst, e.nameStart)
		dst = le.AppendUint32(dst, e.nameLength)
		dst = le.AppendUint32(dst, uint32(e.fold))
	}
	return dst
}

func (x *indexBuilder) appendOrder(dst []byte) []byte {
	order := make([]uint32, len(x.entries))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(i, k uint32) int { return strings.Compare(x.names.Name(i), x.names.Name(k)) })
	return appendWords(dst, order)
}

func (x *indexBuilder) appendTimes(dst []byte) []byte {
	for i := range x.entries {
		dst = appendTime(dst, x.entries[i].time)
	}
	return dst
}

// sections returns the sections in their order.
func (x *indexBuilder) sections() []content {
	all := []content{
		{tagRecords, x.appendRecords},
		{tagOrder, x.appendOrder},
		{tagBases, func(dst []byte) []byte { return appendWords(dst, x.bases) }},
		{tagNames, func(dst []byte) []byte { return append(dst, x.names.NamesFrom(0)...) }},
	}
	if x.timed {
		all = append(all, content{tagTime, x.appendTimes})
	}
	return append(all, content{tagSums, func(dst []byte) []byte { return append(dst, x.sums...) }})
}

// index is the tail index of a file: views of its sections, with checked references.
type index struct {
	n, types                     int
	records, order, bases, names []byte
	times                        []byte // empty if no record has a time
	sums                         []byte // empty if the stream has no digest
}

// parseIndex reads the index of a stream whose records lie between first and the index itself.
func parseIndex(f *frame, d *decompressor, types int, first int64) (*index, error) {
	x := &index{n: int(f.ordinal), types: types}
	if err := checkTags(f.all, indexTags...); err != nil {
		return nil, err
	}
	tags, contents := slices.Concat(indexTags, []string{tagTime, tagSums}), [...]*[]byte{&x.records, &x.order, &x.bases, &x.names, &x.times, &x.sums}
	for i, tag := range tags {
		if isOptional(tag) && !f.has(tag) {
			continue
		}
		keep := func(content []byte) error {
			*contents[i] = content
			return nil
		}
		if err := d.read(f, tag, keep); err != nil {
			return nil, err
		}
	}
	if n := f.ordinal; n > uint64(len(x.records)) || uint64(len(x.records)) != n*indexEntrySize ||
		uint64(len(x.order)) != n*wordSize || uint64(len(x.bases)) != (n+1)*uint64(types)*wordSize ||
		f.has(tagTime) && uint64(len(x.times)) != n*timeSize || f.has(tagSums) && uint64(len(x.sums)) != (n+1)*sumSize {
		return nil, damage(tagIndex, f.offset, malformed("sections do not fit the number of records"))
	}
	if err := x.check(uint64(first), uint64(f.offset)); err != nil {
		return nil, damage(tagIndex, f.offset, err)
	}
	return x, nil
}

func (x *index) check(first, end uint64) error {
	for t := range x.types {
		if x.base(0, t) != 0 {
			return malformed("dictionary bases do not begin at 0")
		}
	}
	named := uint64(0)
	for i := range x.n {
		e := x.entry(i)
		if e.offset%alignment != 0 || e.offset < first || e.offset > end || e.length > end-e.offset {
			return malformed("record %d is not between its neighbours", i)
		}
		first = e.offset + e.length
		if e.nameStart != named || uint64(e.nameLength) > uint64(len(x.names))-named {
			return malformed("name of record %d is out of place", i)
		}
		named += uint64(e.nameLength)
		for t := range x.types {
			if x.base(i, t) > x.base(i+1, t) {
				return malformed("dictionary bases descend at record %d", i)
			}
		}
		if _, err := x.time(i); err != nil {
			return err
		}
	}
	if named != uint64(len(x.names)) {
		return malformed("more names than records")
	}
	return x.checkOrder()
}

// checkOrder requires names to be strictly ascending in the given order, and so unique.
func (x *index) checkOrder() error {
	for i := range x.n {
		k := int(le.Uint32(x.order[i*wordSize:]))
		if k >= x.n || i > 0 && bytes.Compare(x.sorted(i-1), x.name(k)) >= 0 {
			return malformed("names are not sorted or repeat")
		}
	}
	return nil
}

func (x *index) entry(i int) indexEntry {
	b := x.records[i*indexEntrySize:][:indexEntrySize]
	at, _ := x.time(i) // check has validated it
	return indexEntry{
		offset: le.Uint64(b), length: le.Uint64(b[8:]), nameStart: le.Uint64(b[16:]),
		nameLength: le.Uint32(b[24:]), fold: int32(le.Uint32(b[28:])), time: at,
	}
}

func (x *index) name(i int) []byte {
	e := x.entry(i)
	return x.names[e.nameStart:][:e.nameLength]
}

// time returns the time of a record, none if the index has no times.
func (x *index) time(i int) (subgraph.Time, error) {
	if len(x.times) == 0 {
		return subgraph.Time{}, nil
	}
	return parseTime(x.times[i*timeSize:][:timeSize])
}

// sum returns the digest of the stream before record i, or of all of it for i = n, where the index has digests.
func (x *index) sum(i int) uint64 { return le.Uint64(x.sums[i*sumSize:]) }

// base returns the first free global id of a type before record i, or at the end of the stream for i = n.
func (x *index) base(i, typ int) uint32 { return le.Uint32(x.bases[(i*x.types+typ)*wordSize:]) }

// sorted returns the i-th name in byte order.
func (x *index) sorted(i int) []byte { return x.name(int(le.Uint32(x.order[i*wordSize:]))) }

// find returns the record with a name.
func (x *index) find(name string) (int, bool) {
	k, ok := sort.Find(x.n, func(i int) int { return strings.Compare(name, string(x.sorted(i))) })
	if !ok {
		return 0, false
	}
	return int(le.Uint32(x.order[k*wordSize:])), true
}

// owner returns the record that adds the name of a global id, which is below the last base.
func (x *index) owner(typ int, id uint32) int {
	return sort.Search(x.n, func(i int) bool { return x.base(i+1, typ) > id })
}
