package rsg

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/origin"
	"resolwe/format/subgraph"
)

// Sizes of a pipe reader's buffers: the fixed one, and the first allocation for a frame with an unverified length.
const (
	pipeBuffer = 64 << 10
	firstGuess = 4 << 20
)

// Reader reads a stream from a pipe, or a file from its beginning. It is not safe for concurrent use, but the subgraphs it returns are.
type Reader struct {
	decoder
	in         *bufio.Reader
	path       string
	offset     int64 // in the stream, of the next byte of in
	expect     int   // position of the next record
	want       *wanted
	dict       dictionaryPart
	next       []uint32    // by type: first free global id
	lost       [][]idRange // by type: global ids whose names were lost, ascending
	total      uint64      // the digest so far
	background *background // the last one, nil if there is none or it was damaged
	audit      *audit      // nil except for Verify
	origin     *origin.Origin
	done       error

	sum     uint32 // of the last record
	scan    bool   // a frame header is damaged: find the next valid one
	jumped  bool   // records may have been lost since the last header
	gap     bool   // names may have been lost too
	skipped int
}

type idRange struct{ lo, hi uint32 }

// NewReader reads the head of a stream. path is for errors only.
func NewReader(r io.Reader, path string, opt ReaderOptions) (*Reader, error) {
	rd := &Reader{decoder: decoder{opt: opt}, in: bufio.NewReaderSize(r, pipeBuffer), path: path}
	if err := rd.begin(); err != nil {
		return nil, locate(err, path, -1, "")
	}
	return rd, nil
}

func (r *Reader) begin() (err error) {
	b, err := r.read(fileHeaderSize, placeFileHeader)
	if err != nil && !errors.Is(err, ErrTruncated) {
		return err
	}
	if err := checkFileHeader(b); err != nil {
		return err
	}
	r.promised = promisesDigest(b)
	h, err := r.header()
	if err != nil {
		return err
	}
	if err := h.checkSchema(); err != nil {
		return err
	}
	f, err := r.frame(h)
	if err != nil {
		return err
	}
	if r.schema, err = schemaOf(f, &r.unzip); err != nil {
		return err
	}
	r.total = f.digest(0)
	types := len(r.schema.Types)
	r.want, r.next, r.lost = newWanted(r.schema, r.opt.Wanted), make([]uint32, types), make([][]idRange, types)
	return nil
}

// Schema returns the stream's types and predicates. They are read-only.
func (r *Reader) Schema() *mln.Schema { return r.schema }

// Origin returns what the stream was made of, nil if it does not say. It is known once Next has reached the end.
func (r *Reader) Origin() *origin.Origin { return r.origin }

// Skipped returns how many records SkipDamaged has skipped so far. A truncated end counts as one.
func (r *Reader) Skipped() int { return r.skipped }

// Sum returns the checksum of the last record: see File.Sum.
func (r *Reader) Sum() uint32 { return r.sum }

// Next returns the next subgraph, in memory of its own, and io.EOF at the end of a complete stream. Damage is a *CorruptError; with
// SkipDamaged the stream continues after it, as far as it can be read, and ends with io.EOF.
func (r *Reader) Next() (*subgraph.Subgraph, error) {
	for r.done == nil {
		s, err := r.step()
		if s != nil {
			return s, nil
		}
		if err != nil && !errors.Is(err, io.EOF) && r.tolerate(err) == nil {
			r.skipped++
			err = io.EOF
		}
		r.done = err
	}
	return nil, r.done
}

// tolerate returns nil for damage if SkipDamaged is set. Foreign records cannot be skipped: they are noticed at the end.
func (r *Reader) tolerate(err error) error {
	if err == nil || !r.opt.SkipDamaged || !errors.Is(err, subgraph.ErrCorrupt) || errors.Is(err, ErrForeign) {
		return err
	}
	if r.opt.Damaged != nil {
		r.opt.Damaged(err)
	}
	return nil
}

// step reads one frame. It returns neither a subgraph nor an error if more frames follow.
func (r *Reader) step() (*subgraph.Subgraph, error) {
	h, err := r.header()
	switch {
	case err != nil:
		err = locate(err, r.path, r.expect, "")
		if errors.Is(err, ErrTruncated) {
			return nil, err
		}
		r.scan, r.jumped, r.gap = true, true, true
		return nil, r.tolerate(err)
	case h.tag == tagSubgraph:
		return r.record(h)
	case h.tag == tagIndex:
		if err := r.tolerate(locate(r.end(h), r.path, -1, "")); err != nil {
			return nil, err
		}
		return nil, io.EOF
	case h.tag == tagOrigin:
		return nil, r.tolerate(locate(r.readOrigin(h), r.path, -1, ""))
	case isOptional(h.tag):
		_, err := r.skim(h)
		return nil, locate(err, r.path, -1, "")
	}
	return nil, locate(damage(h.tag, h.offset, ErrVersion), r.path, -1, "")
}

// record reads the frame of a subgraph.
func (r *Reader) record(h frameHeader) (*subgraph.Subgraph, error) {
	if err := r.follow(h); err != nil {
		return nil, locate(err, r.path, r.expect, "")
	}
	rest, err := r.read(h.length-frameHeaderSize, h.tag)
	if err != nil {
		return nil, locate(err, r.path, r.expect, "")
	}
	rec := new(Buffer)
	r.sum = h.tableCRC
	err = r.decode(rec, h, rest)
	position := r.expect
	r.expect++
	if err != nil {
		r.skipped++
		return nil, r.tolerate(locate(err, r.path, position, rec.head.name))
	}
	return r.subgraph(rec, position, r.names(), r.want.found), nil
}

// names returns the dictionary, nil if names are not requested.
func (r *Reader) names() dictionary {
	if !r.opt.Names {
		return nil
	}
	return r.dict
}

