package rsg

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/zstd"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// Errors of a writer that are no damage.
var (
	errClosed  = errors.New("stream is closed")
	errTooMany = errors.New("more than 2^32 - 2 names of one kind")
	errText    = errors.New("its new names take more than 4 GiB")
	errNames   = errors.New("two entities of one type share a name")
)

// WriterOptions are the choices of a writer. The zero value is good.
type WriterOptions struct {
	Zstd  bool // compress records: for archives; a mapped reader has to decode them
	Whole bool // write all of each subgraph, also what it shares with those before
}

// Writer writes a stream. Its bytes depend on nothing but the schema, the subgraphs and the options. It keeps each
// distinct entity name in memory, with 8 more bytes, 4 for each name of a dictionary that names come from (subgraph.Sourced),
// and up to 128 MB of tuples. It is not safe for concurrent use.
type Writer struct {
	w      io.Writer
	schema *mln.Schema
	opt    WriterOptions
	frame  frameBuilder
	dicts  []*intern // by type: the names that the stream holds
	index  *indexBuilder
	share  *deduplicator // nil where each record is to be whole
	ids    [][]uint32    // by type: global ids of the subgraph at hand
	next   []uint32      // by type: first free global id
	known  []sourceIDs   // by type
	local  [][]uint32    // by type and global id: local ids in the subgraph at hand, subgraph.NoEntity where it lacks the entity
	offset int64
	err    error // what made the stream unusable
}

// NewWriter begins a stream of subgraphs over the schema, which it keeps: its head is written at once.
func NewWriter(w io.Writer, schema *mln.Schema, opt WriterOptions) (*Writer, error) {
	if err := checkSchema(schema); err != nil {
		return nil, fmt.Errorf("schema of the stream: %s", err.Error())
	}
	content := appendSchema(nil, schema)
	if len(content) > maxSchema {
		return nil, fmt.Errorf("schema of the stream takes %d bytes, at most %d are allowed", len(content), maxSchema)
	}
	n := len(schema.Types)
	sw := &Writer{
		w: w, schema: schema, opt: opt,
		dicts: newInterns(n), index: newIndexBuilder(n), ids: make([][]uint32, n), next: make([]uint32, n),
		known: make([]sourceIDs, n), local: make([][]uint32, n),
	}
	if !opt.Whole {
		sw.share = newDeduplicator(schema)
	}
	sw.put(fileHeader())
	sw.frame.begin(tagSchema, 0, 1)
	sw.section(tagSchema, false, func(dst []byte) []byte { return append(dst, content...) })
	sw.put(sw.frame.finish())
	return sw, sw.err
}

// Write adds a subgraph, whose Index does not matter: its place in the stream counts. A *DuplicateError and a subgraph
// that does not fit the schema leave the stream as it was; after another error it is unusable.
func (w *Writer) Write(s *subgraph.Subgraph) error {
	if w.err != nil {
		return w.err
	}
	if err := s.Check(w.schema); err != nil {
		return fmt.Errorf("subgraph %s: %w", subgraph.Shown(s.Name), err)
	}
	for t, d := range s.Domains {
		if n, ok := d.Names.(*domainNames); d.Size > 0 && ok && n.dict == nil {
			return fmt.Errorf("subgraph %s: type %s comes without names", subgraph.Shown(s.Name), w.schema.Types[t])
		}
	}
	if _, ok := w.index.names.find(s.Name); ok {
		return &DuplicateError{Name: s.Name}
	}
	bases := slices.Clone(w.next)
	for t := range s.Domains {
		if err := w.globalize(t, &s.Domains[t]); err != nil {
			w.err = fmt.Errorf("subgraph %s, type %s: %w", subgraph.Shown(s.Name), w.schema.Types[t], err)
			return w.err
		}
	}
	if w.newText(bases) > math.MaxUint32 {
		w.err = fmt.Errorf("subgraph %s: %w", subgraph.Shown(s.Name), errText)
		return w.err
	}
	s = s.Complete(w.schema)
	h := headOf(s)
	w.record(s, h, bases, w.induce(s, h))
	for t, ids := range w.ids {
		for _, id := range ids {
			w.local[t][id] = subgraph.NoEntity
		}
	}
	start, frame := w.offset, w.frame.finish()
	w.put(frame)
	if w.err == nil {
		w.err = w.index.add(h, start, int64(len(frame)), w.next)
	}
	return w.err
}

