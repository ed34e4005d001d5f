package source_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/format/source"
	"resolwe/internal/test/check"
)

// TestPositions does at random to a set what it does to the list of its members.
func TestPositions(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		const far, limit = 1 << 33, 50
		set := source.PositionsFrom(far).Within(0, far+limit)
		var want []int
		for i := range limit {
			want = append(want, far+i)
		}
		for range 4 {
			begin, end := far+r.IntN(limit)-2, far+r.IntN(limit+2)
			inside := func(i int) bool { return begin <= i && i < end }
			list := make([]int, r.IntN(2*limit))
			for i := range list {
				list[i] = far + r.IntN(limit)
			}
			n := r.IntN(limit)
			first, rest := set.Split(n)
			n = min(n, len(want))
			switch r.IntN(4) {
			case 0:
				set = set.Within(begin, end)
				want = slices.DeleteFunc(want, func(i int) bool { return !inside(i) })
			case 1:
				set = set.Among(list)
				want = slices.DeleteFunc(want, func(i int) bool { return !slices.Contains(list, i) })
			case 2:
				set, want = first, want[:n]
			case 3:
				set, want = rest, want[n:]
			}
			check.Equal(t, "length", set.Len(), len(want))
			for i := range limit {
				if got := set.Has(far + i); got != slices.Contains(want, far+i) {
					t.Fatalf("has %d: got %v, want %v", i, got, !got)
				}
			}
			if len(want) > 0 && set.End() <= want[len(want)-1] {
				t.Fatalf("got the end %d, want one behind %d", set.End(), want[len(want)-1])
			}
		}
	}
}
