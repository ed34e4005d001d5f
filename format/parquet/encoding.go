package parquet

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"strconv"
)

// Encodings.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingBitPacked       = 4
	encodingDelta           = 5
	encodingDeltaLength     = 6
	encodingDeltaBytes      = 7
	encodingDictionary      = 8
	encodingSplit           = 9
)

var (
	errShort  = errors.New("a column ends early")
	errLength = errors.New("a length or offset is invalid")
	errCode   = errors.New("a value that its dictionary does not have")
)

// decoder reads the values of a page that are not null.
type decoder interface {
	// next returns the bytes of a value, valid until the next call.
	next() ([]byte, error)
}

// encoded are the types, as bits, whose values each encoding is for.
var encoded = [...]int{
	encodingPlain: anyType, encodingPlainDictionary: anyType, encodingDictionary: anyType, encodingRLE: 1 << typeBoolean, encodingDelta: anyInt,
	encodingDeltaLength: 1 << typeBytes, encodingDeltaBytes: anyBytes, encodingSplit: anyType &^ (1<<typeBoolean | 1<<typeInt96 | 1<<typeBytes),
}

// decoderOf returns what reads the values of a page of the leaf.
func (l *leaf) decoderOf(encoding int64, data []byte) (decoder, error) {
	t, width := l.column.physical, l.column.width
	switch {
	case encoding < 0 || encoding > encodingSplit || encoding == encodingBitPacked:
		return nil, &RefusedError{l.column.name, "its encoding " + strconv.FormatInt(encoding, 10) + " is not read"}
	case encoded[encoding]&(1<<t) == 0:
		return nil, errType
	}
	switch encoding {
	case encodingRLE:
		levels, _, err := cutLevels(data)
		return &truths{hybrid: hybrid{data: levels, width: 1}}, err
	case encodingPlainDictionary, encodingDictionary:
		if len(data) == 0 {
			return &lengthened{}, nil // there are only nulls
		}
		if data[0] > 32 {
			return nil, errLength
		}
		return &codes{hybrid: hybrid{data: data[1:], width: int(data[0])}, leaf: l}, nil
	case encodingDelta:
		d, err := newDelta(data)
		return &numbers{delta: d, value: make([]byte, width)}, err
	case encodingDeltaLength:
		return newSuffixes(data)
	case encodingDeltaBytes:
		return newPrefixed(data, width)
	case encodingSplit:
		return &split{data: data, value: make([]byte, width)}, nil
	}
	switch t {
	case typeBoolean:
		return &truths{hybrid: hybrid{packed: data, run: 8 * len(data), width: 1}}, nil
	case typeBytes:
		return &lengthened{data}, nil
	}
	return &fixed{data, width}, nil
}

// fixed are values of one width.
type fixed struct {
	data  []byte
	width int
}

func (d *fixed) next() ([]byte, error) {
	if len(d.data) < d.width {
		return nil, errShort
	}
	v := d.data[:d.width:d.width]
	d.data = d.data[d.width:]
	return v, nil
}

// lengthened are values that begin with their lengths.
type lengthened struct{ data []byte }

func (d *lengthened) next() ([]byte, error) {
	if len(d.data) < 4 {
		return nil, errShort
	}
	end := 4 + int64(binary.LittleEndian.Uint32(d.data))
	if end > int64(len(d.data)) {
		return nil, errShort
	}
	v := d.data[4:end:end]
	d.data = d.data[end:]
	return v, nil
}

// split are values whose first bytes come together, then their second ones, and so on.
type split struct {
	data, value []byte
	at          int
}

func (d *split) next() ([]byte, error) {
	n := len(d.data) / len(d.value)
	if d.at == n || n*len(d.value) != len(d.data) {
		return nil, errShort
	}
	for i := range d.value {
		d.value[i] = d.data[i*n+d.at]
	}
	d.at++
	return d.value, nil
}

// hybrid are numbers in runs of one, and packed side by side.
type hybrid struct {
	data   []byte // the runs to come
	packed []byte // those of the run; nil in a run of one
	width  int    // of a number, in bits
	run    int    // how many are left
	bit    int    // of packed
	value  uint64
}

func (h *hybrid) number() (uint64, error) {
	for h.run == 0 {
		if err := h.nextRun(); err != nil {
			return 0, err
		}
	}
	h.run--
	if h.packed == nil {
		return h.value, nil
	}
	if h.bit+h.width > 8*len(h.packed) {
		return 0, errShort
	}
	v := unpack(h.packed, h.bit, h.width)
	h.bit += h.width
	return v, nil
}

func (h *hybrid) nextRun() error {
	head, n := binary.Uvarint(h.data)
	if n <= 0 || head>>1 > 1<<31 {
		return errShort
	}
	h.data = h.data[n:]
	if head&1 == 0 {
		size := (h.width + 7) / 8
		if len(h.data) < size {
			return errShort
		}
		h.packed, h.run, h.value = nil, int(head>>1), 0
		for i := range size {
			h.value |= uint64(h.data[i]) << (8 * i)
		}
		h.data = h.data[size:]
		return nil
	}
	size := min(int(head>>1)*h.width, len(h.data)) // the last run may be cut off behind its last number
	h.packed, h.run, h.bit = h.data[:size:size], int(head>>1)*8, 0
	h.data = h.data[size:]
	return nil
}

// unpack returns a number of some bits, at most 64, which the data have.
func unpack(data []byte, bit, width int) (v uint64) {
	if width == 0 {
		return 0
	}
	at, shift := bit/8, bit%8
	if at+8 <= len(data) {
		v = binary.LittleEndian.Uint64(data[at:])
	} else {
		for i, c := range data[at:] {
			v |= uint64(c) << (8 * i)
		}
	}
	v >>= shift
	if shift+width > 64 {
		v |= uint64(data[at+8]) << (64 - shift)
	}
	return v & (1<<width - 1)
}

// packedLevels returns levels of one bit, the first of which is the highest of its byte. It turns the bytes.
func packedLevels(data []byte) hybrid {
	for i, c := range data {
		data[i] = bits.Reverse8(c)
	}
	return hybrid{packed: data, run: 8 * len(data), width: 1}
}

// cutLevels returns what a length stands before, and what follows.
func cutLevels(data []byte) (levels, rest []byte, err error) {
	d := lengthened{data}
	levels, err = d.next()
	return levels, d.data, err
}

// truths are truth values.
type truths struct {
	hybrid
	value [1]byte
}

func (d *truths) next() ([]byte, error) {
	v, err := d.number()
	d.value[0] = byte(v)
	return d.value[:], err
}

// codes are values of the dictionary.
type codes struct {
	hybrid
	leaf *leaf
}

func (d *codes) next() ([]byte, error) {
	code := uint64(0)
	if d.width > 0 || len(d.data) > 0 || d.run > 0 { // of a single value the runs may be missing
		var err error
		if code, err = d.number(); err != nil {
			return nil, err
		}
	}
	return d.leaf.dictionary.value(code)
}

// dictionary are values that codes stand for.
type dictionary struct {
	data   []byte
	count  int
	width  int      // of a value; where it is 0 there are ends
	ends   []uint32 // of the values
	flawed bool     // some are no text
}

func (d *dictionary) value(code uint64) ([]byte, error) {
	if code >= uint64(d.count) {
		return nil, errCode
	}
	if d.width > 0 {
		return d.data[int(code)*d.width:][:d.width:d.width], nil
	}
	end := d.ends[code]
	start := uint32(4)
	if code > 0 {
		start += d.ends[code-1]
	}
	return d.data[start:end:end], nil
}
