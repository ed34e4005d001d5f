package rsg

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
)

// header reads a frame header. While the reader scans, it skips blocks that are not one.
func (r *Reader) header() (frameHeader, error) {
	for {
		b, err := r.in.Peek(frameHeaderSize)
		switch {
		case len(b) == frameHeaderSize:
		case isEnd(err):
			return frameHeader{}, damage(placeFrameHeader, r.offset+int64(len(b)), ErrTruncated)
		default:
			return frameHeader{}, err
		}
		h, err := parseFrameHeader(b, r.offset)
		if err == nil {
			r.scan = false
			return h, r.discard(frameHeaderSize, placeFrameHeader)
		}
		if !r.scan {
			return h, err
		}
		if err := r.discard(alignment, placeFrameHeader); err != nil {
			return h, err
		}
	}
}

// frame reads the rest of a frame.
func (r *Reader) frame(h frameHeader) (*frame, error) {
	rest, err := r.read(h.length-frameHeaderSize, h.tag)
	if err != nil {
		return nil, err
	}
	f := new(frame)
	return f, f.parseBody(h, rest)
}

// read returns the next n bytes in newly allocated memory, which grows as they arrive. At the end of the stream it returns the bytes so far
// with ErrTruncated, placed in the section.
func (r *Reader) read(n int64, section string) ([]byte, error) {
	var buf bytes.Buffer
	buf.Grow(int(min(n, firstGuess)) + bytes.MinRead)
	k, err := io.CopyN(&buf, r.in, n)
	r.offset += k
	return buf.Bytes(), r.ended(err, section)
}

func (r *Reader) discard(n int, section string) error {
	k, err := r.in.Discard(n)
	r.offset += int64(k)
	return r.ended(err, section)
}

// ended reports the end of the stream as damage.
func (r *Reader) ended(err error, section string) error {
	if isEnd(err) {
		return damage(section, r.offset, ErrTruncated)
	}
	return err
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// skim verifies the checksums of a frame without keeping it, and returns its sections without their bytes.
func (r *Reader) skim(h frameHeader) ([]section, error) {
	table, err := r.read(int64(h.tableSize()), h.tag)
	if err != nil {
		return nil, err
	}
	sections, err := h.parseTable(nil, table)
	if err != nil {
		return nil, err
	}
	for i := range sections {
		s := &sections[i]
		sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
		n, err := io.CopyN(sum, r.in, s.length)
		r.offset += n
		if err != nil {
			return nil, r.ended(err, s.tag)
		}
		if sum.Sum32() != s.crc {
			return nil, damage(s.tag, s.offset, ErrChecksum)
		}
		padding, err := r.read(int64(align(uint64(s.length)))-s.length, s.tag)
		if err != nil {
			return nil, err
		}
		if !isZero(padding) {
			return nil, damage(s.tag, s.offset+s.length, errPadding)
		}
	}
	return sections, nil
}
