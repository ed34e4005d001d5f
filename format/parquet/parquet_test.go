package parquet_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	writer "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
	"go.uber.org/goleak"

	"resolwe/format/parquet"
	"resolwe/internal/test/check"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// null stands for an empty cell.
const null = "(null)"

// read returns the cells of a column and the error that ends them, nil at the end.
func read(b []byte, column int) (cells []string, err error) {
	f, err := parquet.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if t := f.Unread(column); t != "" {
		return nil, &parquet.RefusedError{Column: f.Names()[column], What: t}
	}
	if err := f.Want(column); err != nil {
		return nil, err
	}
	for {
		row, err := f.Next()
		if errors.Is(err, io.EOF) {
			return cells, nil
		}
		if err != nil {
			return cells, err
		}
		if row[column] == nil {
			cells = append(cells, null)
		} else {
			cells = append(cells, string(row[column]))
		}
	}
}

// TestRead_Written reads what another implementation writes: codecs, encodings, versions of pages, types, sizes, with nulls and without.
func TestRead_Written(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	codecs := []compress.Codec{&writer.Uncompressed, &writer.Snappy, &writer.Gzip, &writer.Brotli, &writer.Zstd, &writer.Lz4Raw}
	plain, dict, delta := encoding.Encoding(&writer.Plain), encoding.Encoding(&writer.RLEDictionary), encoding.Encoding(&writer.DeltaBinaryPacked)
	split := encoding.Encoding(&writer.ByteStreamSplit)
	type value struct {
		value writer.Value
		text  string
	}
	word := func() string { return strings.Repeat("ab", rng.IntN(4)) + strconv.Itoa(rng.IntN(50)) }
	types := []struct {
		name      string
		node      writer.Node
		encodings []encoding.Encoding
		draw      func() value
	}{
		{"truth", writer.Leaf(writer.BooleanType), []encoding.Encoding{plain, &writer.RLE}, func() value {
			v := rng.IntN(3) > 0
			return value{writer.BooleanValue(v), strconv.FormatBool(v)}
		}},
		{"int32", writer.Int(32), []encoding.Encoding{plain, dict, delta, split}, func() value {
			v := int32(rng.Uint32()) >> rng.IntN(32)
			return value{writer.Int32Value(v), strconv.Itoa(int(v))}
		}},
		{"int64", writer.Int(64), []encoding.Encoding{plain, dict, delta, split}, func() value {
			v := int64(rng.Uint64()) >> rng.IntN(64)
			return value{writer.Int64Value(v), strconv.FormatInt(v, 10)}
		}},
		{"uint32", writer.Uint(32), []encoding.Encoding{plain, dict, delta}, func() value {
			v := rng.Uint32()
			return value{writer.Int32Value(int32(v)), strconv.FormatUint(uint64(v), 10)}
		}},
		{"float", writer.Leaf(writer.FloatType), []encoding.Encoding{plain, dict, split}, func() value {
			v := float32(rng.IntN(1000)) / 8
			return value{writer.FloatValue(v), strconv.FormatFloat(float64(v), 'f', -1, 32)}
		}},
		{"double", writer.Leaf(writer.DoubleType), []encoding.Encoding{plain, dict, split}, func() value {
			v := rng.Float64()
			return value{writer.DoubleValue(v), strconv.FormatFloat(v, 'f', -1, 64)}
		}},
		{"text", writer.String(), []encoding.Encoding{plain, dict, &writer.DeltaLengthByteArray, &writer.DeltaByteArray}, func() value {
			v := word()
			return value{writer.ByteArrayValue([]byte(v)), v}
		}},
		{"uuid", writer.UUID(), []encoding.Encoding{plain, dict, &writer.DeltaByteArray, split}, func() value {
			v := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(rng.IntN(3))), rng.Uint64())
			return value{writer.FixedLenByteArrayValue(v), fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:])}
		}},
	}
	for _, typ := range types {
		for _, enc := range typ.encodings {
			for version := 1; version <= 2; version++ {
				for _, isOptional := range []bool{false, true} {
					codec := codecs[rng.IntN(len(codecs))]
					name := fmt.Sprintf("seed %d: %s, %v, version %d, optional %v, %v", seed, typ.name, enc, version, isOptional, codec)
					node := writer.Encoded(typ.node, enc)
					if isOptional {
						node = writer.Optional(node)
					}
					rows, want := []writer.Row{}, []string{}
					for range []int{1, 7, 130, 3000}[rng.IntN(4)] {
						v, level := typ.draw(), 0
						if isOptional {
							level = rng.IntN(2)
						}
						if isOptional && level == 0 {
							rows, want = append(rows, writer.Row{writer.NullValue().Level(0, 0, 0)}), append(want, null)
							continue
						}
						rows, want = append(rows, writer.Row{v.value.Level(0, level, 0)}), append(want, v.text)
					}
					var b bytes.Buffer
					w := writer.NewWriter(&b, writer.NewSchema("t", writer.Group{"x": node}), writer.DataPageVersion(version), writer.Compression(codec), writer.PageBufferSize(1000))
					check.OK(t, check.Err(w.WriteRows(rows)))
					check.OK(t, w.Close())
					got, err := read(b.Bytes(), 0)
					check.OKf(t, err, "%s", name)
					check.MustEqual(t, name, got, want)
				}
			}
		}
	}
}

