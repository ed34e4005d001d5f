package order_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/format/internal/order"
)

// lists are what one round of the twins works on: pairs of ids, and offsets into them.
type lists struct{ first, second, offsets []uint32 }

// results are what the functions make of lists.
type results struct {
	falls, pairFalls, startFalls int
	largest, largestSecond       uint32
	bounds, starts               bool
}

func (l *lists) got() (r results) {
	r.falls, r.largest = order.Falls(l.first)
	r.pairFalls, r.largestSecond = order.PairFalls(l.first, l.second)
	r.bounds = order.AreBounds(l.offsets, l.first)
	if r.startFalls, r.starts = order.StartFalls(l.offsets, l.second); !r.starts {
		r.startFalls = 0
	}
	return r
}

// want follows the definitions word by word.
func (l *lists) want() results {
	r := results{bounds: true, starts: slices.IsSorted(l.offsets)}
	for i := range l.first {
		r.largest, r.largestSecond = max(r.largest, l.first[i]), max(r.largestSecond, l.second[i])
		if i == 0 {
			continue
		}
		if l.first[i] <= l.first[i-1] {
			r.falls++
		}
		if cmp.Or(cmp.Compare(l.first[i-1], l.first[i]), cmp.Compare(l.second[i-1], l.second[i])) >= 0 {
			r.pairFalls++
		}
	}
	for i, at := range l.offsets {
		below := 0
		for below < len(l.first) && l.first[below] < uint32(i) {
			below++
		}
		r.bounds = r.bounds && uint64(at) == uint64(below)
		r.starts = r.starts && uint64(at) <= uint64(len(l.second))
	}
	r.bounds = r.bounds && uint64(l.offsets[len(l.offsets)-1]) == uint64(len(l.first))
	if !r.starts {
		return r
	}
	for i := 1; i < len(l.offsets); i++ {
		start, end := l.offsets[i-1], l.offsets[i]
		if 0 < start && start < end && l.second[start] <= l.second[start-1] {
			r.startFalls++
		}
	}
	return r
}

// table returns the columns and the offsets of a sorted table of a number of rows.
func table(r *rand.Rand, n, rows int) *lists {
	l := &lists{first: make([]uint32, n), second: make([]uint32, n), offsets: make([]uint32, rows+1)}
	for i := range l.first {
		l.first[i] = uint32(r.IntN(max(rows, 1)))
	}
	slices.Sort(l.first)
	for i := range l.second {
		if l.second[i] = uint32(r.IntN(3)); i > 0 && l.first[i] == l.first[i-1] {
			l.second[i] += 1 + l.second[i-1]
		}
	}
	for i := range l.offsets {
		at, _ := slices.BinarySearch(l.first, uint32(i))
		l.offsets[i] = uint32(at)
	}
	return l
}

// damage changes a random element, to a neighbouring value mostly.
func damage(r *rand.Rand, l *lists) {
	list := [][]uint32{l.first, l.second, l.offsets}[r.IntN(3)]
	if len(list) == 0 {
		return
	}
	at := r.IntN(len(list))
	switch r.IntN(5) {
	case 0:
		list[at]++
	case 1:
		list[at]--
	case 2:
		list[at] = list[r.IntN(len(list))]
	case 3:
		list[at] ^= 1 << r.IntN(32)
	case 4:
		list[at] = ^uint32(0)
	}
}

// checkTwins compares the Go loops and the vector kernels with the definitions.
func checkTwins(t *testing.T, l *lists, seed uint64) {
	t.Helper()
	want := l.want()
	if !slices.IsSorted(l.first) { // which AreBounds asks for
		want.bounds = false
	}
	for _, vector := range []bool{false, true} {
		restore := order.UseVector(vector)
		got := l.got()
		restore()
		if !slices.IsSorted(l.first) {
			got.bounds = false
		}
		if got != want {
			t.Fatalf("vector %v, seed %d, %d pairs, %d offsets: got %+v, want %+v", vector, seed, len(l.first),
				len(l.offsets), got, want)
		}
	}
}

func TestTwins_AllLengths(t *testing.T) {
	for n := range 300 {
		r := rand.New(rand.NewPCG(uint64(n), 0))
		for _, rows := range []int{0, 1, 1 + n/8, 2 * n} {
			if rows == 0 && n > 0 {
				continue
			}
			l := table(r, n, rows)
			checkTwins(t, l, uint64(n))
			if want := l.want(); !want.bounds || !want.starts || want.pairFalls > 0 {
				t.Fatalf("%d pairs in %d rows: got %+v for a sorted table", n, rows, want)
			}
			for range 8 {
				damage(r, l)
				checkTwins(t, l, uint64(n))
			}
		}
	}
}

// TestTwins_EveryPlace swaps two neighbours at each place, and makes them equal.
func TestTwins_EveryPlace(t *testing.T) {
	const n = 150
	l := &lists{first: make([]uint32, n), second: make([]uint32, n), offsets: []uint32{0, n}}
	for i := range uint32(n) {
		l.first[i], l.second[i] = 7, 1<<31-n/2+i // across the sign
	}
	for _, list := range [][]uint32{l.second, l.first} {
		for i := 1; i < n; i++ {
			list[i-1], list[i] = list[i], list[i-1]
			checkTwins(t, l, uint64(i))
			list[i-1], list[i] = list[i], list[i-1]
			saved := list[i]
			list[i] = list[i-1]
			checkTwins(t, l, uint64(i))
			list[i] = saved
		}
		copy(l.first, l.second)
	}
}

func FuzzTwins(f *testing.F) {
	for _, n := range []uint16{0, 1, 16, 31, 32, 33, 48, 100, 1000} {
		f.Add(uint64(n), n, n/3, uint8(0))
		f.Add(uint64(n), n, n/3, uint8(1))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n, rows uint16, damages uint8) {
		r := rand.New(rand.NewPCG(seed, 0))
		l := table(r, int(n%2000), 1+int(rows%2000))
		for range damages {
			damage(r, l)
		}
		checkTwins(t, l, seed)
	})
}

func BenchmarkChecks(b *testing.B) {
	l := table(rand.New(rand.NewPCG(1, 0)), 34_000, 3500)
	for _, kernels := range []struct {
		name   string
		vector bool
	}{{"go", false}, {"vector", true}} {
		defer order.UseVector(kernels.vector)()
		b.Run("falls/"+kernels.name, func(b *testing.B) {
			b.SetBytes(4 * int64(len(l.second)))
			for b.Loop() {
				order.Falls(l.second)
			}
		})
		b.Run("pairs/"+kernels.name, func(b *testing.B) {
			b.SetBytes(8 * int64(len(l.second)))
			for b.Loop() {
				order.PairFalls(l.first, l.second)
			}
		})
	}
	b.Run("bounds", func(b *testing.B) {
		b.SetBytes(4 * int64(len(l.offsets)))
		for b.Loop() {
			order.AreBounds(l.offsets, l.first)
		}
	})
	b.Run("starts", func(b *testing.B) {
		b.SetBytes(4 * int64(len(l.offsets)))
		for b.Loop() {
			order.StartFalls(l.offsets, l.second)
		}
	})
}
