package shards_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"resolwe/format/shards"
	"resolwe/internal/test/check"
)

// leastMost is the least possible work of the largest of n parts that are not empty, by trying every last part.
func leastMost(work []int64, n int) int64 {
	if n == 1 {
		return total(work)
	}
	best := int64(math.MaxInt64)
	for i := n - 1; i < len(work); i++ {
		best = min(best, max(leastMost(work[:i], n-1), total(work[i:])))
	}
	return best
}

func total(work []int64) (sum int64) {
	for _, w := range work {
		sum += w
	}
	return sum
}

func TestCut_MatchesTryingAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		work := rapid.SliceOfN(rapid.Int64Range(0, 9), 1, 9).Draw(t, "work")
		n := rapid.IntRange(1, len(work)).Draw(t, "n")
		sizes, err := shards.Cut(work, n)
		check.OK(t, err)
		if len(sizes) != n || slices.Min(sizes) < 1 {
			t.Fatalf("got sizes %v, want %d that are not 0", sizes, n)
		}
		most, rest := int64(0), work
		for _, size := range sizes {
			most = max(most, total(rest[:size]))
			rest = rest[size:]
		}
		if len(rest) > 0 {
			t.Fatalf("got sizes %v of %d subgraphs", sizes, len(work))
		}
		check.Is(t, most, leastMost(work, n), "cut %v into %v, at most", work, sizes)
	})
}

func TestCut_Refuses(t *testing.T) {
	t.Parallel()
	for _, n := range []int{-1, 0, 4} {
		check.ErrorAs[*shards.TooManyError](t, check.Err(shards.Cut([]int64{1, 1, 1}, n)), "%d parts of 3", n)
	}
}
