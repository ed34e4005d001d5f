package input_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"resolwe/internal/input"
	"resolwe/internal/test/check"
)

func write(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	check.OK(t, os.WriteFile(path, data, 0o600))
	return path
}

func TestMap(t *testing.T) {
	t.Parallel()
	page := os.Getpagesize()
	for _, size := range []int{0, 1, 7, page - 1, page, page + 1, 3*page + 5} {
		t.Run(fmt.Sprintf("size=%d", size), func(t *testing.T) {
			t.Parallel()
			want := make([]byte, size)
			for i := range want {
				want[i] = byte(i * 7)
			}
			f, err := input.Map(write(t, want))
			check.OK(t, err)
			if !bytes.Equal(f.Bytes(), want) {
				t.Errorf("bytes differ from those written")
			}
			for range 2 {
				check.OKf(t, f.Close(), "close")
			}
			if got := f.Bytes(); got != nil {
				t.Errorf("bytes after close: got %d, want none", len(got))
			}
		})
	}
}
