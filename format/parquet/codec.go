package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strconv"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Codecs.
const (
	codecNone    = 0
	codecSnappy  = 1
	codecGzip    = 2
	codecLZO     = 3
	codecBrotli  = 4
	codecLZ4     = 5 // in the frames of Hadoop, or without
	codecZstd    = 6
	codecLZ4Only = 7
)

const (
	snappyMost = 64 // bytes that one can stand for
	lz4Most    = 255
	gzipMost   = 1032
	zstdMost   = 32 << 10
	leastRoom  = 64 << 10 // for what a stream holds
)

var errPacked = errors.New("a page is not what was packed")

// inflate appends what a page was before it was packed, n bytes. No memory is taken for what its bytes cannot hold.
func (f *File) inflate(dst []byte, codec int64, src []byte, n int) (out []byte, err error) {
	defer func() {
		if recover() != nil { // a codec's own
			out, err = nil, errPacked
		}
	}()
	if n == 0 {
		return dst, nil
	}
	switch codec {
	case codecNone:
		if len(src) != n {
			return nil, errPacked
		}
		return f.block(dst, src, n, 1, func(dst, src []byte) bool { return copy(dst, src) == n })
	case codecSnappy:
		if size, err := snappy.DecodedLen(src); err != nil || size != n {
			return nil, errPacked
		}
		return f.block(dst, src, n, snappyMost, func(dst, src []byte) bool {
			out, err := snappy.Decode(dst, src)
			return err == nil && len(out) == n
		})
	case codecLZ4:
		return f.block(dst, src, n, lz4Most, func(dst, src []byte) bool { return unframe(dst, src) || unlz4(dst, src) == len(dst) })
	case codecLZ4Only:
		return f.block(dst, src, n, lz4Most, func(dst, src []byte) bool { return unlz4(dst, src) == len(dst) })
	case codecGzip:
		r, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil || n/gzipMost > len(src) {
			return nil, errPacked
		}
		return f.stream(dst, r, n)
	case codecBrotli:
		return f.stream(dst, brotli.NewReader(bytes.NewReader(src)), n)
	case codecZstd:
		return f.unzstd(dst, src, n)
	case codecLZO:
		return nil, &RefusedError{What: "its codec LZO is not read"}
	}
	return nil, &RefusedError{What: "its codec " + strconv.FormatInt(codec, 10) + " is not read"}
}

// block appends n bytes that come from a block in one step. A byte of the block stands for at most so many.
func (f *File) block(dst, src []byte, n, most int, decode func(dst, src []byte) bool) ([]byte, error) {
	if n/most > len(src) {
		return nil, errPacked
	}
	err := f.spend(int64(n))
	if err == nil {
		dst, err = f.room(dst, n)
	}
	if err != nil {
		return nil, err
	}
	end := len(dst) + n
	if !decode(dst[len(dst):end:end], src) {
		return nil, errPacked
	}
	return dst[:end], nil
}

// unlz4 returns how many bytes a block has, below 0 where it is none or they are too many.
func unlz4(dst, src []byte) int {
	n, err := lz4.UncompressBlock(src, dst)
	if err != nil {
		return -1
	}
	return n
}

// unframe reads the frames of Hadoop: a length for some blocks, each of which has its own.
func unframe(dst, src []byte) bool {
	cut := func() (n int, ok bool) {
		if len(src) < 4 {
			return 0, false
		}
		n = int(binary.BigEndian.Uint32(src))
		src = src[4:]
		return n, true
	}
	for len(src) > 0 {
		frame, ok := cut()
		if !ok || frame > len(dst) {
			return false
		}
		for frame > 0 {
			size, ok := cut()
			if !ok || size > len(src) {
				return false
			}
			n := unlz4(dst[:frame], src[:size])
			if n <= 0 {
				return false
			}
			dst, src, frame = dst[n:], src[size:], frame-n
		}
	}
	return len(dst) == 0
}

// stream appends what a stream holds, which has to be n bytes.
func (f *File) stream(dst []byte, r io.Reader, n int) (_ []byte, err error) {
	for end := len(dst) + n; len(dst) < end; {
		step := min(end-len(dst), max(leastRoom, len(dst)))
		if err = f.spend(int64(step)); err == nil {
			dst, err = f.room(dst, step)
		}
		if err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(r, dst[len(dst):len(dst)+step]); err != nil {
			return nil, errPacked
		}
		dst = dst[:len(dst)+step]
	}
	if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return nil, errPacked
	}
	return dst, nil
}

func (f *File) unzstd(dst, src []byte, n int) (_ []byte, err error) {
	if n/zstdMost > len(src) {
		return nil, errPacked
	}
	if err := f.spend(int64(n)); err != nil {
		return nil, err
	}
	if f.zstd == nil {
		if f.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true)); err != nil {
			return nil, err
		}
	}
	for size := min(n, leastRoom); ; size = min(n, 2*size) {
		if dst, err = f.room(dst, size); err != nil {
			return nil, err
		}
		out, err := f.zstd.DecodeAll(src, dst[:len(dst):len(dst)+size])
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) && size < n {
			continue
		}
		if err != nil || len(out) != len(dst)+n {
			return nil, errPacked
		}
		return out, nil
	}
}
