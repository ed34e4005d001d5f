package rsg

import (
	"errors"
	"hash/crc32"
	"io"
	"slices"
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
	var buf []byte
	for have := int64(0); ; {
		size := min(n, max(firstGuess, 2*have))
		if err := afford(size); err != nil {
			return nil, err
		}
		buf = slices.Grow(buf, int(size-have))[:size]
		k, err := io.ReadFull(r.in, buf[have:])
		have += int64(k)
		r.offset += int64(k)
		if err != nil || have == n {
			return buf[:have], r.ended(err, section)
		}
	}
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

// readOrigin reads the frame that says what the stream was made of.
func (r *Reader) readOrigin(h frameHeader) error {
	if err := h.checkOrigin(r.origin); err != nil {
		return err
	}
	f, err := r.frame(h)
	if err == nil {
		r.origin, err = originOf(f, &r.unzip)
	}
	return err
}

// skim verifies the checksums of a frame without keeping it, and returns its sections with only their last bytes, sumSize of them.
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
		last := min(s.length, sumSize)
		n, err := io.CopyN(sum, r.in, s.length-last)
		r.offset += n
		if err != nil {
			return nil, r.ended(err, s.tag)
		}
		if s.stored, err = r.read(last, s.tag); err != nil {
			return nil, err
		}
		_, _ = sum.Write(s.stored) // which never fails
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
