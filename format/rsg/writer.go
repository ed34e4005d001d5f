package rsg

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/zstd"

	"resolwe/format/mln"
	"resolwe/format/origin"
	"resolwe/format/subgraph"
	"resolwe/format/table"
)

// Errors of a writer other than damage.
var (
	errClosed  = errors.New("stream is closed")
	errTooMany = errors.New("more than 2^32 - 2 names of one kind")
	errText    = errors.New("its new names take more than 4 GiB")
	errNames   = errors.New("two entities of one type share a name")
	errNumber  = errors.New("the name of a number is not its shortest spelling")
)

// WriterOptions are the options of a writer. The zero value is ready to use.
type WriterOptions struct {
	Zstd  bool // compress records, for archives; a mapped reader has to decode them
	Whole bool // write each subgraph completely, even what it shares with earlier ones
}

// Writer writes a stream. Its bytes depend only on the schema, the subgraphs and the options. Each frame is read back before it is written,
// so that a stream without an error can be read. It keeps each distinct entity name in memory, with 20 to 45 more bytes, and up to 128 MB of tuples.
// It is not safe for concurrent use.
type Writer struct {
	w      io.Writer
	schema *mln.Schema
	opt    WriterOptions
	build  frameBuilder
	dicts  dictionaryWhole // the names in the stream
	from   []translation   // by type
	index  *indexBuilder
	share  *deduplicator // nil if each record is written completely
	ids    [][]uint32    // by type: global ids of the current subgraph
	next   []uint32      // by type: first free global id
	local  [][]uint32    // by type and global id: local ids in the current subgraph, subgraph.NoEntity for others
	offset int64
	proof  *proof
	origin []byte // as JSON, empty for none
	err    error  // the error that made the stream unusable
}

// NewWriter starts a stream of subgraphs over the schema, which it keeps, and writes the stream's head at once.
func NewWriter(w io.Writer, schema *mln.Schema, opt WriterOptions) (*Writer, error) {
	if err := checkSchema(schema); err != nil {
		return nil, fmt.Errorf("schema of the stream: %s", err.Error())
	}
	text := appendSchema(nil, schema)
	if len(text) > maxSchema {
		return nil, fmt.Errorf("schema of the stream takes %d bytes, at most %d are allowed", len(text), maxSchema)
	}
	n := len(schema.Types)
	sw := &Writer{
		w: w, schema: schema, opt: opt,
		dicts: make(dictionaryWhole, n), from: make([]translation, n), ids: make([][]uint32, n), next: make([]uint32, n),
		local: make([][]uint32, n),
	}
	if !opt.Whole {
		sw.share = &deduplicator{schema: schema, preds: make([]memory, len(schema.Predicates)), background: noBackground}
	}
	sw.proof = &proof{dicts: sw.dicts, Reader: Reader{
		decoder: decoder{opt: ReaderOptions{Shared: true}, schema: schema}, want: newWanted(schema, nil), next: make([]uint32, n), lost: make([][]idRange, n),
	}}
	sw.put(fileHeader())
	sw.frame(tagSchema, 0, false, content{tagSchema, func(dst []byte) []byte { return append(dst, text...) }})
	sw.index = newIndexBuilder(n, sw.proof.total)
	return sw, sw.err
}