// TestRead_Codecs reads hand-made pages of all codecs, of both versions, with levels and without.
func TestRead_Codecs(t *testing.T) {
	t.Parallel()
	texts := []string{}
	for i := range 300 {
		texts = append(texts, strconv.Itoa(i*i%17)+strings.Repeat("z", i%40))
	}
	for _, codec := range []int32{none, snap, gz, brot, hadoop, oldLZ4, zst, lz4raw} {
		for _, kind := range []int32{0, 3} {
			for _, isOptional := range []bool{false, true} {
				n, want := int32(len(texts)), texts
				p := page{kind: kind, n: n, body: lengthed(texts...), crc: true}
				if isOptional { // a null first, another last
					p.n += 2
					p.levels = append(append(rle(1, 0), rle(uint64(n), 1)...), rle(1, 0)...)
					want = append(append([]string{null}, texts...), null)
				}
				f := forged{physical: 6, codec: codec, optional: isOptional, rows: 2 * int64(p.n), pages: []page{p, {kind: 9, body: []byte("unknown")}, p}}
				got, err := read(f.bytes(), 0)
				check.OKf(t, err, "codec %d, kind %d", codec, kind)
				check.MustEqual(t, fmt.Sprintf("codec %d, kind %d, optional %v", codec, kind, isOptional), got, slices.Concat(want, want))
			}
		}
	}
}

// TestRead_Forms reads forms of pages that few writers make.
func TestRead_Forms(t *testing.T) {
	t.Parallel()
	dictionary := page{kind: 2, n: 3, body: lengthed("a", "bb", "")}
	codes := page{n: 5, encoding: 8, body: []byte{2, 4, 1, 3, 0b01_00_10, 0}} // a run of 2 of 1, and a group of 2, 0, 1
	words := []string{"bb", "bb", "", "a", "bb"}
	tests := []struct {
		name string
		file forged
		want []string
	}{
		{"dictionary", forged{physical: 6, rows: 5, pages: []page{dictionary, codes}}, words},
		{"dictionary that the footer does not know", forged{physical: 6, rows: 5, dictionaryAtZero: true, pages: []page{dictionary, codes}}, words},
		{"old name of the dictionary's encoding", forged{physical: 6, rows: 5, pages: []page{
			{kind: 2, n: 3, encoding: 2, body: dictionary.body}, {n: 5, encoding: 2, body: codes.body},
		}}, words},
		{"dictionary of one", forged{physical: 6, rows: 3, pages: []page{{kind: 2, n: 1, body: lengthed("a")}, {n: 3, encoding: 8, body: []byte{0}}}}, []string{"a", "a", "a"}},
		{"dictionary of small values", forged{physical: 7, width: 2, schema: thrift{}.with(10, thrift{}.with(15, thrift{})), rows: 2, pages: []page{
			{kind: 2, n: 2, body: []byte{0, 0x3c, 0, 0xc0}}, {n: 2, encoding: 8, body: []byte{1, 3, 1}},
		}}, []string{"-2", "1"}},
		{"only nulls", forged{physical: 6, optional: true, rows: 3, pages: []page{{kind: 2, n: 0}, {n: 3, encoding: 8, levels: rle(3, 0)}}}, []string{null, null, null}},
		{"no rows", forged{physical: 6}, nil},
		{"empty pages", forged{physical: 1, rows: 1, pages: []page{{kind: 3}, {kind: 3, n: 1, body: []byte{7, 0, 0, 0}}, {}}}, []string{"7"}},
		{"empty packed page", forged{physical: 1, codec: zst, optional: true, rows: 2, pages: []page{{kind: 3, n: 2, levels: rle(2, 0)}}}, []string{null, null}},
		{"loose page", forged{physical: 1, codec: snap, rows: 1, pages: []page{{kind: 3, n: 1, body: []byte{7, 0, 0, 0}, loose: true}}}, []string{"7"}},
		{"old levels", forged{physical: 1, optional: true, rows: 10, pages: []page{{
			n: 10, levels: []byte{0b01000000, 0b01000000}, packedLevels: true, body: []byte{7, 0, 0, 0, 8, 0, 0, 0},
		}}}, []string{null, "7", null, null, null, null, null, null, null, "8"}},
		{"run of truths", forged{physical: 0, rows: 5, pages: []page{{n: 5, encoding: 3, body: append([]byte{4, 0, 0, 0}, append(rle(3, 1), rle(2, 0)...)...)}}}, []string{
			"true", "true", "true", "false", "false",
		}},
		{"differences that wrap", forged{physical: 1, rows: 2, pages: []page{{
			n: 2, encoding: 5, body: append(append(binary.AppendVarint([]byte{8, 1, 2}, math.MaxInt32), binary.AppendVarint(nil, 1)...), 0),
		}}}, []string{"2147483647", "-2147483648"}},
		{"differences of 64 bits", forged{physical: 2, rows: 3, pages: []page{{
			n: 3, encoding: 5, body: append([]byte{8, 1, 3, 0, 0, 64}, append(bytes.Repeat([]byte{0xff}, 8), 5, 0, 0, 0, 0, 0, 0, 0)...),
		}}}, []string{"0", "-1", "4"}},
	}
	for _, tt := range tests {
		got, err := read(tt.file.bytes(), 0)
		check.OKf(t, err, "%s", tt.name)
		check.Equal(t, tt.name, got, tt.want)
	}
}

