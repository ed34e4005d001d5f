package main_test

import (
	"path/filepath"
	"testing"

	"resolwe/internal/test/check"
)

// TestPeerMarginals infers on the models that existing systems were measured on.
func TestPeerMarginals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, target string
	}{
		{"smokers", "Smokes,Cancer"},
		{"link", "m"},
		{"linkstrong", "m"}, // near-deterministic
		{"hardprobe", "m"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			base := filepath.Join("testdata/peers/small", tt.name)
			want := loaded[marginals](t, base+".exact.json")
			want.Subgraph = tt.name
			args := []string{"infer", base + ".mln", "--target", tt.target, "--stream", base + ".db", "--given"}
			compareMarginals(t, printed[[]marginals](t, args...), []marginals{want}, 1e-9, 1e-9)
			args = append(args, "--method", "mcsat", "--samples", manySamples(), "--seed", "1")
			compareMarginals(t, printed[[]marginals](t, args...), []marginals{want}, 0.005, 0.02)
		})
	}
}

// TestPeerWeights learns by sampling towards the exact optimum.
func TestPeerWeights(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of passes")
	}
	got := printed[weights](t, "learn", "testdata/peers/learn/link0.mln", "--target", "m", "--stream", "testdata/peers/learn",
		"--sigma", "2", "--method", "pcd", "--exact", "never", "--passes", "2000", "--seed", "1")
	want := loaded[struct{ Weights []float64 }](t, "testdata/peers/learn/exact_sd2.json").Weights
	check.MustIs(t, len(got.Weights), len(want), "weights")
	for i, w := range want {
		if g := got.Weights[i]; g.Weight < w-0.05 || g.Weight > w+0.05 {
			t.Errorf("%s: got weight %v, want %v within 0.05", g.Formula, g.Weight, w)
		}
	}
}