// Write adds a subgraph; its Index is ignored in favor of its position in the stream. A *DuplicateError, or a subgraph that does not fit
// the schema, leaves the stream unchanged; after any other error it is unusable.
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
	if _, ok := w.index.names.Lookup(s.Name); ok {
		return &DuplicateError{Name: s.Name}
	}
	bases := slices.Clone(w.next)
	for t := range s.Domains {
		if err := w.globalize(t, &s.Domains[t]); err != nil {
			w.err = fmt.Errorf("subgraph %s, type %s: %w", subgraph.Shown(s.Name), w.schema.Types[t], err)
			return w.err
		}
	}
	text := uint64(0) // bytes of new names
	for t, base := range bases {
		text += uint64(len(w.dicts[t].NamesFrom(base)))
	}
	if text > math.MaxUint32 {
		w.err = fmt.Errorf("subgraph %s: %w", subgraph.Shown(s.Name), errText)
		return w.err
	}
	s = s.Complete(w.schema)
	h := headOf(s)
	start, sections := w.offset, w.record(s, h, bases, w.induce(s, h))
	for t, ids := range w.ids {
		for _, id := range ids {
			w.local[t][id] = subgraph.NoEntity
		}
	}
	w.frame(tagSubgraph, len(w.index.entries), w.opt.Zstd, sections...)
	if w.err == nil {
		w.err = w.index.add(h, start, w.offset-start, w.next, w.proof.total)
	}
	return w.err
}

// induce records in the head what the record shares, and returns the background that it has to contain, nil for none.
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

// globalize assigns global ids to the entities of a domain.
func (w *Writer) globalize(typ int, d *subgraph.Domain) error {
	ids := w.ids[typ][:0]
	known, _ := d.Names.(*subgraph.DictNames)
	if known != nil {
		w.from[typ].from(known.Dict)
	}
	for i := range d.Size {
		var id uint32
		var err error
		if known != nil {
			at := &w.from[typ].ids[known.IDs[i]]
			if *at == subgraph.NoEntity {
				*at, err = w.intern(typ, known.Name(uint32(i)))
			}
			id = *at
		} else {
			id, err = w.intern(typ, d.Names.Name(uint32(i)))
		}
		if err != nil {
			return err
		}
		if int(id) == len(w.local[typ]) {
			w.local[typ] = append(w.local[typ], subgraph.NoEntity)
		}
		if w.local[typ][id] != subgraph.NoEntity {
			return errNames
		}
		w.local[typ][id] = uint32(i)
		ids = append(ids, id)
	}
	w.ids[typ], w.next[typ] = ids, uint32(w.dicts[typ].Len())
	return nil
}

// intern returns the global id of a name.
func (w *Writer) intern(typ int, name string) (uint32, error) {
	id, err := intern(&w.dicts[typ], name)
	if err == nil && id >= w.next[typ] && w.schema.IsNumber(typ) && !isNumberName(name) {
		err = fmt.Errorf("%w: %q", errNumber, name)
	}
	return id, err
}

// translation has the global ids of the names of a dictionary, so that each is looked up once.
type translation struct {
	dict *table.Dict
	ids  []uint32 // subgraph.NoEntity for what was not looked up
}

// from prepares for the names of a dictionary.
func (t *translation) from(dict *table.Dict) {
	if t.dict != dict {
		*t = translation{dict: dict}
	}
	for len(t.ids) < dict.Len() {
		t.ids = append(t.ids, subgraph.NoEntity)
	}
}

// record returns the sections of a subgraph. bases are the first free global ids before it; shared is the background that it contains, nil
// for none.
func (w *Writer) record(s *subgraph.Subgraph, h *head, bases []uint32, shared *background) []content {
	out := []content{{tagHead, h.append}}
	if h.time.Known {
		out = append(out, content{tagTime, func(dst []byte) []byte { return appendTime(dst, h.time) }})
	}
	entities := func(dst []byte) []byte {
		for _, ids := range w.ids {
			dst = appendWords(dst, ids)
		}
		return dst
	}
	names := func(dst []byte) []byte { return w.appendNames(dst, bases) }
	out = append(out, content{tagEntities, entities}, content{tagNames, names})
	if shared != nil {
		out = append(out, content{tagShared, func(dst []byte) []byte { return shared.append(dst, w.schema) }})
	}
	return append(out, content{tagFacts, func(dst []byte) []byte {
		for i := range s.Relations {
			if h.induced[i] {
				continue
			}
			for _, t := range s.Relations[i].Tables() {
				dst = appendTable(dst, t, w.schema.Predicates[i].Args, h.sizes)
			}
		}
		return dst
	}})
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
			end += uint32(len(w.dicts[t].Name(i)))
			dst = le.AppendUint32(dst, end)
		}
	}
	for t, base := range bases {
		dst = append(dst, w.dicts[t].NamesFrom(base)...)
	}
	return dst
}

