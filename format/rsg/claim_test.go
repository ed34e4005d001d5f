package rsg_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"testing"

	"resolwe/format/rsg"
	"resolwe/internal/test/check"
	"resolwe/internal/test/rsgtest"
)

// TestReader_ClaimedSize makes each compressed section of counted words claim to be much longer than it can be: it is
// refused before there is memory for that.
func TestReader_ClaimedSize(t *testing.T) {
	whole, _ := packed(t, "zstd")
	le := binary.LittleEndian
	tried := 0
	for _, tag := range []string{"ENTS", "FACT"} {
		for from := 0; ; {
			at := bytes.Index(whole[from:], []byte(tag))
			if at < 0 {
				break
			}
			at += from
			from = at + 4
			data := bytes.Clone(whole)
			if data[at+4] == 0 || le.Uint64(data[at+16:]) > 1<<20 { // not compressed, or no entry of a table
				continue
			}
			tried++
			claim := le.Uint64(data[at+8:]) << 14 &^ 3
			le.PutUint64(data[at+16:], claim)
			rsgtest.Reseal(data)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := readPipe(data, rsg.ReaderOptions{})
			runtime.ReadMemStats(&after)
			if c := (*rsg.CorruptError)(nil); !errors.As(err, &c) || !errors.Is(err, rsg.ErrFormat) {
				t.Errorf("%s at byte %d: got %v", tag, at, err)
			}
			check.AtMost(t, after.TotalAlloc-before.TotalAlloc, claim/2, "%s at byte %d, bytes allocated", tag, at)
		}
	}
	if tried == 0 {
		t.Error("no section is compressed")
	}
}
