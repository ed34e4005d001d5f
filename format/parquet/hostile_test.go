package parquet_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"resolwe/format/parquet"
	"resolwe/internal/machine"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// delta begins numbers as differences: the sizes of a block and of its parts, how many there are, and the first.
func delta(block, parts, n, first uint64) []byte {
	b := binary.AppendUvarint(nil, block)
	b = binary.AppendUvarint(binary.AppendUvarint(b, parts), n)
	return binary.AppendVarint(b, int64(first))
}

// fate is what becomes of a file.
type fate string

const (
	damaged fate = "damaged"
	refused fate = "refused"
	large   fate = "needs more memory"
	sound   fate = "sound"
)

func fateOf(err error) fate {
	switch {
	case err == nil:
		return sound
	case errors.As(err, new(*parquet.RefusedError)):
		return refused
	case errors.As(err, new(*machine.MemoryError)):
		return large
	}
	return damaged
}

// free is how many bytes a file may stand for here before its size counts.
const free = 64 << 20

// drain reads the columns of a file to their end.
func drain(b []byte) (rows int, err error) {
	f, err := parquet.OpenWithin(bytes.NewReader(b), int64(len(b)), free)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for i := range f.Names() {
		if t := f.Unread(i); t != "" {
			return 0, &parquet.RefusedError{What: t}
		}
		if err := f.Want(i); err != nil {
			return 0, err
		}
	}
	for err == nil {
		_, err = f.Next()
	}
	if rows = f.Row(); errors.Is(err, io.EOF) {
		return rows, nil
	}
	return rows, err
}

