package rsg_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"testing"

	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/machine"
	"resolwe/internal/test/archivetest"
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

// TestReader_Bomb reads frames one of whose sections says, truthfully, that it decodes to half a gigabyte of zeros, where less memory is
// allowed: it is damage, and no memory is taken for it.
func TestReader_Bomb(t *testing.T) {
	stop := machine.Watch(256<<20, "--memory", func(err error) { t.Error(err) })
	defer stop()
	whole := encode(t, social(), rsg.WriterOptions{}, samples(t)[0])
	record, index := blocks(t, whole)[0].Offset, int64(indexOf(whole))
	empty := encode(t, social(), rsg.WriterOptions{})
	trailer := empty[len(empty)-64:]
	for _, tag := range []string{"SCHM", "HEAD", "NAMS", "SHRD", "time", "RECS", "BASE", "sums"} {
		var data []byte
		switch tag {
		case "SCHM":
			data = slices.Concat(whole[:64], bomb(whole[64:record], tag), whole[record:])
		case "RECS", "BASE", "sums":
			data = slices.Concat(empty[:record], bomb(empty[record:len(empty)-64], tag), trailer)
			binary.LittleEndian.PutUint64(data[len(data)-56:], uint64(int64(len(data))-64-record)) // #nosec G115 -- positive
		default:
			data = slices.Concat(whole[:record], bomb(whole[record:index], tag), trailer)
		}
		rsgtest.Reseal(data)
		for name, read := range map[string]func() error{
			"Verify": func() error { return check.Err(rsg.Verify(bytes.NewReader(data), "x")) },
			"pipe":   func() error { return check.Err(readPipe(data, rsg.ReaderOptions{Names: true})) },
			"mapped": func() error { return check.Err(readFile(data, rsg.ReaderOptions{Names: true})) },
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := read()
			runtime.ReadMemStats(&after)
			if name != "pipe" || tag != "RECS" && tag != "BASE" { // it does not decode the index
				check.ErrorIs(t, err, subgraph.ErrCorrupt, "%s, %s", tag, name)
			}
			check.AtMost(t, after.TotalAlloc-before.TotalAlloc, 32<<20, "%s, %s: bytes allocated", tag, name)
		}
	}
}

// bomb returns a frame in which a section, a new one if it has none with the tag, is packed and decodes to half a gigabyte of zeros.
func bomb(frame []byte, tag string) []byte {
	const size = 512 << 20
	packed := archivetest.Repeat(archivetest.Run{Byte: 0, Times: size})
	le := binary.LittleEndian
	n := int(le.Uint32(frame[4:]))
	table, at := bytes.Clone(frame[32:32+32*n]), (32+32*n+63)&^63
	if !bytes.Contains(table, []byte(tag)) {
		table, n = append(append(table, tag...), make([]byte, 28)...), n+1
	}
	out := slices.Concat(frame[:32], table)
	for i := range n {
		e := out[32+32*i:]
		stored := frame[at : at+int(le.Uint64(e[8:]))] // #nosec G115 -- of the frame
		at = (at + len(stored) + 63) &^ 63
		if string(e[:4]) == tag {
			stored, e[4] = packed, 1
			le.PutUint64(e[8:], uint64(len(packed)))
			le.PutUint64(e[16:], size)
		}
		out = append(append(out, make([]byte, -len(out)&63)...), stored...)
	}
	out = append(out, make([]byte, -len(out)&63)...)
	le.PutUint32(out[4:], uint32(n))        // #nosec G115 -- few
	le.PutUint64(out[8:], uint64(len(out))) // #nosec G115 -- positive
	return out
}
