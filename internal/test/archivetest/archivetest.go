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
