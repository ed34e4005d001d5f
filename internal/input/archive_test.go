package input_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"io"
	"strings"
	"testing"

	"resolwe/internal/input"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

const text = "facts(A)\n"

// bzipped is the output of bzip2 for text.
const bzipped = "425a68393141592653593a9767db000003558000100060200029000c0020" +
	"0022030420c988d6034a4f1772453850903a9767db"

func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(s)
	check.OK(tb, err)
	return b
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	skippable := append([]byte("\x5a\x2a\x4d\x18\x03\x00\x00\x00abc"), archivetest.Zstd(text)...)
	for name, data := range map[string][]byte{
		"gzip": archivetest.Gzip(text), "zstd": archivetest.Zstd(text), "skippable frame": skippable, "bzip2": unhex(t, bzipped),
	} {
		r, err := input.Unpack(bufio.NewReader(bytes.NewReader(data)))
		if err != nil || r == nil {
			t.Errorf("%s: got reader %v, error %v, want a reader", name, r, err)
			continue
		}
		if got, err := io.ReadAll(r); string(got) != text || err != nil {
			t.Errorf("%s: got %q, error %v, want %q", name, got, err, text)
		}
		for n := 4; n < len(data); n++ { // truncated anywhere
			r, err := input.Unpack(bufio.NewReader(bytes.NewReader(data[:n])))
			if err == nil && r == nil {
				t.Errorf("%s, %d of %d bytes: got plain text, want an archive", name, n, len(data))
			}
			if r != nil {
				_, err = io.ReadAll(r)
			}
			if err == nil && (name != "skippable frame" || n != 11) { // which is empty and complete
				t.Errorf("%s, %d of %d bytes: got no error", name, n, len(data))
			}
		}
	}
}

func TestUnpack_Text(t *testing.T) {
	t.Parallel()
	for _, plain := range []string{"", "B", "BZh(A)\n", "BZh91(A, B)", text} {
		in := bufio.NewReader(strings.NewReader(plain))
		if r, err := input.Unpack(in); r != nil || err != nil {
			t.Errorf("%q: got reader %v, error %v, want neither", plain, r, err)
		}
		if got, err := io.ReadAll(in); string(got) != plain || err != nil {
			t.Errorf("%q: got %q, error %v behind it", plain, got, err)
		}
	}
}

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