// induce says in the head what the record shares, and returns the background that it has to bring, nil where it brings none.
func (w *Writer) induce(s *subgraph.Subgraph, h *head) *background {
	if w.share == nil {
		return nil
	}
	background := w.share.share(h.induced, s, len(w.index.entries), w.ids, w.local, w.next)
	if slices.Contains(h.induced, true) {
		h.background = w.share.background
	}
	return background
}

// sourceIDs are global ids by the numbers of a dictionary that names come from, see subgraph.Sourced.
type sourceIDs struct {
	dictionary any
	ids        []uint32 // subgraph.NoEntity where the stream has none yet
}

// of returns the numbers of the names of a domain in their dictionary, and makes room for them; nil where there is none.
func (k *sourceIDs) of(d *subgraph.Domain) []uint32 {
	names, ok := d.Names.(subgraph.Sourced)
	if !ok || d.Size == 0 {
		return nil
	}
	dictionary, numbers := names.Source()
	if dictionary != k.dictionary {
		k.dictionary, k.ids = dictionary, k.ids[:0]
	}
	for n := int(slices.Max(numbers)) + 1; len(k.ids) < n; {
		k.ids = append(k.ids, subgraph.NoEntity)
	}
	return numbers
}

// globalize gives the entities of a domain their global ids.
func (w *Writer) globalize(typ int, d *subgraph.Domain) error {
	ids, known := w.ids[typ][:0], &w.known[typ]
	numbers := known.of(d)
	for i := range d.Size {
		id := subgraph.NoEntity
		if numbers != nil {
			id = known.ids[numbers[i]]
		}
		if id == subgraph.NoEntity {
			var err error
			if id, err = w.dicts[typ].add(d.Names.Name(uint32(i))); err != nil {
				return err
			}
		}
		if int(id) == len(w.local[typ]) {
			w.local[typ] = append(w.local[typ], subgraph.NoEntity)
		}
		if numbers != nil {
			known.ids[numbers[i]] = id
		}
		if w.local[typ][id] != subgraph.NoEntity {
			return errNames
		}
		w.local[typ][id] = uint32(i)
		ids = append(ids, id)
	}
	w.ids[typ], w.next[typ] = ids, uint32(w.dicts[typ].len())
	return nil
}

// newText returns the bytes of the names from the bases on.
func (w *Writer) newText(bases []uint32) (n uint64) {
	for t, base := range bases {
		n += uint64(len(w.dicts[t].text)) - w.dicts[t].start(int(base))
	}
	return n
}

// record lays out the frame of a subgraph. bases are the first free global ids before it, shared is what it brings for
// others to share, nil where that is nothing.
func (w *Writer) record(s *subgraph.Subgraph, h *head, bases []uint32, shared *background) {
	sections := 4
	if shared != nil {
		sections++
	}
	if h.time.Known {
		sections++
	}
	w.frame.begin(tagSubgraph, len(w.index.entries), sections)
	w.section(tagHead, w.opt.Zstd, h.append)
	if h.time.Known {
		w.section(tagTime, w.opt.Zstd, func(dst []byte) []byte { return appendTime(dst, h.time) })
	}
	w.section(tagEntities, w.opt.Zstd, func(dst []byte) []byte {
		for _, ids := range w.ids {
			dst = appendWords(dst, ids)
		}
		return dst
	})
	w.section(tagNames, w.opt.Zstd, func(dst []byte) []byte { return w.appendNames(dst, bases) })
	if shared != nil {
		w.section(tagShared, w.opt.Zstd, func(dst []byte) []byte { return shared.append(dst, w.schema) })
	}
	w.section(tagFacts, w.opt.Zstd, func(dst []byte) []byte {
		for i := range s.Relations {
			if h.induced[i] {
				continue
			}
			for _, t := range s.Relations[i].Tables() {
				dst = appendTable(dst, t, w.schema.Predicates[i].Args, h.sizes)
			}
		}
		return dst
	})
}

