package parquet

import (
	"bufio"
	"cmp"
	"errors"
	"hash/crc32"
	"io"
)

// Kinds of pages. Others are passed over.
const (
	pageData       = 0
	pageDictionary = 2
	pageData2      = 3
)

const (
	sectionBuffer = 4 << 10
	leafBytes     = sectionBuffer + 1<<10 // of a column that is read, without its pages
)

var (
	errChecksum   = errors.New("a page does not have its checksum")
	errDictionary = errors.New("a dictionary is not at the beginning of its column")
	errValue      = errors.New("a value is none of its column's type")
)

// leaf is a column that is read.
type leaf struct {
	file   *File
	column *column
	at     int   // which column
	chunk  chunk // of the row group
	in     *bufio.Reader
	rest   int64 // bytes of the file from in on
	end    int64 // what rest is behind the chunk, as the footer has it
	left   int64 // values of the chunk in pages to come

	values     int64 // of the page that are to come, null or not
	levels     hybrid
	decoder    decoder
	dictionary dictionary
	byCode     bool
	page       []byte
	text       []byte
}

// header is what stands before a page.
type header struct {
	kind, size, packed       int64
	crc                      int64
	hasCRC, loose            bool // loose: not packed, whatever the codec
	values, encoding, levels int64
	repetitions, definitions int64 // bytes of levels
}

func (l *leaf) readHeader() (h header, err error) {
	h = header{kind: -1, size: -1, packed: -1, values: -1, encoding: -1}
	t := &thrift{in: l.in, left: l.rest}
	t.fields(func(outer int64, k kind) bool {
		if n := h.field(0, outer); n != nil && k == kindI32 {
			h.hasCRC = h.hasCRC || outer == 4
			*n = t.number()
			return true
		}
		if k != kindStruct {
			return false
		}
		t.fields(func(id int64, k kind) bool {
			h.loose = h.loose || outer == 8 && id == 7 && k == kindFalse
			n := h.field(outer, id)
			if n == nil || k != kindI32 {
				return false
			}
			*n = t.number()
			return true
		})
		return true
	})
	l.rest = t.left
	switch {
	case t.err != nil:
		return h, t.err
	case h.size < 0 || h.packed < 0 || h.packed > l.rest || h.values < 0 && h.isData():
		return h, errLength
	}
	return h, nil
}

// field returns where a field of a struct within the header goes, nil for nowhere; the header itself is struct 0.
func (h *header) field(within, id int64) *int64 {
	switch [2]int64{within, id} {
	case [2]int64{0, 1}:
		return &h.kind
	case [2]int64{0, 2}:
		return &h.size
	case [2]int64{0, 3}:
		return &h.packed
	case [2]int64{0, 4}:
		return &h.crc
	case [2]int64{5, 1}, [2]int64{7, 1}, [2]int64{8, 1}: // a data page, a dictionary, a data page of version 2
		return &h.values
	case [2]int64{5, 2}, [2]int64{7, 2}, [2]int64{8, 4}:
		return &h.encoding
	case [2]int64{5, 3}:
		return &h.levels
	case [2]int64{8, 5}:
		return &h.definitions
	case [2]int64{8, 6}:
		return &h.repetitions
	}
	return nil
}

func (h *header) isData() bool { return h.kind == pageData || h.kind == pageData2 }

// begin goes to the column's values in a row group.
func (l *leaf) begin(c *chunk, rows int64) error {
	switch {
	case c.encrypted:
		return &RefusedError{l.column.name, "it is encrypted"}
	case c.elsewhere:
		return &RefusedError{l.column.name, "its values are in another file"}
	case c.physical != int64(l.column.physical):
		return errType
	case c.values != rows:
		return errRows
	}
	if l.rest, l.end = 0, 0; rows == 0 {
		return nil
	}
	start := c.data
	if c.dictionary > 0 {
		start = min(start, c.dictionary)
	}
	if start < int64(len(magic)) || start > l.file.end {
		return errLength
	}
	l.chunk, l.left, l.values, l.rest = *c, c.values, 0, l.file.end-start
	l.end = l.rest - max(0, min(c.size, l.rest))
	l.dictionary.count, l.dictionary.flawed = 0, false
	l.in.Reset(io.NewSectionReader(l.file.in, start, l.rest))
	return nil
}

// finish returns an error where there are more values than rows.
func (l *leaf) finish() error {
	for l.rest > l.end {
		h, err := l.readHeader()
		if err != nil {
			return err
		}
		if h.isData() && h.values > 0 {
			return errRows
		}
		if err := l.discard(h.packed); err != nil {
			return err
		}
	}
	return nil
}

