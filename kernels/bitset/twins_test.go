package bitset_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/internal/test/check"
	"resolwe/kernels/bitset"
)

// operands are the operands of one comparison: two sets of n words and a matrix of that width.
type operands struct {
	a, b, matrix []uint64
	rows         []uint32
}

// results are the results of the functions on operands.
type results struct {
	Count, AndCount int
	And, Or, OrRows []uint64
}

func (r *results) equal(s *results) bool {
	return r.Count == s.Count && r.AndCount == s.AndCount &&
		slices.Equal(r.And, s.And) && slices.Equal(r.Or, s.Or) && slices.Equal(r.OrRows, s.OrRows)
}

// want computes the results one word at a time.
func (o *operands) want() results {
	r := results{And: slices.Clone(o.a), Or: slices.Clone(o.a), OrRows: slices.Clone(o.a)}
	for i := range o.a {
		a, b := o.a[i], o.b[i]
		r.Count += bits.OnesCount64(a)
		r.AndCount += bits.OnesCount64(a & b)
		r.And[i] &= b
		r.Or[i] |= b
		for _, row := range o.rows {
			r.OrRows[i] |= o.matrix[int(row)*len(o.a)+i]
		}
	}
	return r
}

// got calls the functions. Destinations are copies of a in memory allocated by place.
func (o *operands) got(place func(words []uint64) []uint64) results {
	r := results{
		Count: bitset.Count(o.a), AndCount: bitset.AndCount(o.a, o.b),
		And: place(o.a), Or: place(o.a), OrRows: place(o.a),
	}
	bitset.AndInto(r.And, o.b)
	bitset.OrInto(r.Or, o.b)
	bitset.OrRows(r.OrRows, o.matrix, o.rows)
	return r
}

// randomOperands draws operands of n words in memory allocated by place.
func randomOperands(r *rand.Rand, n int, place func(words []uint64) []uint64) *operands {
	words := func(n int) []uint64 {
		w := make([]uint64, n)
		for i := range w {
			w[i] = r.Uint64() | r.Uint64()&uint64(-r.IntN(2))
		}
		return place(w)
	}
	height := 1 + r.IntN(12)
	o := &operands{a: words(n), b: words(n), matrix: words(n * height)}
	for range r.IntN(20) {
		o.rows = append(o.rows, uint32(r.IntN(height)))
	}
	if len(o.matrix) > 0 && r.IntN(2) == 0 {
		clear(o.matrix[:n]) // in a sparse result, each row's contribution shows
	}
	return o
}

// guarded copies words to memory misaligned by some words, between guard words, so that reading a word too many changes the result.
// intact reports whether the guards are unchanged.
func guarded(misaligned int) (place func(words []uint64) []uint64, intact func() bool) {
	const guards = 8
	var taken [][]uint64
	place = func(words []uint64) []uint64 {
		memory := make([]uint64, misaligned+guards+len(words)+guards)
		for i := range memory {
			memory[i] = ^uint64(0)
		}
		at := misaligned + guards
		taken = append(taken, memory[:at], memory[at+len(words):])
		copy(memory[at:], words)
		return memory[at : at+len(words)]
	}
	intact = func() bool {
		for _, guard := range taken {
			for _, w := range guard {
				if w != ^uint64(0) {
					return false
				}
			}
		}
		return true
	}
	return place, intact
}

// checkTwins compares each level with the plain Go twin on operands of n words.
func checkTwins(t *testing.T, seed uint64, n, misaligned int) {
	t.Helper()
	place, intact := guarded(misaligned)
	o := randomOperands(rand.New(rand.NewPCG(seed, uint64(n))), n, place)
	want := o.want()
	for i, level := range bitset.Levels() {
		restore := bitset.UseLevel(i)
		got := o.got(place)
		restore()
		if !got.equal(&want) {
			t.Errorf("%s, seed %d, %d words, misaligned by %d: -got +want\n%s", level, seed, n, misaligned,
				cmp.Diff(got, want))
		}
		if !intact() {
			t.Errorf("%s, seed %d, %d words, misaligned by %d: wrote beyond the destination", level, seed, n, misaligned)
		}
	}
}

func TestTwins_AllLengths(t *testing.T) {
	for n := range 1101 {
		checkTwins(t, uint64(n), n, n%8)
	}
	for n := range 80 {
		for misaligned := range 8 {
			checkTwins(t, 1, n, misaligned)
		}
	}
}

func FuzzTwins(f *testing.F) {
	for _, n := range []uint16{0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025} {
		f.Add(uint64(n), n, uint8(n))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, misaligned uint8) {
		checkTwins(t, seed, int(n%1101), int(misaligned%8))
	})
}

// sideBySide interleaves sets word by word.
func sideBySide(sets [][]uint64, n int) []uint64 {
	stride := bitset.Stride(len(sets))
	out := make([]uint64, n*stride)
	for j, set := range sets {
		for w, x := range set {
			out[w*stride+j] = x
		}
	}
	return out
}

