package rsg_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/rsgtest"
)

// alike returns subgraphs with the same names, entities and sizes for any seed, and other facts for another odd, 0 or 1.
func alike(tb testing.TB, seed uint64, n, odd int) []*subgraph.Subgraph {
	tb.Helper()
	r, b := rand.New(rand.NewPCG(seed, 0)), newBuilder(social())
	out := make([]*subgraph.Subgraph, n)
	for i := range out {
		b.Reset(fmt.Sprintf("s%02d", i), "P0", -1)
		for k := range 6 {
			b.Entity(0, fmt.Sprint("P", k))
		}
		for k, other := range r.Perm(6) {
			b.state(subgraph.True, "friends", fmt.Sprint("P", k), fmt.Sprint("P", other))
			b.state([]subgraph.Truth{subgraph.True, subgraph.False}[(k+odd)%2], "smokes", fmt.Sprint("P", other))
		}
		out[i] = b.finish(tb)
	}
	return out
}

// foreign requires that a stream is refused for its digest, and that it is sound with another one.
func foreign(tb testing.TB, what string, data []byte) {
	tb.Helper()
	check.ErrorIs(tb, check.Err(rsg.Verify(bytes.NewReader(data), "x")), rsg.ErrForeign, "%s: Verify", what)
	for name, read := range readers {
		check.ErrorIs(tb, check.Err(read(data, rsg.ReaderOptions{SkipDamaged: true})), rsg.ErrForeign, "%s: %s", what, name)
	}
	rsgtest.Reseal(data)
	check.OKf(tb, check.Err(rsg.Verify(bytes.NewReader(data), "x")), "%s, with a digest of its own", what)
}

// TestDigest_Spliced replaces every range of records by that of a stream that has the same names and sizes.
func TestDigest_Spliced(t *testing.T) {
	t.Parallel()
	const n = 16
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	a := encode(t, social(), rsg.WriterOptions{Whole: true}, alike(t, seed, n, 0)...)
	b := encode(t, social(), rsg.WriterOptions{Whole: true}, alike(t, seed+1, n, 1)...)
	at, found := blocks(t, a), 0
	check.Equal(t, "records", blocks(t, b), at)
	for i := range n {
		for k := i; k < n; k++ {
			from, to := at[i].Offset, at[k].Offset+at[k].Bytes
			foreign(t, fmt.Sprintf("records %d to %d of another stream", i, k), slices.Concat(a[:from], b[from:to], a[to:]))
			found++
		}
	}
	check.Equal(t, "spliced streams", found, n*(n+1)/2)
	end := indexOf(a)
	foreign(t, "the index of another stream", slices.Concat(a[:end], b[end:]))
	other := social()
	other.Predicates[0].Name = "enemies"
	c := encode(t, other, rsg.WriterOptions{Whole: true}, alike(t, seed, n, 0)...)
	foreign(t, "the schema of another stream", slices.Concat(c[:at[0].Offset], a[at[0].Offset:]))
}

// TestDigest_Moved gives a stream of other records, whose index fits them, the digest of the original.
func TestDigest_Moved(t *testing.T) {
	t.Parallel()
	const n = 6
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	opt := rsg.WriterOptions{Whole: true}
	list := alike(t, seed, n, 0)
	original := encode(t, social(), opt, list...)
	sums := indexSection(t, original, "sums")
	renamed := func(s *subgraph.Subgraph) *subgraph.Subgraph {
		again := *s
		again.Name = "again"
		return &again
	}
	for i := range n {
		cases := map[string][]*subgraph.Subgraph{
			"dropped":  slices.Delete(slices.Clone(list), i, i+1),
			"repeated": slices.Insert(slices.Clone(list), i, renamed(list[i])),
		}
		for k := range i {
			moved := slices.Clone(list)
			moved[i], moved[k] = moved[k], moved[i]
			cases[fmt.Sprint("swapped with ", k)] = moved
		}
		for what, moved := range cases {
			data := encode(t, social(), opt, moved...)
			at := indexSection(t, data, "sums")
			copy(data[at:at+8*len(moved)], original[sums:sums+8*n])
			copy(data[at+8*len(moved):], original[sums+8*n:sums+8*(n+1)]) // the last number stays the last
			rsgtest.ResealFrames(data)
			foreign(t, fmt.Sprintf("record %d %s", i, what), data)
		}
	}
}

// A stream of the minor version 0 need not have a digest; a later one must.
func TestDigest_Missing(t *testing.T) {
	t.Parallel()
	data := encode(t, social(), rsg.WriterOptions{}, samples(t)...)
	entry := bytes.LastIndex(data, []byte("sums"))
	copy(data[entry:], "none") // an optional section that nobody knows
	rsgtest.Reseal(data)
	for name, read := range readers {
		check.ErrorIs(t, check.Err(read(data, rsg.ReaderOptions{})), rsg.ErrFormat, "%s", name)
	}
	check.ErrorIs(t, check.Err(rsg.Verify(bytes.NewReader(data), "x")), rsg.ErrFormat, "Verify")
	binary.LittleEndian.PutUint16(data[10:], 0)
	rsgtest.Reseal(data)
	for name, read := range readers {
		check.OKf(t, check.Err(read(data, rsg.ReaderOptions{})), "%s", name)
	}
	sum, err := rsg.Verify(bytes.NewReader(data), "x")
	check.OK(t, err)
	check.Equal(t, "digest", sum.Digest, false)
}