func (w *Writer) section(tag string, compress bool, fill func([]byte) []byte) {
	if w.err == nil {
		w.err = w.frame.section(tag, compress, fill)
	}
}

// appendNames writes the names from the bases on.
func (w *Writer) appendNames(dst []byte, bases []uint32) []byte {
	dst = appendWords(dst, bases)
	for t, base := range bases {
		dst = le.AppendUint32(dst, w.next[t]-base)
	}
	end := uint32(0)
	dst = le.AppendUint32(dst, 0)
	for t, base := range bases {
		for i := base; i < w.next[t]; i++ {
			end += uint32(len(w.dicts[t].at(int(i))))
			dst = le.AppendUint32(dst, end)
		}
	}
	for t, base := range bases {
		dst = append(dst, w.dicts[t].text[w.dicts[t].start(int(base)):]...)
	}
	return dst
}

// put writes a whole frame, so that a pipe's reader has it at once.
func (w *Writer) put(b []byte) {
	if w.err != nil {
		return
	}
	_, w.err = w.w.Write(b)
	w.offset += int64(len(b))
}

// Close ends the stream with its index; without it the stream counts as truncated. It does not close the io.Writer.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	start := w.offset
	sections := w.index.sections()
	w.frame.begin(tagIndex, len(w.index.entries), len(sections))
	for _, s := range sections {
		w.section(s.tag, false, s.fill)
	}
	w.put(w.frame.finish())
	t := trailer{indexOffset: uint64(start), indexLength: uint64(w.offset - start), records: uint64(len(w.index.entries))}
	w.put(t.bytes())
	if w.err != nil {
		return w.err
	}
	w.err = errClosed
	return nil
}

// frameBuilder lays out one frame at a time in memory that it reuses.
type frameBuilder struct {
	buf     []byte
	entries int // of the section table that are filled
	zstd    *zstd.Encoder
	packed  []byte
}

// begin starts a frame of that many sections.
func (b *frameBuilder) begin(tag string, ordinal, sections int) {
	n := align(uint64(frameHeaderSize + tableEntrySize*sections))
	b.buf = append(b.buf[:0], make([]byte, n)...)
	copy(b.buf, tag)
	le.PutUint32(b.buf[4:], uint32(sections))
	le.PutUint64(b.buf[16:], uint64(ordinal))
	b.entries = 0
}

// section adds the content that fill appends, compressed where that is asked for and pays.
func (b *frameBuilder) section(tag string, compress bool, fill func(dst []byte) []byte) error {
	start := len(b.buf)
	b.buf = fill(b.buf)
	size, codec := len(b.buf)-start, byte(codecNone)
	if compress && size > 0 && size <= maxDecoded {
		if err := b.pack(start); err != nil {
			return err
		}
		if len(b.packed) < size {
			b.buf, codec = append(b.buf[:start], b.packed...), codecZstd
		}
	}
	stored := b.buf[start:]
	e := b.buf[frameHeaderSize+tableEntrySize*b.entries:]
	copy(e, tag)
	e[4] = codec
	le.PutUint64(e[8:], uint64(len(stored)))
	le.PutUint64(e[16:], uint64(size))
	le.PutUint32(e[24:], checksum(stored))
	b.buf = append(b.buf, make([]byte, align(uint64(len(b.buf)))-uint64(len(b.buf)))...)
	b.entries++
	return nil
}

// pack compresses what stands from start on.
func (b *frameBuilder) pack(start int) error {
	if b.zstd == nil {
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return fmt.Errorf("zstd: %w", err)
		}
		b.zstd = enc
	}
	b.packed = b.zstd.EncodeAll(b.buf[start:], b.packed[:0])
	return nil
}

// finish completes the header and returns the frame, which is good until the next begin.
func (b *frameBuilder) finish() []byte {
	le.PutUint64(b.buf[8:], uint64(len(b.buf)))
	table := b.buf[frameHeaderSize : frameHeaderSize+tableEntrySize*b.entries]
	le.PutUint32(b.buf[24:], checksum(table))
	le.PutUint32(b.buf[28:], checksum(b.buf[:28]))
	return b.buf
}
