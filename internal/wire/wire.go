package wire

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"strings"
)

// Writer appends encoded values.
type Writer struct{ b []byte }

// NewWriter returns a writer whose output begins with a magic number.
func NewWriter(magic string) *Writer { return &Writer{[]byte(magic)} }

// Uint appends a number.
func (w *Writer) Uint(v uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, v) }

// Int appends a number of at least 0.
func (w *Writer) Int(v int) { w.Uint(uint64(v)) }

// Float appends a floating-point number.
func (w *Writer) Float(v float64) { w.Uint(math.Float64bits(v)) }

// Bool appends a truth value, as 0 or 1.
func (w *Writer) Bool(v bool) {
	n := 0
	if v {
		n = 1
	}
	w.Int(n)
}

// String appends a string.
func (w *Writer) String(s string) {
	w.Int(len(s))
	w.b = append(w.b, s...)
}

// Floats appends a list.
func (w *Writer) Floats(list []float64) {
	w.Int(len(list))
	for _, v := range list {
		w.Float(v)
	}
}

// Sealed returns everything written, with a checksum.
func (w *Writer) Sealed() []byte { return Seal(w.b) }

// Seal appends the checksum of bytes.
func Seal(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, Checksum(b)) }

var table = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of p.
func Checksum(p []byte) uint32 { return crc32.Checksum(p, table) }

// checksumBytes is the length of the checksum.
const checksumBytes = 4

// Unsealed returns bytes without their checksum.
func Unsealed(data []byte) []byte { return data[:max(0, len(data)-checksumBytes)] }

// Reader reads the output of a [Writer]. After an error it reads zeros. It uses memory in proportion to the input.
type Reader struct {
	b   []byte
	bad bool
}

// NewReader returns a reader of sealed bytes. If they do not begin with the magic number, or the checksum does not match, the
// reader is bad.
func NewReader(data []byte, magic string) *Reader {
	b := Unsealed(data)
	bad := !strings.HasPrefix(string(b[:min(len(b), len(magic))]), magic) || len(data) < checksumBytes ||
		Checksum(b) != binary.LittleEndian.Uint32(data[len(b):])
	if bad {
		return &Reader{bad: true}
	}
	return &Reader{b: b[len(magic):]}
}

// Done reports whether everything has been read without an error.
func (r *Reader) Done() bool { return !r.bad && len(r.b) == 0 }

// Good reports whether there has been no error so far.
func (r *Reader) Good() bool { return !r.bad }

// Refuse makes the reader bad if something that it read is wrong.
func (r *Reader) Refuse(wrong bool) { r.bad = r.bad || wrong }

// Uint reads a number.
func (r *Reader) Uint() uint64 {
	if len(r.b) < 8 {
		r.bad, r.b = true, nil
		return 0
	}
	v := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return v
}

// Int reads a number from 0 to the largest int.
func (r *Reader) Int() int {
	v := r.Uint()
	if v > math.MaxInt {
		r.bad = true
		return 0
	}
	return int(v)
}

// Float reads a number.
func (r *Reader) Float() float64 { return math.Float64frombits(r.Uint()) }

// Bool reads a truth value.
func (r *Reader) Bool() bool {
	v := r.Uint()
	r.Refuse(v > 1)
	return v == 1
}

// String reads a string.
func (r *Reader) String() string {
	n := r.length(1)
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

// Floats reads a list.
func (r *Reader) Floats() []float64 { return List(r, 8, r.Float) }

// length reads how many elements follow, of at least size bytes each.
func (r *Reader) length(size int) int {
	n := r.Int()
	if n > len(r.b)/size {
		r.bad = true
		return 0
	}
	return n
}

// List reads a list whose elements take at least size bytes.
func List[T any](r *Reader, size int, element func() T) []T {
	out := make([]T, r.length(size))
	for i := range out {
		out[i] = element()
	}
	return out
}
