package input_test

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"resolwe/internal/input"
	"resolwe/internal/test/archivetest"
)

// FuzzUnpack reads arbitrary bytes as an archive: nothing panics, and anything reported as an archive begins like one.
func FuzzUnpack(f *testing.F) {
	for _, text := range []string{"", "a line\n", "a line\na line\na line\n"} {
		f.Add([]byte(text))
		f.Add(archivetest.Gzip(text))
		f.Add(archivetest.Zstd(text))
	}
	f.Add([]byte("BZh9\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00"))
	f.Add([]byte("\x50\x2a\x4d\x18\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := input.Unpack(bufio.NewReader(bytes.NewReader(data)))
		if r == nil || err != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, r, 1<<20); err == nil && len(data) < 8 {
			t.Errorf("%d bytes hold a megabyte", len(data))
		}
	})
}
