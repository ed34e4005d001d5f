package cut

import (
	"math/rand/v2"
	"slices"
	"testing"

	assert "resolwe/internal/test/check"
)

// TestSorter_Normalize sorts rows of several widths, of few and many different numbers, small and large, some of them in
// order by their last column.
func TestSorter_Normalize(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var s sorter
	for range 100 {
		in := rows{width: 1 + r.IntN(4), n: r.IntN(3000)}
		shift := make([]int, in.width)
		for c := range shift {
			shift[c] = []int{0, 40, 50, 60}[r.IntN(4)]
		}
		for range in.n {
			for _, k := range shift {
				in.data = append(in.data, r.Uint64()>>k+signBit)
			}
		}
		if last := in.width - 1; r.IntN(2) == 0 {
			for i := range in.n {
				in.row(i)[last] = uint64(i / 3)
			}
		}
		want := make([][]uint64, in.n)
		for i := range want {
			want[i] = slices.Clone(in.row(i))
		}
		slices.SortFunc(want, slices.Compare)
		want = slices.CompactFunc(want, slices.Equal)
		s.normalize(&in)
		got := make([][]uint64, in.n)
		for i := range got {
			got[i] = in.row(i)
		}
		assert.Equal(t, "rows", got, want)
		assert.Equal(t, "numbers", len(in.data), in.n*in.width)
	}
}
