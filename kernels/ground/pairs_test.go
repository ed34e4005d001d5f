package ground_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"resolwe/internal/test/check"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// Pairs are sorted, few and many for each atom.
func TestSortPairs(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		atoms := 2 + r.IntN(200)
		pairs := make([]network.Pair, r.IntN(4*atoms))
		for i := range pairs {
			a := r.IntN(atoms - 1)
			pairs[i] = network.Pair{A: uint32(a), B: uint32(a + 1 + r.IntN(atoms-a-1))}
		}
		want := slices.SortedFunc(slices.Values(pairs), func(p, q network.Pair) int {
			return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B))
		})
		check.Equal(t, "pairs", ground.SortPairs(atoms, pairs), want)
	}
}
