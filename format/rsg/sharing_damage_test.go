package rsg_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/rsgtest"
)

// section returns the offset of a section of a record's frame and its length.
func section(tb testing.TB, data []byte, record int, tag string) (at, length int) {
	tb.Helper()
	le := binary.LittleEndian
	frame := int(blocks(tb, data)[record].Offset)
	n := int(le.Uint32(data[frame+4:]))
	at = (frame + 32 + 32*n + 63) &^ 63
	for i := range n {
		e := data[frame+32+32*i:]
		length = int(le.Uint64(e[8:]))
		if string(e[:4]) == tag {
			return at, length
		}
		at = (at + length + 63) &^ 63
	}
	tb.Fatalf("record %d has no section %s", record, tag)
	return 0, 0
}

// sharing is a stream of five records; the second brings the base.
func sharing(tb testing.TB) (data []byte, list []*subgraph.Subgraph) {
	tb.Helper()
	list = newGraph(rand.New(rand.NewPCG(7, 0)), 12, 8).cut(tb, 5)
	return encode(tb, social(), rsg.WriterOptions{}, list...), list
}

// Whatever needs a damaged base is lost, the rest is not.
func TestSharing_DamagedBase(t *testing.T) {
	t.Parallel()
	whole, list := sharing(t)
	shared, err := readFile(whole, rsg.ReaderOptions{Shared: true})
	check.OK(t, err)
	var others []int // that need no base
	for i, s := range shared {
		if s.Shared == nil {
			others = append(others, i)
		}
	}
	base, _ := section(t, whole, 1, "SHRD")
	table := int(blocks(t, whole)[1].Offset) + 40
	for name, at := range map[string]int{"its section": base + 100, "the record's section table": table} {
		data := flip(int64(at))(bytes.Clone(whole))
		r, err := rsg.NewReader(bytes.NewReader(data), "x", rsg.ReaderOptions{SkipDamaged: true})
		check.OK(t, err)
		var got []int
		for s, err := r.Next(); err == nil; s, err = r.Next() {
			got = append(got, s.Index)
		}
		if !slices.Equal(got, others) || r.Skipped() != len(list)-len(others) {
			t.Errorf("%s: got %v and %d skipped, want %v", name, got, r.Skipped(), others)
		}
		f, err := rsg.Open(data, "x", rsg.ReaderOptions{})
		check.OK(t, err)
		for range 2 { // the second time from what the file remembers
			for i := range list {
				_, err := f.At(i)
				var c *rsg.CorruptError
				switch {
				case slices.Contains(others, i):
					if err != nil {
						t.Errorf("%s: record %d: got %v", name, i, err)
					}
				case !errors.As(err, &c) || c.Record != i || errors.Is(err, rsg.ErrLostBackground) != (i > 1):
					t.Errorf("%s: record %d: got %v, want damage of the base", name, i, err)
				}
			}
		}
	}
}

// TestSharing_Forged makes records say what is not so, with checksums that fit.
func TestSharing_Forged(t *testing.T) {
	t.Parallel()
	whole, _ := sharing(t)
	le := binary.LittleEndian
	head, _ := section(t, whole, 2, "HEAD")
	counts := head + 16 + 2*8 // of friends; owns is the last of five
	shared, length := section(t, whole, 1, "SHRD")
	entities, _ := section(t, whole, 2, "ENTS")
	ids := shared + 2*4 + 5*8
	if le.Uint32(whole[head+12:]) != 1 || le.Uint32(whole[counts+12:]) != 1 {
		t.Fatal("record 2 does not share its friends in record 1")
	}
	set := func(at int, value uint32) func([]byte) { return func(b []byte) { le.PutUint32(b[at:], value) } }
	add := func(at int, n uint32) func([]byte) {
		return func(b []byte) { le.PutUint32(b[at:], le.Uint32(b[at:])+n) }
	}
	for _, row := range []struct {
		name    string
		forge   func([]byte)
		section string
		lost    bool // with the base of another record, for a mapped reader
	}{
		{"a base that is no record", set(head+12, 77), "HEAD", false},
		{"a base that comes later", set(head+12, 3), "HEAD", false},
		{"a record without a base", set(head+12, 0), "HEAD", true},
		{"no base", set(head+12, 0xffffffff), "HEAD", false},
		{"a tuple too many", add(counts, 1), "ENTS", false},
		{"a tuple too few", add(counts, 0xffffffff), "ENTS", false},
		{"an induced relation of no tuples", set(counts, 0), "HEAD", false},
		{"a flag of 2", set(counts+12, 2), "HEAD", false},
		{"an induced target", set(counts+2*16+12, 1), "HEAD", false},
		{"an induced relation of three arguments", set(counts+16+12, 1), "HEAD", false},
		{"an entity twice", func(b []byte) { copy(b[entities:entities+4], b[entities+4:]) }, "ENTS", false},
		{"a base without the relation", set(shared+2*4, 0), "SHRD", true},
		{"a base's flag of 2", set(shared+2*4, 2), "SHRD", true},
		{"a base with a target", set(shared+2*4+2*8, 1), "SHRD", true},
		{"a base of more entities", set(shared, 1<<31), "SHRD", true},
		{"a base of one entity more", add(shared, 1), "SHRD", true},
		{"a base of more tuples", set(shared+2*4+4, 1<<30), "SHRD", true},
		{"a base's entity that is not there yet", set(shared+2*4+5*8+4*int(le.Uint32(whole[shared:]))-4, 1<<20), "SHRD", true},
		{"a base's entity twice", func(b []byte) { copy(b[ids+4:ids+8], b[ids:]) }, "SHRD", true},
		{"a base's backward index", add(shared+length-4, 0xffffffff), "SHRD", true},
	} {
		data := bytes.Clone(whole)
		row.forge(data)
		rsgtest.Reseal(data)
		f, err := rsg.Open(data, "x", rsg.ReaderOptions{Shared: true})
		check.OK(t, err)
		_, err = f.At(2)
		var c *rsg.CorruptError
		if !errors.As(err, &c) || errors.Is(err, rsg.ErrLostBackground) != row.lost || !row.lost && c.Section != row.section {
			t.Errorf("%s, mapped: got %v, want damage of %s", row.name, err, row.section)
		}
		if _, err := rsg.Verify(bytes.NewReader(data), "x"); !errors.As(err, &c) || c.Section != row.section {
			t.Errorf("%s, Verify: got %v, want damage of %s", row.name, err, row.section)
		}
	}
}

// A base may be one before the last only for a mapped reader, which cannot tell.
func TestSharing_EarlierBase(t *testing.T) {
	t.Parallel()
	g := newGraph(rand.New(rand.NewPCG(8, 0)), 12, 8)
	var list []*subgraph.Subgraph
	b := newBuilder(social())
	for i := range 12 {
		list = append(list, g.one(t, b, i))
		g.grow(2, 1)
	}
	data := encode(t, social(), rsg.WriterOptions{}, list...)
	last, n := uint32(0xffffffff), 0
	for i := range list {
		head, _ := section(t, data, i, "HEAD")
		if base := binary.LittleEndian.Uint32(data[head+12:]); base != 0xffffffff && base != last {
			if n++; n == 2 {
				binary.LittleEndian.PutUint32(data[head+12:], last)
			}
			last = base
		}
	}
	check.MustAtLeast(t, n, 2, "bases")
	rsgtest.Reseal(data)
	check.ErrorIs(t, check.Err(readPipe(data, rsg.ReaderOptions{})), rsg.ErrFormat, "error")
}
