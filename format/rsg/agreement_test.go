package rsg_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"resolwe/format/rsg"
	"resolwe/internal/test/check"
	"resolwe/internal/test/rsgtest"
)

// unread are the classes of damage that reading leaves to Verify, as FORMAT.md lists them, by section and cause.
var unread = []struct {
	section, cause string
	pipe           bool // a mapped reader finds it
}{
	{"ENTS", "is there twice", false},
	{"ENTS", "the center is another entity", false},
	{"FACT", "the index and the columns disagree", false},
	{"FACT", "has two truth values", false},
	{"NAMS", "is in the dictionary already", false},
	{"HEAD", "a subgraph of that name is already in the stream", true},
	{"RECS", "index does not describe the records", true},
	{"ORDR", "index does not describe the records", true},
	{"BASE", "index does not describe the records", true},
	{"NAMS", "index does not describe the records", true},
	{"time", "index does not describe the records", true},
	{"sums", "index does not describe the records", true},
	{"time", "no record has a time", true},
	{"time", "section is missing", true},
}

// TestDamage_Agreement forges numbers, makes the checksums fit, and holds readers against Verify: they take what it takes, and
// refuse what it refuses but for known classes.
func TestDamage_Agreement(t *testing.T) {
	t.Parallel()
	seed, rounds := rand.Uint64(), 6000
	if testing.Short() {
		rounds /= 8
	}
	for layout := range layouts {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			whole, _ := packed(t, layout)
			r := rand.New(rand.NewPCG(seed, 0))
			for i := range rounds {
				data := forge(r, whole)
				_, verdict := rsg.Verify(bytes.NewReader(data), "x")
				for reader, read := range readers {
					for _, opt := range []rsg.ReaderOptions{{Shared: true}, {Names: true}} {
						list, err := read(data, opt)
						for _, s := range list {
							use(s)
						}
						if verdict == nil && err != nil || verdict != nil && err == nil && !isUnread(verdict, reader) {
							t.Fatalf("seed %d, round %d, %s, names %v: Verify says %v, reading %v", seed, i, reader, opt.Names, verdict, err)
						}
					}
				}
			}
		})
	}
}

// forge returns a copy of a stream in which some numbers are others: off by one, of another place, or anything.
func forge(r *rand.Rand, whole []byte) []byte {
	data, le := bytes.Clone(whole), binary.LittleEndian
	for range 1 + r.IntN(3) {
		at := r.IntN(len(data) - 3)
		if r.IntN(4) > 0 {
			at &^= 3
		}
		for range r.IntN(4) { // rather not in padding
			if next := r.IntN(len(data)/4) * 4; le.Uint32(data[at:]) == 0 {
				at = next
			}
		}
		switch v := le.Uint32(data[at:]); r.IntN(4) {
		case 0:
			le.PutUint32(data[at:], v+1)
		case 1:
			le.PutUint32(data[at:], v-1)
		case 2:
			le.PutUint32(data[at:], le.Uint32(data[r.IntN(len(data)/4)*4:]))
		case 3:
			data[at] = byte(r.Uint32())
		}
	}
	rsgtest.Reseal(data)
	return data
}

// isUnread reports whether a verdict is of a class that a reader leaves to Verify.
func isUnread(verdict error, reader string) bool {
	var c *rsg.CorruptError
	for _, u := range unread {
		if errors.As(verdict, &c) && c.Section == u.section && strings.Contains(c.Error(), u.cause) && (reader == "pipe" || !u.pipe) {
			return true
		}
	}
	return false
}

// indexOf returns the offset of a stream's index.
func indexOf(data []byte) int { return int(binary.LittleEndian.Uint64(data[len(data)-64:])) } // #nosec G115 -- of the data

// indexSection returns the offset of a section of the index.
func indexSection(tb testing.TB, data []byte, tag string) int {
	tb.Helper()
	le, frame := binary.LittleEndian, indexOf(data)
	n := int(le.Uint32(data[frame+4:]))
	at := (frame + 32 + 32*n + 63) &^ 63
	for i := range n {
		e := data[frame+32+32*i:]
		if string(e[:4]) == tag {
			return at
		}
		at = (at + int(le.Uint64(e[8:])) + 63) &^ 63
	}
	tb.Fatalf("the index has no section %s", tag)
	return 0
}

// TestFile_ForgedIndex makes an index and the records say the same of what is not so.
func TestFile_ForgedIndex(t *testing.T) {
	t.Parallel()
	le := binary.LittleEndian
	add := func(b []byte, at int) { le.PutUint32(b[at:], le.Uint32(b[at:])+1) }
	first := encode(t, social(), rsg.WriterOptions{}, samples(t)[0])
	one := encode(t, social(), rsg.WriterOptions{}, samples(t)[1]) // of a thing alone
	names, _ := section(t, one, 0, "NAMS")
	bases := indexSection(t, one, "BASE")
	for _, at := range []int{names + 4, bases + 4, bases + 3*4} { // of things, before and behind the record
		add(one, at)
	}
	two := encode(t, social(), rsg.WriterOptions{}, samples(t)[:2]...)
	end := indexOf(two)
	left := slices.Concat(two[:end], first[indexOf(first):])
	le.PutUint64(left[len(left)-64:], uint64(end)) // #nosec G115 -- a length
	for name, data := range map[string][]byte{"bases that begin at 1": one, "a record that is left out": left} {
		rsgtest.Reseal(data)
		for reader, read := range readers {
			list, err := read(data, rsg.ReaderOptions{Names: true})
			for _, s := range list {
				use(s)
			}
			check.ErrorIs(t, err, rsg.ErrFormat, "%s, %s: got %d subgraphs and ", name, reader, len(list))
		}
		_, err := rsg.Verify(bytes.NewReader(data), "x")
		check.Equal(t, name+": Verify finds it", errors.Is(err, rsg.ErrFormat), true)
	}
}

// TestFile_ForgedTimes forges the times of records and of the index, each with a checksum that fits.
func TestFile_ForgedTimes(t *testing.T) {
	t.Parallel()
	le := binary.LittleEndian
	whole, _ := packed(t, "timed")
	record, _ := section(t, whole, 0, "time")
	index := indexSection(t, whole, "time")
	for name, forge := range map[string]func(data []byte){
		"another time in the record":  func(data []byte) { data[record]++ },
		"none in the record":          func(data []byte) { le.PutUint64(data[record:], 1<<63) },
		"out of range in the record":  func(data []byte) { le.PutUint64(data[record:], 1<<40) },
		"another time in the index":   func(data []byte) { data[index]++ },
		"none in the index":           func(data []byte) { le.PutUint64(data[index:], 1<<63) },
		"out of range in the index":   func(data []byte) { le.PutUint64(data[index:], 1<<40) },
		"a time of one that has none": func(data []byte) { le.PutUint64(data[index+8:], 0) },
	} {
		data := bytes.Clone(whole)
		forge(data)
		rsgtest.Reseal(data)
		check.ErrorIs(t, check.Err(readFile(data, rsg.ReaderOptions{})), rsg.ErrFormat, "%s", name)
		check.ErrorIs(t, check.Err(rsg.Verify(bytes.NewReader(data), "x")), rsg.ErrFormat, "%s: Verify", name)
	}
}