// TestRead_Hostile reads files whose lengths, counts and depths are lies, or stand for more than memory and time allow: each ends in one way, within
// the limit of memory.
func TestRead_Hostile(t *testing.T) {
	const limit = 64 << 20
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	const most = math.MaxInt32
	text := func(p ...page) []byte { return forged{physical: 6, rows: most, pages: p}.bytes() }
	claims := func(codec int32, body []byte) []byte {
		return forged{physical: 6, codec: codec, rows: 10, pages: []page{{n: 10, body: body, size: most}}}.bytes()
	}
	one := page{n: 1, body: lengthed("a")}
	group := thrift{}.with(3, int32(0)).with(4, "g").with(5, int32(1))
	deep := append([]thrift{}, group)
	for range 100_000 {
		deep = append(deep, group)
	}
	deep = append(deep, thrift{}.with(1, int32(1)).with(4, "x"))
	loop := thrift{}
	for range 100 {
		loop = thrift{}.with(20, loop)
	}
	prefixes := append(delta(128, 1, 1<<17, 0), bytes.Repeat([]byte{2, 0}, 1<<10)...) // each is longer by one than the last
	prefixes = append(prefixes, delta(1<<17, 1, 1<<17, 1)...)
	prefixes = append(append(prefixes, 0, 0), strings.Repeat("y", 1<<17)...)
	spaces := strings.Repeat(" ", 1<<26)
	name := lengthed(strings.Repeat("N", 1<<20))
	tests := []struct {
		name string
		file []byte
		want fate
	}{
		{"a run of 2^31 numbers", forged{physical: 2, rows: most, pages: []page{{n: most, encoding: 5, body: append(delta(128, 4, most, 7), make([]byte, 40)...)}}}.bytes(), damaged},
		{"a run of 2^31 codes", text(page{kind: 2, n: 1, body: lengthed("a")}, page{n: most, encoding: 8, body: append([]byte{1}, rle(most, 0)...)}), refused},
		{"a run of 2^31 nulls", forged{physical: 6, optional: true, rows: most, pages: []page{{n: most, levels: rle(most, 0)}}}.bytes(), refused},
		{"2^31 codes of one value", text(page{kind: 2, n: 1, body: lengthed("a")}, page{n: most, encoding: 8, body: []byte{0}}), refused},
		{"a block of 2^31 differences", forged{physical: 2, rows: most, pages: []page{{n: most, encoding: 5, body: append(delta(1<<31, 1, most, 7), 0, 64)}}}.bytes(), damaged},
		{"2^28 parts", forged{physical: 2, rows: most, pages: []page{{n: most, encoding: 5, body: delta(1<<31, 1<<28, most, 7)}}}.bytes(), damaged},
		{"2^31 lengths", text(page{n: most, encoding: 6, body: append(delta(1<<31, 1, most, 0), 0, 0)}), refused},
		{"a dictionary of 2^31 values", text(page{kind: 2, n: most, body: lengthed("a")}, one), damaged},
		{"a name of 1 MiB 10^6 times", forged{physical: 6, codec: zst, rows: 1e6, pages: []page{{kind: 2, n: 1, body: name}, {n: 1e6, encoding: 8, body: append([]byte{1}, rle(1e6, 0)...)}}}.bytes(), refused},
		{"a name of 2 GiB", text(page{n: 1, body: []byte("\xff\xff\xff\x7fa")}), damaged},
		{"prefixes that grow", forged{physical: 6, rows: 1 << 17, pages: []page{{n: 1 << 17, encoding: 7, body: prefixes}}}.bytes(), refused},
		{"an LZ4 page of 2 GiB", claims(lz4raw, []byte("a")), damaged},
		{"an LZ4 page of 2 GiB in frames", claims(hadoop, []byte("abc")), damaged},
		{"a Snappy page of 2 GiB", claims(snap, []byte("a")), damaged},
		{"a Gzip page of 2 GiB", claims(gz, []byte("a")), damaged},
		{"a Brotli page of 2 GiB", claims(brot, []byte("a")), damaged},
		{"a Zstandard page of 2 GiB", claims(zst, []byte("a")), damaged},
		{"a page of 2 GiB", claims(none, []byte("a")), damaged},
		{"a Zstandard page of 64 MiB", forged{physical: 6, codec: zst, rows: 1, pages: []page{{n: 1, body: lengthed(spaces)}}}.bytes(), large},
		{"a Brotli page of 64 MiB", forged{physical: 6, codec: brot, rows: 1, pages: []page{{n: 1, body: lengthed(spaces)}}}.bytes(), large},
		{"a page beyond the file", forged{physical: 6, rows: 1, pages: []page{{n: 1, body: lengthed("a"), packed: most}}}.bytes(), damaged},
		{"a page below 0", forged{physical: 6, rows: 1, pages: []page{{n: 1, body: lengthed("a"), packed: -1}}}.bytes(), damaged},
		{"levels beyond the page", forged{physical: 6, optional: true, rows: 1, pages: []page{{kind: 3, n: 1, levels: rle(1, 1), body: lengthed("a"), definitionsClaim: 99}}}.bytes(), damaged},
		{"levels below 0", forged{physical: 6, rows: 1, pages: []page{{kind: 3, n: 1, body: lengthed("a"), definitionsClaim: -99}}}.bytes(), damaged},
		{"a level of 2", forged{physical: 6, optional: true, rows: 1, pages: []page{{n: 1, levels: rle(1, 2), body: lengthed("a")}}}.bytes(), damaged},
		{"a code beyond the dictionary", forged{physical: 6, rows: 1, pages: []page{{kind: 2, n: 1, body: lengthed("a")}, {n: 1, encoding: 8, body: append([]byte{1}, rle(1, 1)...)}}}.bytes(), damaged},
		{"codes of 99 bits", forged{physical: 6, rows: 1, pages: []page{{kind: 2, n: 1, body: lengthed("a")}, {n: 1, encoding: 8, body: append([]byte{99}, rle(1, 1)...)}}}.bytes(), damaged},
		{"codes without a run", forged{physical: 6, rows: 1, pages: []page{{kind: 2, n: 1, body: lengthed("a")}, {n: 1, encoding: 8}}}.bytes(), damaged},
		{"codes without a dictionary", forged{physical: 6, rows: 1, pages: []page{{n: 1, encoding: 8, body: []byte{0}}}}.bytes(), damaged},
		{"two dictionaries", forged{physical: 6, rows: 1, pages: []page{{kind: 2, n: 1, body: lengthed("a")}, {kind: 2, n: 1, body: lengthed("a")}, one}}.bytes(), damaged},
		{"too few values", forged{physical: 6, rows: 2, pages: []page{one}}.bytes(), damaged},
		{"too many values", forged{physical: 6, rows: 1, pages: []page{one, one}}.bytes(), damaged},
		{"a page of too many values", forged{physical: 6, rows: 1, pages: []page{{n: 2, body: lengthed("a", "b")}}}.bytes(), damaged},
		{"a wrong checksum", forged{physical: 6, rows: 1, pages: []page{{n: 1, body: lengthed("a"), crc: true, crcOff: 1}}}.bytes(), damaged},
		{"differences of texts", forged{physical: 6, rows: 1, pages: []page{{n: 1, encoding: 5, body: delta(128, 4, 1, 7)}}}.bytes(), damaged},
		{"an encoding of later times", forged{physical: 6, rows: 1, pages: []page{{n: 1, encoding: 77}}}.bytes(), refused},
		{"LZO", forged{physical: 6, codec: lzo, rows: 1, pages: []page{one}}.bytes(), refused},
		{"a codec of later times", forged{physical: 6, codec: 77, rows: 1, pages: []page{one}}.bytes(), refused},
		{"values in another file", forged{physical: 6, rows: 1, pages: []page{one}, chunk: thrift{}.with(1, "elsewhere")}.bytes(), refused},
		{"an encrypted column", forged{physical: 6, rows: 1, pages: []page{one}, chunk: thrift{}.with(8, thrift{})}.bytes(), refused},
		{"an encrypted footer", append(one.bytes(0), "....PARE"...), refused},
		{"fields without a width", forged{physical: 7, rows: 1, pages: []page{one}}.bytes(), damaged},
		{"no type", forged{physical: -7, rows: 1, pages: []page{one}}.bytes(), damaged},
		{"100,000 nested groups", sealed([]byte("PAR1"), thrift{}.with(2, deep).with(3, int64(0)).with(4, []thrift{})), damaged},
		{"2^62 rows of no columns", sealed([]byte("PAR1"), thrift{}.with(2, []thrift{thrift{}.with(4, "r")}).with(3, int64(1<<62)).with(4, []thrift{thrift{}.with(3, int64(1<<62))})), refused},
		{"a dictionary of texts that are none", text(page{kind: 2, n: 1 << 20, body: bytes.Repeat(lengthed("\xff"), 1<<20)}, page{n: 1, encoding: 8, body: append([]byte{20, 2}, 0, 0, 0)}), refused},
		{"2^20 row groups without rows", sealed([]byte("PAR1"), thrift{}.with(4, make([]thrift, 1<<20)).with(3, int64(0))), damaged},
		{"100 nested structures", sealed([]byte("PAR1"), loop), damaged},
		{"2^31 children", sealed([]byte("PAR1"), thrift{}.with(2, []thrift{thrift{}.with(4, "r").with(5, int32(most))}).with(3, int64(0))), damaged},
	}
	for _, tt := range tests {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := drain(tt.file)
		runtime.ReadMemStats(&after)
		check.Is(t, fateOf(err), tt.want, "%s: %v", tt.name, err)
		check.AtMost(t, after.TotalAlloc-before.TotalAlloc, 2*limit, "%s: bytes allocated", tt.name)
	}
}