// The counts of AddAndCounts are those of AndCount, set by set, for bits and for lists.
func TestAddAndCounts(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		lanes, n := 1+r.IntN(20), r.IntN(40)
		if seed%10 == 0 {
			lanes = bitset.MaxLanes
		}
		place, intact := guarded(int(seed) % 8)
		sets := make([][]uint64, lanes)
		for j := range sets {
			sets[j] = randomOperands(r, n, slices.Clone[[]uint64]).a
		}
		row := place(randomOperands(r, n, slices.Clone[[]uint64]).a)
		cols := place(sideBySide(sets, n))
		to := r.Uint64() & r.Uint64() >> r.IntN(64)
		stride := bitset.Stride(lanes)
		before := make([]uint64, bits.Len64(to)*stride)
		for i := range before {
			before[i] = r.Uint64N(100)
		}
		want := slices.Clone(before)
		for i := range bits.Len64(to) {
			for j, set := range sets {
				want[i*stride+j] += uint64(bitset.AndCount(row, set)) * (to >> i & 1)
			}
		}
		check := func(what string, got []uint64) {
			t.Helper()
			for i := range got {
				if j := i % stride; j < lanes && got[i] != want[i] {
					t.Fatalf("%s, seed %d, %d words, %d sets: sum %d of member %d: got %d, want %d", what, seed, n, lanes, j, i/stride, got[i], want[i])
				}
			}
			if !intact() {
				t.Fatalf("%s, seed %d: wrote beyond the sums", what, seed)
			}
		}
		for i, level := range bitset.Levels() {
			restore := bitset.UseLevel(i)
			got := place(before)
			bitset.AddAndCounts(got, to, row, cols, lanes)
			restore()
			check(level, got)
		}
		got := place(before)
		bitset.AddHits(got, to, bitset.AppendIDs(nil, row), cols, lanes)
		check("list", got)
	}
}

// Ids are added at their places if these are within the set.
func TestSetPlaces(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		width, first := r.IntN(4), uint32(64*r.IntN(3))
		place := make([]uint32, r.IntN(300))
		for id := range place {
			place[id] = uint32(r.IntN(400))
			if r.IntN(3) == 0 {
				place[id] = ^uint32(0)
			}
		}
		var ids []uint32
		for id := range uint32(300) {
			if r.IntN(2) == 0 {
				ids = append(ids, id)
			}
		}
		place = slices.Clip(place)
		got, want := make([]uint64, width), make([]uint64, width)
		taken := bitset.SetPlaces(got, ids, place, first)
		n := 0
		for _, id := range ids {
			if int(id) < len(place) {
				n++
				if at := int64(place[id]) - int64(first); at >= 0 && at < int64(64*width) {
					bitset.Set(want, uint32(at))
				}
			}
		}
		if width == 0 {
			n = 0
		}
		if taken != n || !slices.Equal(got, want) {
			t.Fatalf("seed %d: got %x of %d ids, want %x of %d", seed, got, taken, want, n)
		}
	}
}

// Tuples of a matrix are those of its rows.
func TestSetTuples(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 4))
		n, width, place := 1+r.IntN(8), 1+r.IntN(3), make([]uint32, 200)
		for id := range place {
			place[id] = uint32(r.IntN(64*width+50)) | -uint32(r.IntN(3)/2) // some have none
		}
		got, want := make([]uint64, n*width), make([]uint64, n*width)
		var rows, ids []uint32
		for x := range n {
			begin := len(ids)
			for id := range uint32(len(place)) {
				if r.IntN(20) == 0 {
					rows, ids = append(rows, uint32(x)), append(ids, id)
				}
			}
			bitset.SetPlaces(want[x*width:][:width], ids[begin:], place, 0)
		}
		bitset.SetTuples(got, width, rows, ids, place)
		check.Equal(t, fmt.Sprint("seed ", seed), got, want)
	}
}

func TestOrRows_BeyondMatrix(t *testing.T) {
	for i, level := range bitset.Levels() {
		for name, c := range map[string]struct {
			width, words int
			rows         []uint32
		}{
			"first row":      {4, 0, []uint32{0}},
			"part of a row":  {4, 7, []uint32{0, 1}},
			"next row":       {9, 18, []uint32{0, 1, 2}},
			"last id":        {9, 18, []uint32{^uint32(0)}},
			"second block":   {100, 200, []uint32{1, 0, 2, 1}},
			"beyond a slice": {2, 2, []uint32{1}}, // within its capacity
		} {
			t.Run(level+"/"+name, func(t *testing.T) {
				defer bitset.UseLevel(i)()
				defer func() {
					if recover() == nil {
						t.Error("got no panic, want one")
					}
				}()
				matrix := make([]uint64, c.words+4*c.width)[:c.words]
				bitset.OrRows(make([]uint64, c.width), matrix, c.rows)
			})
		}
	}
}

func TestTranspose64_Twins(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		var m, want [64]uint64
		for i := range m {
			m[i] = r.Uint64()
			for j := range want {
				want[j] |= m[i] >> j & 1 << i
			}
		}
		for i, level := range bitset.Levels() {
			restore := bitset.UseLevel(i)
			got := m
			bitset.Transpose64(&got)
			restore()
			check.Equal(t, fmt.Sprintf("%s, seed %d", level, seed), got, want)
		}
	}
}
