package paper_test

import (
	"testing"

	"resolwe/bench/paper"
)

// What a hundredth of a task costs, measurement of the formulas included: go test -bench . ./bench/paper.

func BenchmarkWikiCollabs(b *testing.B) {
	benchmark(b, paper.WikiCollabs, "pairs of editors that communicate")
}

func BenchmarkDelicious(b *testing.B) { benchmark(b, paper.Delicious, "taggings") }

func benchmark(b *testing.B, task func(string, paper.Options) (*paper.Stats, error), rows string) {
	b.Helper()
	dir := b.TempDir()
	n := 0.0
	b.ReportAllocs()
	for b.Loop() {
		stats, err := task(dir, paper.Options{Scale: 0.01, Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		n += stats.Figure(rows)
	}
	b.ReportMetric(n/b.Elapsed().Seconds(), "rows/s")
}
