package paperscale_test

import (
	"testing"

	"resolwe/bench/paperscale"
	"resolwe/internal/test/check"
)

// What a hundredth of a task costs, go test -bench . ./bench/paperscale.

func BenchmarkWikiCollabs(b *testing.B) {
	benchmark(b, paperscale.WikiCollabs, "pairs of editors that communicate")
}

func BenchmarkDelicious(b *testing.B) { benchmark(b, paperscale.Delicious, "taggings") }

func benchmark(b *testing.B, task func(string, paperscale.Options) (*paperscale.Stats, error), rows string) {
	b.Helper()
	dir := b.TempDir()
	n := 0.0
	b.ReportAllocs()
	for b.Loop() {
		stats, err := task(dir, paperscale.Options{Scale: 0.01, Seed: 1})
		check.OK(b, err)
		n += stats.Figure(rows)
	}
	b.ReportMetric(n/b.Elapsed().Seconds(), "rows/s")
}