// follow checks that a frame is in its place, and counts the records lost before it.
func (r *Reader) follow(h frameHeader) error {
	lost := int(h.ordinal) - r.expect
	if lost < 0 || lost > 0 && !r.jumped {
		return damage(h.tag, h.offset, malformed("number %d stands where %d belongs", h.ordinal, r.expect))
	}
	r.skipped, r.expect, r.jumped = r.skipped+lost, r.expect+lost, false
	return nil
}

// decode reads a record from its frame, given without the header. It reads the names even if the rest is damaged.
func (r *Reader) decode(b *Buffer, h frameHeader, rest []byte) error {
	f := &b.frame
	if err := f.parseBody(h, rest); err != nil {
		r.gap = true
		return err
	}
	r.total = f.digest(r.total)
	errNames := r.newNames(b)
	if errNames == nil {
		errNames = r.absorb(&b.names, f)
	}
	r.gap = errNames != nil
	errBackground := r.rebase(f, errNames)
	if err := r.head(b); err != nil {
		return err
	}
	if err := cmp.Or(errNames, errBackground); err != nil {
		return err
	}
	background, err := r.backgroundOf(&b.head)
	if err != nil {
		return damage(tagHead, f.offset, err)
	}
	if err := r.body(b, r.next, background); err != nil {
		return err
	}
	if err := r.checkLost(b); err != nil {
		return err
	}
	if err := r.center(b, r.names()); err != nil {
		return err
	}
	if r.audit == nil {
		return nil
	}
	return r.audit.record(b, r.total)
}

// absorb adds the new names of a record to the dictionary.
func (r *Reader) absorb(n *newNames, f *frame) error {
	for t, base := range n.bases {
		if base < r.next[t] || base > r.next[t] && !r.gap {
			return damage(tagNames, f.offset, malformed("names of type %s do not follow those before", r.schema.Types[t]))
		}
	}
	fresh := false
	for t, base := range n.bases {
		if base > r.next[t] {
			r.lost[t] = append(r.lost[t], idRange{lo: r.next[t], hi: base})
		}
		r.next[t] = base + n.counts[t]
		fresh = fresh || n.counts[t] > 0
	}
	r.want.take(n)
	if r.opt.Names && fresh {
		if err := afford(int64(wordSize*len(n.ends) + len(n.blob))); err != nil {
			return err
		}
		r.dict = append(r.dict, n.clone())
	}
	return nil
}

// rebase reads the background that a record contains for later ones; if its names are damaged, the background is unknown.
func (r *Reader) rebase(f *frame, errNames error) error {
	if !f.has(tagShared) {
		return nil
	}
	if r.background = nil; errNames != nil {
		return errNames
	}
	background, err := r.readBackground(f, r.next)
	r.background = background
	return err
}

// backgroundOf returns the background that a record uses, nil for none.
func (r *Reader) backgroundOf(h *head) (*background, error) {
	switch {
	case h.background == noBackground:
		return nil, nil
	case r.background != nil && r.background.record == int(h.background):
		return r.background, nil
	case r.skipped > 0:
		return nil, ErrLostBackground
	}
	return nil, malformed("shares in record %d, which does not bring the last base", h.background)
}

// checkLost rejects a record that needs a name lost with a damaged one.
func (r *Reader) checkLost(b *Buffer) error {
	for t, lost := range r.lost {
		if len(lost) == 0 || !r.opt.Names && r.want.asked[t] == nil {
			continue
		}
		for _, id := range b.ids[t] {
			i, _ := slices.BinarySearchFunc(lost, id, func(x idRange, id uint32) int { return cmp.Compare(x.hi, id+1) })
			if i < len(lost) && lost[i].lo <= id {
				return damage(tagEntities, b.frame.offset, ErrLostNames)
			}
		}
	}
	return nil
}

// end checks the trailer, and the index as far as that takes no memory.
func (r *Reader) end(h frameHeader) error {
	if err := r.follow(h); err != nil {
		return err
	}
	if err := r.index(h); err != nil {
		return err
	}
	at := r.offset
	b, err := r.read(trailerSize, placeTrailer)
	if err != nil {
		return err
	}
	t, err := parseTrailer(b, at)
	if err != nil {
		return err
	}
	if t != (trailer{indexOffset: uint64(h.offset), indexLength: uint64(h.length), records: uint64(r.expect)}) {
		return damage(placeTrailer, at, malformed("trailer does not describe the index before it"))
	}
	if _, err := r.in.Peek(1); err == nil {
		return damage(placeTrailer, r.offset, malformed("bytes follow the end"))
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// index reads the index, and compares the digest, or all of the index if requested, with the records.
func (r *Reader) index(h frameHeader) error {
	f := &frame{frameHeader: h}
	var err error
	if r.audit != nil {
		f, err = r.frame(h)
	} else {
		f.all, err = r.skim(h)
	}
	if err != nil {
		return err
	}
	if err := r.compare(f); err != nil {
		return err
	}
	if r.audit != nil {
		return r.audit.tail(f)
	}
	for _, tag := range indexTags {
		if _, err := f.find(tag); err != nil {
			return err
		}
	}
	return checkTags(f.all, indexTags...)
}

// compare compares the last digest of the index, if it must have one, with that of the records, unless some were skipped.
func (r *Reader) compare(f *frame) error {
	if !r.promised && !f.has(tagSums) {
		return nil
	}
	s, err := f.find(tagSums)
	switch {
	case err != nil:
		return err
	case len(s.stored) < sumSize:
		return damage(s.tag, s.offset, ErrTruncated)
	case r.skipped == 0 && le.Uint64(s.stored[len(s.stored)-sumSize:]) != r.total:
		return damage(s.tag, s.offset, ErrForeign)
	}
	return nil
}
