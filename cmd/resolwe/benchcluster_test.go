package main_test

import (
	"testing"

	"resolwe/bench/cluster"
	"resolwe/internal/test/check"
)

// The defaults on the command line are those of the package.
func TestBenchCluster_Defaults(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{cluster.Select, cluster.Learn, cluster.Infer} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			got := printed[struct {
				Plans []struct {
					Shards int     `json:"shards"`
					Wall   float64 `json:"wall"`
					Price  float64 `json:"price"`
					Lost   float64 `json:"lost"`
				} `json:"plans"`
			}](t, "bench", "cluster", "--stage", stage, "--subgraphs", "1e7", "--cores", "64")
			task, on := cluster.Measured(stage), cluster.Assumed(64)
			task.Subgraphs = 1e7
			want, err := cluster.Recommend(t.Context(), &task, &on, cluster.Options{Runs: 3, Seed: 1})
			check.OK(t, err)
			p := got.Plans[0]
			if p.Shards != want.Shards || p.Wall != want.Wall || p.Price != want.Price || p.Lost != want.Lost {
				t.Errorf("got %+v, want %+v", p, want)
			}
		})
	}
}