// TestRead_Damaged changes bytes of sound files of all forms: nothing panics, and no row is lost or added in silence.
func TestRead_Damaged(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, file := range seeds() {
		want, err := drain(file)
		check.OK(t, err)
		for range 300 {
			bad := bytes.Clone(file)
			bad[4+rng.IntN(len(bad)-4)] ^= 1 << rng.IntN(8)
			if got, err := drain(bad); err == nil && got != want {
				t.Errorf("seed %d: %d rows of %d without an error: %q", seed, got, want, bad)
			}
		}
	}
}

// seeds are small files of all encodings and codecs.
func seeds() (files [][]byte) {
	i32 := []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}
	words := lengthed("a", "ab", "")
	deltas := append(delta(8, 1, 3, 1), 2, 1, 0b101)
	for _, f := range []forged{
		{physical: 1, codec: snap, pages: []page{{n: 3, body: i32, crc: true}}},
		{physical: 1, codec: lz4raw, pages: []page{{kind: 3, n: 3, encoding: 9, body: i32}}},
		{physical: 2, codec: hadoop, pages: []page{{n: 3, encoding: 5, body: deltas}}},
		{physical: 6, codec: gz, optional: true, pages: []page{{kind: 3, n: 3, levels: append(rle(1, 1), rle(2, 0)...), body: lengthed("a")}}},
		{physical: 6, codec: brot, pages: []page{{kind: 2, n: 3, body: words}, {n: 3, encoding: 8, body: []byte{2, 3, 0b01_00_10}}}},
		{physical: 6, pages: []page{{n: 3, encoding: 6, body: append(bytes.Clone(deltas), "abcdefgh"...)}}},
		{physical: 6, codec: zst, pages: []page{{n: 3, encoding: 7, body: append(append(delta(8, 1, 3, 0), 0, 0), append(bytes.Clone(deltas), "abcdefgh"...)...)}}},
		{physical: 0, pages: []page{{n: 3, encoding: 3, body: append([]byte{2, 0, 0, 0}, rle(3, 1)...)}}},
	} {
		f.rows = 3
		files = append(files, f.bytes())
	}
	return files
}

// FuzzRead reads any bytes.
func FuzzRead(f *testing.F) {
	for _, file := range seeds() {
		f.Add(file)
	}
	f.Add(append(archivetest.Gzip("no"), "....PAR1"...))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := parquet.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		defer file.Close()
		for i := range file.Names() {
			if file.Unread(i) == "" {
				check.OK(t, file.Want(i))
			}
		}
		for err == nil && file.Row() < 10_000 {
			_, err = file.Next()
		}
	})
}