func (l *leaf) discard(n int64) error {
	_, err := l.in.Discard(int(n))
	l.rest -= n
	return err
}

// cell returns the text of the next value, nil for null, valid until the next call.
func (l *leaf) cell() ([]byte, error) {
	for l.values == 0 {
		if err := l.nextPage(); err != nil {
			return nil, err
		}
	}
	l.values--
	if l.column.optional {
		switch level, err := l.levels.number(); {
		case err != nil:
			return nil, err
		case level > 1:
			return nil, errLength
		case level == 0:
			return nil, nil
		}
	}
	v, err := l.decoder.next()
	if err != nil {
		return nil, err
	}
	if l.column.isBytes && (!l.byCode || l.dictionary.flawed) {
		if err := l.column.flaw(v); err != nil {
			return nil, err
		}
	}
	switch l.text = l.column.format(l.text[:0], v); {
	case l.text != nil:
		return l.text, nil
	case l.column.physical == typeInt96: // Spark writes some that overflow
		return nil, &RefusedError{l.column.name, "an INT96 is no moment, with nanoseconds of one day; write it as TIMESTAMP"}
	}
	return nil, errValue
}

// nextPage reads pages up to one with values.
func (l *leaf) nextPage() error {
	if l.left == 0 {
		return errShort
	}
	h, err := l.readHeader()
	switch {
	case err != nil:
		return err
	case h.kind == pageDictionary:
		return l.readDictionary(&h)
	case !h.isData():
		return l.discard(h.packed)
	case h.values > l.left:
		return errRows
	}
	if l.page, err = l.read(l.page, &h); err != nil {
		return err
	}
	data := l.page
	l.levels = hybrid{width: 1}
	switch {
	case h.kind == pageData2:
		l.levels.data, data = data[h.repetitions:h.repetitions+h.definitions], data[h.repetitions+h.definitions:]
	case l.column.optional && h.levels == encodingRLE:
		if l.levels.data, data, err = cutLevels(data); err != nil {
			return err
		}
	case l.column.optional && h.levels == encodingBitPacked:
		n := (h.values + 7) / 8
		if n > int64(len(data)) {
			return errShort
		}
		l.levels, data = packedLevels(data[:n]), data[n:]
	case l.column.optional:
		return errType
	}
	l.left -= h.values
	l.values = h.values
	l.byCode = h.encoding == encodingDictionary || h.encoding == encodingPlainDictionary
	l.decoder, err = l.decoderOf(h.encoding, data)
	return err
}

// read returns what a page holds, in the memory of dst where that suffices.
func (l *leaf) read(dst []byte, h *header) (_ []byte, err error) {
	f := l.file
	if f.packed, err = f.room(f.packed[:0], int(h.packed)); err != nil {
		return nil, err
	}
	packed := f.packed[:h.packed]
	l.rest -= h.packed
	if _, err := io.ReadFull(l.in, packed); err != nil {
		return nil, err
	}
	if h.hasCRC && crc32.ChecksumIEEE(packed) != uint32(h.crc) {
		return nil, errChecksum
	}
	levels := h.repetitions + h.definitions
	if h.repetitions < 0 || h.definitions < 0 || levels > min(h.size, h.packed) {
		return nil, errLength
	}
	if dst, err = f.room(dst[:0], int(levels)); err != nil {
		return nil, err
	}
	codec := l.chunk.codec
	if h.loose {
		codec = codecNone
	}
	out, err := f.inflate(append(dst, packed[:levels]...), codec, packed[levels:], int(h.size-levels))
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		refused.Column = l.column.name
	}
	return out, err
}

func (l *leaf) readDictionary(h *header) (err error) {
	d := &l.dictionary
	if l.left < l.chunk.values || d.count > 0 || h.encoding != encodingPlain && h.encoding != encodingPlainDictionary {
		return errDictionary
	}
	if d.data, err = l.read(d.data, h); err != nil {
		return err
	}
	d.width = l.column.width
	if least := cmp.Or(d.width, 4); h.values < 0 || h.values > int64(len(d.data)/least) || l.column.physical == typeBoolean {
		return errLength
	}
	d.count, d.ends = int(h.values), d.ends[:0]
	if d.width > 0 {
		return nil
	}
	if more := d.count - cap(d.ends); more > 0 {
		if err := l.file.hold(4 * int64(more)); err != nil {
			return err
		}
		d.ends = make([]uint32, 0, d.count)
	}
	rest := lengthened{d.data}
	for range d.count {
		v, err := rest.next()
		if err != nil {
			return err
		}
		d.ends = append(d.ends, uint32(len(d.data)-len(rest.data)))
		d.flawed = d.flawed || l.column.isBytes && l.column.flaw(v) != nil
	}
	return nil
}