// TestRead_Types reads values of all types, whose texts are those of the specification's examples or computed by hand.
func TestRead_Types(t *testing.T) {
	t.Parallel()
	logical := func(id int64, fields thrift) thrift { return thrift{}.with(10, thrift{}.with(id, fields)) }
	converted := func(n int32) thrift { return thrift{}.with(6, n) }
	decimal := func(precision, scale int32) thrift { return logical(5, thrift{}.with(1, scale).with(2, precision)) }
	timed := func(id, unit int64) thrift {
		return logical(id, thrift{}.with(1, true).with(2, thrift{}.with(unit, thrift{})))
	}
	whole := func(bits int8, signed bool) thrift { return logical(10, thrift{}.with(1, bits).with(2, signed)) }
	i32 := func(v int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }
	i64 := func(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }
	at := time.Date(1969, 12, 31, 23, 59, 59, 5e8, time.UTC)
	tests := []struct {
		physical, width int32
		schema          thrift
		value           []byte
		want            string // "" for what is refused
	}{
		{1, 0, nil, i32(-5), "-5"},
		{1, 0, whole(8, true), i32(-5), "-5"},
		{1, 0, whole(32, false), i32(-5), "4294967291"},
		{1, 0, converted(13), i32(-5), "4294967291"},
		{2, 0, whole(64, false), i64(-1), "18446744073709551615"},
		{2, 0, converted(14), i64(-1), "18446744073709551615"},
		{2, 0, converted(18), i64(-1), "-1"},
		{3, 0, nil, append(i64(3723_500_000_000), i32(2440588+1)...), "1970-01-02T01:02:03.5Z"},
		{3, 0, nil, append(i64(-1), i32(2440588)...), ""},
		{3, 0, nil, append(i64(0), i32(-1)...), ""},
		{4, 0, nil, i32(int32(math.Float32bits(0.1))), "0.1"},
		{5, 0, nil, i64(int64(math.Float64bits(1e21))), "1000000000000000000000"},
		{1, 0, decimal(4, 2), i32(-5), "-0.05"},
		{1, 0, decimal(4, 0), i32(-5), "-5"},
		{2, 0, decimal(18, 18), i64(math.MinInt64), "-9.223372036854775808"},
		{1, 0, thrift{}.with(6, int32(5)).with(7, int32(2)).with(8, int32(9)), i32(12345), "123.45"},
		{7, 11, decimal(25, 2), []byte{0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "-12089258196146291747061.76"},
		{7, 16, decimal(38, 38), append([]byte{0x4b, 0x3b, 0x4c, 0xa8, 0x5a, 0x86, 0xc4, 0x7a, 0x09, 0x8a, 0x22, 0x3f, 0xff, 0xff, 0xff, 0xff}, nil...), "0." + strings.Repeat("9", 38)},
		{6, 0, decimal(4, 2), []byte("\x03\x00\x00\x00\xff\xff\x00"), "-2.56"},
		{6, 0, decimal(100, 2), lengthed("a"), ""},
		{1, 0, decimal(2, 3), i32(1), ""},
		{5, 0, decimal(2, 1), i64(1), ""},
		{1, 0, logical(6, nil), i32(-1), "1969-12-31"},
		{1, 0, converted(6), i32(19782), "2024-02-29"},
		{2, 0, logical(6, nil), i64(1), ""},
		{1, 0, timed(7, 1), i32(86399999), "23:59:59.999"},
		{2, 0, timed(7, 2), i64(1), "00:00:00.000001"},
		{2, 0, timed(7, 3), i64(45296120000000), "12:34:56.12"},
		{2, 0, timed(7, 3), i64(86400e9), "24:00:00"},
		{1, 0, converted(7), i32(1000), "00:00:01"},
		{2, 0, converted(8), i64(-1), "-00:00:00.000001"},
		{1, 0, timed(7, 3), i32(1), ""},
		{2, 0, timed(8, 1), i64(at.UnixMilli()), "1969-12-31T23:59:59.5Z"},
		{2, 0, timed(8, 2), i64(at.UnixMicro() + 499_999), "1969-12-31T23:59:59.999999Z"},
		{2, 0, timed(8, 3), i64(at.UnixNano() + 5e8), "1970-01-01T00:00:00Z"},
		{2, 0, converted(9), i64(1001), "1970-01-01T00:00:01.001Z"},
		{2, 0, converted(10), i64(1001), "1970-01-01T00:00:00.001001Z"},
		{2, 0, timed(8, 9), i64(1), ""},
		{1, 0, timed(8, 1), i32(1), ""},
		{6, 0, logical(1, nil), lengthed("é"), "é"},
		{6, 0, converted(0), lengthed("é"), "é"},
		{6, 0, logical(4, nil), lengthed("E"), "E"},
		{6, 0, logical(12, nil), lengthed(`{"a": 1}`), `{"a": 1}`},
		{6, 0, nil, lengthed("bytes"), "bytes"},
		{6, 0, nil, lengthed("\xff"), ""},
		{6, 0, logical(1, nil), lengthed("a\x00"), ""},
		{6, 0, logical(13, nil), lengthed("a"), ""},
		{6, 0, converted(20), lengthed("a"), ""},
		{7, 12, converted(21), make([]byte, 12), ""},
		{7, 3, nil, []byte("abc"), ""},
		{6, 0, logical(16, nil), lengthed("a"), ""},
		{6, 0, logical(99, nil), lengthed("later"), "later"},
		{1, 0, logical(14, nil), i32(1), ""},
		{7, 16, logical(14, nil), []byte("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"), "00112233-4455-6677-8899-aabbccddeeff"},
		{7, 2, logical(15, nil), []byte{0x66, 0x2e}, "0.0999755859375"},
		{7, 2, logical(15, nil), []byte{0x01, 0x80}, "-0.00000005960464477539063"},
		{7, 2, logical(15, nil), []byte{0x00, 0xfc}, "-Inf"},
		{7, 2, logical(15, nil), []byte{0x01, 0x7c}, "NaN"},
		{7, 4, logical(15, nil), make([]byte, 4), ""},
	}
	for i, tt := range tests {
		f := forged{physical: tt.physical, width: tt.width, schema: tt.schema, rows: 1, pages: []page{{n: 1, body: tt.value}}}
		got, err := read(f.bytes(), 0)
		name := fmt.Sprintf("%d: physical type %d, %v", i, tt.physical, tt.schema)
		if tt.want == "" {
			check.ErrorAs[*parquet.RefusedError](t, err, "%s", name)
			continue
		}
		check.OKf(t, err, "%s", name)
		check.Equal(t, name, got, []string{tt.want})
	}
	f := forged{physical: 1, schema: logical(11, nil), optional: true, rows: 2, pages: []page{{n: 2, levels: rle(2, 0)}}}
	got, err := read(f.bytes(), 0)
	check.OK(t, err)
	check.Equal(t, "a column of the type NULL", got, []string{null, null})
}
