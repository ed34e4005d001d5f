package rsg

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// frameBuilder lays out one frame at a time in memory that it reuses.
type frameBuilder struct {
	buf     []byte
	entries int // of the section table that are filled
	zstd    *zstd.Encoder
	packed  []byte
}

// begin starts a frame of so many sections.
func (b *frameBuilder) begin(tag string, ordinal, sections int) {
	n := align(uint64(frameHeaderSize + tableEntrySize*sections))
	b.buf = append(b.buf[:0], make([]byte, n)...)
	copy(b.buf, tag)
	le.PutUint32(b.buf[4:], uint32(sections))
	le.PutUint64(b.buf[16:], uint64(ordinal))
	b.entries = 0
}

// section adds the content that fill appends, compressed where that is asked for and pays.
func (b *frameBuilder) section(tag string, compress bool, fill func(dst []byte) []byte) error {
	start := len(b.buf)
	b.buf = fill(b.buf)
	size, codec := len(b.buf)-start, byte(codecNone)
	if compress && size > 0 && size <= maxDecoded {
		if err := b.pack(start); err != nil {
			return err
		}
		if len(b.packed) < size {
			b.buf, codec = append(b.buf[:start], b.packed...), codecZstd
		}
	}
	stored := b.buf[start:]
	e := b.buf[frameHeaderSize+tableEntrySize*b.entries:]
	copy(e, tag)
	e[4] = codec
	le.PutUint64(e[8:], uint64(len(stored)))
	le.PutUint64(e[16:], uint64(size))
	le.PutUint32(e[24:], checksum(stored))
	b.buf = append(b.buf, make([]byte, align(uint64(len(b.buf)))-uint64(len(b.buf)))...)
	b.entries++
	return nil
}

// pack compresses what stands from start on.
func (b *frameBuilder) pack(start int) error {
	if b.zstd == nil {
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return fmt.Errorf("zstd: %w", err)
		}
		b.zstd = enc
	}
	b.packed = b.zstd.EncodeAll(b.buf[start:], b.packed[:0])
	return nil
}

// finish completes the header and returns the frame, which is good until the next begin.
func (b *frameBuilder) finish() []byte {
	le.PutUint64(b.buf[8:], uint64(len(b.buf)))
	table := b.buf[frameHeaderSize : frameHeaderSize+tableEntrySize*b.entries]
	le.PutUint32(b.buf[24:], checksum(table))
	le.PutUint32(b.buf[28:], checksum(b.buf[:28]))
	return b.buf
}
