package rsg

import (
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Bounds of what zstd may ask for: a block of 128 KiB takes four bytes at least; our encoder keeps a window of 8 MiB.
const (
	zstdRatio = 1 << 15
	maxWindow = 64 << 20
)

// decompressor decodes sections. It is safe for concurrent use; the zero value is ready, and costs nothing where no
// section is compressed.
type decompressor struct {
	once sync.Once
	zstd *zstd.Decoder
	err  error
}

func (d *decompressor) open() {
	d.zstd, d.err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true),
		zstd.WithDecoderMaxMemory(maxDecoded), zstd.WithDecoderMaxWindow(maxWindow))
}

// payload checks a section's checksum and returns its content: the stored bytes themselves, or decoded ones in memory of
// the frame.
func (d *decompressor) payload(f *frame, tag string) ([]byte, *section, error) {
	s, err := f.find(tag)
	if err != nil {
		return nil, nil, err
	}
	if checksum(s.stored) != s.crc {
		return nil, nil, damage(tag, s.offset, ErrChecksum)
	}
	b, err := d.decode(s)
	if err != nil {
		return nil, nil, damage(tag, s.offset, err)
	}
	return b, s, nil
}

// counted is payload of a section that has to have so many words: one that claims another size is not decoded.
func (d *decompressor) counted(f *frame, tag string, n uint64) ([]byte, *section, error) {
	s, err := f.find(tag)
	if err != nil {
		return nil, nil, err
	}
	if uint64(s.size) != n*wordSize {
		return nil, nil, damage(tag, s.offset, malformed("section has %d bytes, the counts ask for %d words", s.size, n))
	}
	return d.payload(f, tag)
}

func (d *decompressor) decode(s *section) ([]byte, error) {
	switch {
	case s.codec == codecNone && s.size == s.length:
		return s.stored, nil
	case s.codec == codecNone:
		return nil, malformed("size differs from length")
	case s.codec != codecZstd:
		return nil, ErrVersion
	case s.size > maxDecoded || s.size/zstdRatio > s.length:
		return nil, malformed("decoded size is out of range")
	}
	d.once.Do(d.open)
	if d.err != nil {
		return nil, d.err
	}
	s.decoded = slices.Grow(s.decoded[:0], int(s.size))
	out, err := d.zstd.DecodeAll(s.stored, s.decoded[:0:s.size])
	if err != nil {
		return nil, malformed("%v", err)
	}
	if int64(len(out)) != s.size {
		return nil, malformed("decodes to %d bytes, not %d", len(out), s.size)
	}
	return out, nil
}
