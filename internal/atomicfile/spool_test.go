package atomicfile_test

import (
	"bytes"
	"os"
	"testing"

	"resolwe/internal/atomicfile"
	"resolwe/internal/test/check"
)

func TestSpool(t *testing.T) {
	for _, tc := range []struct {
		name   string
		chunks int
	}{
		{"empty", 0},
		{"memory", 3},
		{"file", 40},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir)
			var s atomicfile.Spool
			var want bytes.Buffer
			for i := range tc.chunks {
				chunk := bytes.Repeat([]byte{byte(i)}, 1<<20)
				want.Write(chunk)
				check.OK(t, check.Err(s.Write(chunk)))
			}
			var got bytes.Buffer
			n, err := got.ReadFrom(s.Reader())
			if err != nil || n != int64(want.Len()) || !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("got %d bytes (equal: %v), %v, want %d", n, bytes.Equal(got.Bytes(), want.Bytes()), err, want.Len())
			}
			for off := 1; off < want.Len(); off += 5<<20 + 1 { // across the end of memory, and between writes
				some := make([]byte, min(3<<20, want.Len()-off))
				check.OK(t, check.Err(s.ReadAt(some, int64(off))))
				check.Is(t, bytes.Equal(some, want.Bytes()[off:off+len(some)]), true, "bytes from %d on", off)
				check.OK(t, check.Err(s.Write([]byte{1})))
				want.WriteByte(1)
			}
			check.Is(t, s.Size(), int64(want.Len()), "size")
			for range 2 {
				check.OK(t, s.Close())
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("got %d temporary files left, want none", len(left))
			}
		})
	}
}
