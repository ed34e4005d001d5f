package order_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/format/internal/order"
)

// tuples returns n sorted tuples by columns, some of them equal.
func tuples(r *rand.Rand, arity, n int) [][]uint32 {
	list := make([][]uint32, n)
	for i := range list {
		list[i] = make([]uint32, arity)
		for c := range list[i] {
			list[i][c] = uint32(r.IntN(1+n/8)) * (1 << r.IntN(2) * 31)
		}
	}
	slices.SortFunc(list, slices.Compare[[]uint32])
	cols := make([][]uint32, arity)
	for c := range cols {
		for _, t := range list {
			cols[c] = append(cols[c], t[c])
		}
	}
	return cols
}

// wantTupleFalls follows the definition.
func wantTupleFalls(cols [][]uint32) (falls int) {
	row := func(i int) (t []uint32) {
		for _, col := range cols {
			t = append(t, col[i])
		}
		return t
	}
	for i := 1; i < len(cols[0]); i++ {
		if slices.Compare(row(i), row(i-1)) <= 0 {
			falls++
		}
	}
	return falls
}

func checkTupleFalls(t *testing.T, cols [][]uint32, seed uint64) {
	t.Helper()
	want := wantTupleFalls(cols)
	for _, vector := range []bool{false, true} {
		restore := order.UseVector(vector)
		got := order.TupleFalls(cols)
		restore()
		if got != want {
			t.Fatalf("vector %v, seed %d, %d tuples of %d: got %d, want %d", vector, seed, len(cols[0]), len(cols), got, want)
		}
	}
}

func TestTupleFalls(t *testing.T) {
	lengths := []int{4095, 4096, 4097, 4098, 4112, 8192, 8193, 8194, 9000} // around the vector kernel's chunks
	for n := range 200 {
		lengths = append(lengths, n)
	}
	for i, n := range lengths {
		seed := uint64(i)
		r := rand.New(rand.NewPCG(seed, 0))
		cols := tuples(r, 1+i%4, n)
		checkTupleFalls(t, cols, seed)
		for range min(n, 10) {
			col := cols[r.IntN(len(cols))]
			col[r.IntN(n)] ^= 1 << r.IntN(32)
			checkTupleFalls(t, cols, seed)
		}
	}
}

func FuzzTupleFalls(f *testing.F) {
	f.Add(uint64(1), uint16(100), uint8(3), uint8(0))
	f.Add(uint64(2), uint16(4097), uint8(2), uint8(5))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, arity, damages uint8) {
		r := rand.New(rand.NewPCG(seed, 0))
		cols := tuples(r, 1+int(arity%6), int(n%10_000))
		for range damages {
			if col := cols[r.IntN(len(cols))]; len(col) > 0 {
				col[r.IntN(len(col))] = uint32(r.IntN(4))
			}
		}
		checkTupleFalls(t, cols, seed)
	})
}

func TestTupleFalls_DoesNotAllocate(t *testing.T) {
	cols := tuples(rand.New(rand.NewPCG(1, 0)), 3, 5000)
	if n := testing.AllocsPerRun(10, func() { order.TupleFalls(cols) }); n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

func BenchmarkTupleFalls(b *testing.B) {
	cols := tuples(rand.New(rand.NewPCG(1, 0)), 3, 34_000)
	for name, vector := range map[string]bool{"go": false, "vector": true} {
		defer order.UseVector(vector)()
		b.Run(name, func(b *testing.B) {
			b.SetBytes(12 * int64(len(cols[0])))
			for b.Loop() {
				order.TupleFalls(cols)
			}
		})
	}
}
