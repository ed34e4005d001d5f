package tablefile

import (
	"encoding/binary"
	"errors"
	"io"
)

const (
	maxFooter  = 64 << 20 // bytes
	maxNesting = 32       // of a footer's structures
	footerTail = 8        // the footer's length and the magic
)

var (
	errNoParquet = errors.New("not a Parquet file")
	errFooter    = errors.New("the footer makes no sense")
)

// checkFooter walks the footer of a Parquet file, so that no length in it is believed that its bytes cannot hold: who
// decodes it allocates first.
func checkFooter(r io.ReaderAt, size int64) error {
	var tail [footerTail]byte
	if size < 2*footerTail {
		return io.ErrUnexpectedEOF
	}
	if _, err := r.ReadAt(tail[:], size-footerTail); err != nil {
		return err
	}
	if string(tail[4:]) != "PAR1" {
		return errNoParquet
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	if length > size-footerTail-4 || length > maxFooter {
		return errFooter
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-footerTail-length); err != nil {
		return err
	}
	w := walker{rest: footer}
	w.structure(0)
	if w.bad {
		return errFooter
	}
	return nil
}

// The types of a value in the compact protocol of Thrift.
const (
	thriftStop = iota
	thriftTrue
	thriftFalse
	thriftByte
	thriftInt16
	thriftInt32
	thriftInt64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
)

// walker passes over values in the compact protocol of Thrift.
type walker struct {
	rest []byte
	bad  bool
}

func (w *walker) skip(n uint64) {
	if n > uint64(len(w.rest)) {
		w.bad, w.rest = true, nil
		return
	}
	w.rest = w.rest[n:]
}

func (w *walker) byte() byte {
	if len(w.rest) == 0 {
		w.bad = true
		return 0
	}
	b := w.rest[0]
	w.rest = w.rest[1:]
	return b
}

func (w *walker) uvarint() uint64 {
	n, width := binary.Uvarint(w.rest)
	if width <= 0 {
		w.bad, w.rest = true, nil
		return 0
	}
	w.rest = w.rest[width:]
	return n
}

func (w *walker) structure(depth int) {
	for !w.bad {
		head := w.byte()
		kind := head & 0xf
		if kind == thriftStop {
			return
		}
		if head>>4 == 0 {
			w.uvarint() // the field's number, where it is not a step from the last one
		}
		if kind != thriftTrue && kind != thriftFalse { // which a field's head says already
			w.value(kind, depth)
		}
	}
}

func (w *walker) value(kind byte, depth int) {
	if depth > maxNesting {
		w.bad = true
		return
	}
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		w.skip(1)
	case thriftInt16, thriftInt32, thriftInt64:
		w.uvarint()
	case thriftDouble:
		w.skip(8)
	case thriftBinary:
		w.skip(w.uvarint())
	case thriftList, thriftSet:
		w.list(depth)
	case thriftStruct:
		w.structure(depth + 1)
	default: // Parquet has no maps
		w.bad = true
	}
}

func (w *walker) list(depth int) {
	head := w.byte()
	n := uint64(head >> 4)
	if n == 0xf {
		n = w.uvarint()
	}
	if n > uint64(len(w.rest)) {
		w.bad = true
		return
	}
	for range n {
		if w.bad {
			return
		}
		w.value(head&0xf, depth+1)
	}
}
