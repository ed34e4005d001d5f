package parquet_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/pierrec/lz4/v4"

	"resolwe/internal/test/archivetest"
)

// Files are written here byte by byte, from the specification alone.

// thrift is a structure of Thrift's compact protocol, of int32, int64, bool, string, thrift and lists of them, by field.
type thrift []struct {
	id    int64
	value any
}

// with appends a field.
func (t thrift) with(id int64, value any) thrift {
	return append(slices.Clip(t), struct {
		id    int64
		value any
	}{id, value})
}

func (t thrift) bytes() (b []byte) {
	for _, f := range t {
		kind, body := encoded(f.value)
		b = binary.AppendVarint(append(b, kind), f.id)
		b = append(b, body...)
	}
	return append(b, 0)
}

func encoded(value any) (kind byte, b []byte) {
	switch v := value.(type) {
	case bool:
		if v {
			return 1, nil
		}
		return 2, nil
	case int8:
		return 3, []byte{byte(v)}
	case int32:
		return 5, binary.AppendVarint(nil, int64(v))
	case int64:
		return 6, binary.AppendVarint(nil, v)
	case string:
		return 8, append(binary.AppendUvarint(nil, uint64(len(v))), v...)
	case thrift:
		return 12, v.bytes()
	case []thrift:
		b = binary.AppendUvarint([]byte{0xf0 | 12}, uint64(len(v)))
		for _, t := range v {
			b = append(b, t.bytes()...)
		}
		return 9, b
	}
	panic("no such value")
}

// Codecs, as in the specification.
const (
	none = iota
	snap
	gz
	lzo
	brot
	hadoop
	zst
	lz4raw
	oldLZ4 = -hadoop // codec 5 without frames
)

func pack(codec int32, b []byte) []byte {
	switch codec {
	case snap:
		return snappy.Encode(nil, b)
	case gz: // of two members
		return append(archivetest.Gzip(b[:len(b)/2]), archivetest.Gzip(b[len(b)/2:])...)
	case brot:
		var out bytes.Buffer
		w := brotli.NewWriter(&out)
		_, _ = w.Write(b)
		_ = w.Close()
		return out.Bytes()
	case hadoop: // two frames, the second of two blocks
		cut := [...]int{0, len(b) / 3, len(b) / 2, len(b)}
		out := binary.BigEndian.AppendUint32(nil, uint32(cut[1]))
		for i := range 3 {
			if i == 1 {
				out = binary.BigEndian.AppendUint32(out, uint32(cut[3]-cut[1]))
			}
			if block := lz4Block(b[cut[i]:cut[i+1]]); cut[i] < cut[i+1] {
				out = append(binary.BigEndian.AppendUint32(out, uint32(len(block))), block...)
			}
		}
		return out
	case zst:
		return archivetest.Zstd(b)
	case lz4raw, oldLZ4:
		return lz4Block(b)
	}
	return b
}

// lz4Block is a block of literals alone where it does not shrink.
func lz4Block(b []byte) []byte {
	packed := make([]byte, lz4.CompressBlockBound(len(b)))
	if n, err := lz4.CompressBlock(b, packed, nil); err == nil && n > 0 {
		return packed[:n]
	}
	out := []byte{byte(min(len(b), 15) << 4)}
	if rest := len(b) - 15; rest >= 0 {
		out = append(out, bytes.Repeat([]byte{255}, rest/255)...)
		out = append(out, byte(rest%255))
	}
	return append(out, b...)
}

// page is a page. What it claims is true where it is 0.
type page struct {
	kind             int32 // 0 data, 2 dictionary, 3 data of version 2
	n, encoding      int32
	levels           []byte // RLE of definition levels, nil for a column that is required
	packedLevels     bool   // they are of the old kind
	body             []byte
	loose            bool // version 2 that is not packed
	size, packed     int32
	crc              bool
	crcOff           int32
	definitionsClaim int32
}

func (p page) bytes(codec int32) []byte {
	var levels, body []byte
	switch {
	case p.kind == 3:
		levels, body = p.levels, p.body
	case p.levels != nil && p.packedLevels:
		body = append(bytes.Clone(p.levels), p.body...)
	case p.levels != nil:
		body = append(binary.LittleEndian.AppendUint32(nil, uint32(len(p.levels))), p.levels...)
		body = append(body, p.body...)
	default:
		body = p.body
	}
	size := int32(len(levels) + len(body))
	if !p.loose {
		body = pack(codec, body)
	}
	data := append(bytes.Clone(levels), body...)
	packed := int32(len(data))
	if p.size != 0 {
		size = p.size
	}
	if p.packed != 0 {
		packed = p.packed
	}
	h := thrift{}.with(1, p.kind).with(2, size).with(3, packed)
	if p.crc {
		h = h.with(4, int32(crc32.ChecksumIEEE(data))+p.crcOff)
	}
	levelEncoding := int32(3)
	if p.packedLevels {
		levelEncoding = 4
	}
	switch p.kind {
	case 0:
		h = h.with(5, thrift{}.with(1, p.n).with(2, p.encoding).with(3, levelEncoding).with(4, int32(3)))
	case 2:
		h = h.with(7, thrift{}.with(1, p.n).with(2, p.encoding))
	case 3:
		definitions := int32(len(levels)) + p.definitionsClaim
		v2 := thrift{}.with(1, p.n).with(2, int32(0)).with(3, p.n).with(4, p.encoding).with(5, definitions).with(6, int32(0))
		h = h.with(8, v2.with(7, !p.loose))
	}
	return append(h.bytes(), data...)
}

// forged is a file of one column x and one row group.
type forged struct {
	physical, width, codec int32
	optional               bool
	schema                 thrift // further fields of the column in the schema
	rows                   int64
	pages                  []page
	dictionaryAtZero       bool // the footer does not say where the dictionary is
	chunk                  thrift
}

func (f forged) bytes() []byte {
	b := []byte("PAR1")
	data, dictionary := int64(0), int64(0)
	for _, p := range f.pages {
		switch {
		case p.kind == 2 && dictionary == 0:
			dictionary = int64(len(b))
		case p.kind != 2 && data == 0:
			data = int64(len(b))
		}
		b = append(b, p.bytes(f.codec)...)
	}
	repetition := int32(0)
	if f.optional {
		repetition = 1
	}
	element := thrift{}.with(1, f.physical).with(2, f.width).with(3, repetition).with(4, "x")
	schema := []thrift{thrift{}.with(4, "root").with(5, int32(1)), append(element, f.schema...)}
	codec := max(f.codec, -f.codec)
	if f.dictionaryAtZero {
		data, dictionary = dictionary, 0
	}
	meta := thrift{}.with(1, f.physical).with(4, codec).with(5, f.rows).with(7, int64(len(b)-4)).with(9, data)
	if dictionary > 0 {
		meta = meta.with(11, dictionary)
	}
	group := thrift{}.with(1, []thrift{append(thrift{}.with(2, int64(4)).with(3, meta), f.chunk...)}).with(3, f.rows)
	return sealed(b, thrift{}.with(1, int32(2)).with(2, schema).with(3, f.rows).with(4, []thrift{group}))
}

// sealed is a file with a footer.
func sealed(b []byte, footer thrift) []byte {
	f := footer.bytes()
	b = append(b, f...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(f))), "PAR1"...)
}

// rle is a run of a number of one byte.
func rle(n uint64, value byte) []byte { return append(binary.AppendUvarint(nil, n<<1), value) }

// lengthed are texts behind their lengths.
func lengthed(texts ...string) (b []byte) {
	for _, s := range texts {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return b
}
