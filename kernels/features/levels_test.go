package features_test

import (
	"math/rand/v2"
	"testing"

	"resolwe/kernels/features"
)

func TestLevels(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 7))
	for range 100000 {
		n := int64(r.Uint64() >> (1 + r.IntN(63)))
		l := int(features.Level(n))
		if features.Least(l) > n || l < 251 && features.Least(l+1) <= n {
			t.Fatalf("seed %d: count %d: level %d, from %d", seed, n, l, features.Least(l))
		}
	}
	for _, k := range features.Thresholds {
		if features.Least(int(features.Level(k))) != k {
			t.Errorf("threshold %d is within a level", k)
		}
	}
}
