package archive_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"

	"resolwe/format/archive"
	"resolwe/format/subgraph"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// A small archive may not unpack to, or cause, more work than data do. What is not packed may.
func TestReader_Bomb(t *testing.T) {
	t.Parallel()
	const gigabyte = 1 << 30
	large := make([]byte, 2<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(large) // it never fails
	for _, row := range []struct {
		name  string
		data  []byte
		items int
		want  error
	}{
		{"many bytes", archivetest.Repeat(archivetest.Run{Byte: ' ', Times: gigabyte + 1}), 0, archive.ErrBomb},
		{"as many lines as may be", archivetest.Zstd("\n"), gigabyte/32 - 1, nil},
		{"many lines", archivetest.Zstd("\n"), gigabyte/32 + 1, archive.ErrBomb},
		{"a large archive", archivetest.Zstd(large, zstd.WithEncoderLevel(zstd.SpeedFastest)), gigabyte/32 + 1, nil},
		{"no archive", []byte("\n"), gigabyte, nil},
	} {
		r, err := archive.NewReader(bytes.NewReader(row.data), "x")
		check.OK(t, err)
		_, err = io.Copy(io.Discard, r)
		err = errors.Join(err, r.Spend(row.items))
		check.ErrorIs(t, err, row.want, "%s", row.name)
		check.Equal(t, row.name+": damage", errors.Is(err, subgraph.ErrCorrupt), row.want != nil)
	}
}