// frame writes a whole frame, so that a pipe's reader gets it at once.
func (w *Writer) frame(tag string, ordinal int, compress bool, sections ...content) {
	if w.err != nil {
		return
	}
	var frame []byte
	if frame, w.err = w.build.frame(tag, ordinal, compress, sections); w.err != nil {
		return
	}
	if err := w.proof.frame(frame, w.offset); err != nil {
		w.err = fmt.Errorf("record %d could not be read once written: %s", ordinal, err.Error()) // not damage, which is of an input
	}
	w.put(frame)
}

func (w *Writer) put(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
		w.offset += int64(len(b))
	}
}

// SetOrigin says what the stream was made of; Close writes the last one given, unless it tells nothing. The error says what of it is out of range.
func (w *Writer) SetOrigin(o *origin.Origin) (err error) {
	w.origin = nil
	if o != nil && len(o.Draws)+len(o.Columns)+len(o.Trusted) > 0 {
		w.origin, err = o.Text()
	}
	return err
}

// Close ends the stream with its index; without it the stream counts as truncated. It does not close the io.Writer.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	if len(w.origin) > 0 {
		w.frame(tagOrigin, 0, false, content{tagOrigin, func(dst []byte) []byte { return append(dst, w.origin...) }})
	}
	start := w.offset
	w.frame(tagIndex, len(w.index.entries), false, w.index.sections()...)
	t := trailer{indexOffset: uint64(start), indexLength: uint64(w.offset - start), records: uint64(len(w.index.entries))}
	w.put(t.bytes())
	if w.err != nil {
		return w.err
	}
	w.err = errClosed
	return nil
}

// Bytes returns the length of the stream so far.
func (w *Writer) Bytes() int64 { return w.offset }

// content is the content of a section to write.
type content struct {
	tag  string
	fill func(dst []byte) []byte // appends its content
}

// frameBuilder lays out one frame at a time, reusing its memory.
type frameBuilder struct {
	buf    []byte
	zstd   *zstd.Encoder
	packed []byte
}

// frame returns a frame, which is valid until the next call.
func (b *frameBuilder) frame(tag string, ordinal int, compress bool, sections []content) ([]byte, error) {
	table := frameHeaderSize + tableEntrySize*len(sections)
	b.buf = append(b.buf[:0], make([]byte, align(uint64(table)))...)
	for i, s := range sections {
		if err := b.section(frameHeaderSize+tableEntrySize*i, s, compress); err != nil {
			return nil, err
		}
	}
	copy(b.buf, tag)
	le.PutUint32(b.buf[4:], uint32(len(sections)))
	le.PutUint64(b.buf[8:], uint64(len(b.buf)))
	le.PutUint64(b.buf[16:], uint64(ordinal))
	le.PutUint32(b.buf[24:], checksum(b.buf[frameHeaderSize:table]))
	le.PutUint32(b.buf[28:], checksum(b.buf[:28]))
	return b.buf, nil
}

// section appends a section and sets its entry in the table, compressed if requested and worthwhile.
func (b *frameBuilder) section(entry int, s content, compress bool) error {
	start := len(b.buf)
	b.buf = s.fill(b.buf)
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
	e := b.buf[entry:]
	copy(e, s.tag)
	e[4] = codec
	le.PutUint64(e[8:], uint64(len(stored)))
	le.PutUint64(e[16:], uint64(size))
	le.PutUint32(e[24:], checksum(stored))
	b.buf = append(b.buf, make([]byte, align(uint64(len(b.buf)))-uint64(len(b.buf)))...)
	return nil
}

// pack compresses the bytes from start on.
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
