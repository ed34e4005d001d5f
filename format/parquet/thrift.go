package parquet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// kind is what a value of Thrift's compact protocol is.
type kind byte

const (
	kindTrue kind = iota + 1
	kindFalse
	kindI8
	kindI16
	kindI32
	kindI64
	kindDouble
	kindBinary
	kindList
	kindSet
	kindMap
	kindStruct
)

const (
	maxNesting = 32 // of structures
	doubleSize = 8
	longSize   = 15 // in the head of a list: the size follows
)

var errThrift = errors.New("a structure of the file is invalid")

// thrift reads structures of Thrift's compact protocol. It allocates nothing that the bytes do not hold. After an error it reads zeros.
type thrift struct {
	in    *bufio.Reader
	left  int64 // bytes that may still come
	depth int
	err   error
}

func (t *thrift) fail(err error) {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if t.err == nil {
		t.err = err
	}
	t.left = 0
}

// ReadByte makes thrift an [io.ByteReader], for varints.
func (t *thrift) ReadByte() (byte, error) {
	if t.left <= 0 {
		t.fail(io.ErrUnexpectedEOF)
		return 0, t.err
	}
	c, err := t.in.ReadByte()
	if err != nil {
		t.fail(err)
		return 0, t.err
	}
	t.left--
	return c, nil
}

func (t *thrift) octet() byte {
	c, _ := t.ReadByte() // the error stays
	return c
}

// size reads the length of what follows, of which each element takes a byte at least.
func (t *thrift) size() int64 {
	n, err := binary.ReadUvarint(t)
	if err == nil && n > uint64(t.left) {
		err = errThrift
	}
	if err != nil {
		t.fail(err)
		return 0
	}
	return int64(n)
}

// number reads a whole number of any width.
func (t *thrift) number() int64 {
	n, err := binary.ReadVarint(t)
	if err != nil {
		t.fail(err)
		return 0
	}
	return n
}

func (t *thrift) text() string {
	b := make([]byte, t.size())
	if _, err := io.ReadFull(t.in, b); err != nil {
		t.fail(err)
	}
	t.left -= int64(len(b))
	return string(b)
}

func (t *thrift) discard(n int64) {
	if n > t.left {
		t.fail(io.ErrUnexpectedEOF)
		return
	}
	t.left -= n
	if _, err := t.in.Discard(int(n)); err != nil {
		t.fail(err)
	}
}

// fields reads a struct. take reads the value of a field, or returns false to have it passed over; of a truth value the kind is all.
func (t *thrift) fields(take func(id int64, k kind) bool) {
	t.nest(func() {
		id := int64(0)
		for t.err == nil {
			head := t.octet()
			if head == 0 || t.err != nil {
				return
			}
			if step := head >> 4; step > 0 {
				id += int64(step)
			} else {
				id = t.number()
			}
			if k := kind(head & 0xf); !take(id, k) && k != kindTrue && k != kindFalse {
				t.skip(k)
			}
		}
	})
}

// list reads a list or set of elements of one kind.
func (t *thrift) list(each func(k kind)) {
	t.nest(func() {
		head := t.octet()
		n := int64(head >> 4)
		if n == longSize {
			n = t.size()
		}
		for ; n > 0 && t.err == nil; n-- {
			each(kind(head & 0xf))
		}
	})
}

func (t *thrift) nest(read func()) {
	if t.depth++; t.depth > maxNesting {
		t.fail(errThrift)
	}
	read()
	t.depth--
}

// skip passes over a value.
func (t *thrift) skip(k kind) {
	switch k {
	case kindTrue, kindFalse, kindI8: // truth values of lists take a byte
		t.octet()
	case kindI16, kindI32, kindI64:
		t.number()
	case kindDouble:
		t.discard(doubleSize)
	case kindBinary:
		t.discard(t.size())
	case kindList, kindSet:
		t.list(t.skip)
	case kindStruct:
		t.fields(func(int64, kind) bool { return false })
	case kindMap: // Parquet has none
		fallthrough
	default:
		t.fail(errThrift)
	}
}
