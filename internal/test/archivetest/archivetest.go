// Package archivetest compresses texts for tests.
package archivetest

import (
	"bytes"
	"compress/gzip"

	"github.com/klauspost/compress/zstd"
)

// Gzip returns text in one member of a gzip archive.
func Gzip[T ~string | ~[]byte](text T) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // writing to memory does not fail
	_ = w.Close()
	return b.Bytes()
}

// Zstd returns text in one frame of a zstd archive. It panics if an option is wrong.
func Zstd[T ~string | ~[]byte](text T, options ...zstd.EOption) []byte {
	w, err := zstd.NewWriter(nil, append(options, zstd.WithEncoderConcurrency(1))...)
	if err != nil {
		panic(err)
	}
	return w.EncodeAll([]byte(text), nil)
}

// Run is a byte that is repeated.
type Run struct {
	Byte  byte
	Times int
}

// Repeat returns runs in one frame of a zstd archive, which has 4 bytes for 128 KiB of a run.
func Repeat(runs ...Run) []byte {
	const most = 128 << 10
	out := []byte("\x28\xb5\x2f\xfd\x00\x38") // with a window of 128 KiB
	block := func(kind, n int, b ...byte) {
		header := kind | n<<3
		out = append(append(out, byte(header), byte(header>>8), byte(header>>16)), b...)
	}
	for _, r := range runs {
		for left := r.Times; left > 0; left -= most {
			block(1<<1, min(left, most), r.Byte)
		}
	}
	block(1, 0) // the last
	return out
}
