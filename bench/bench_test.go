package bench_test

import (
	"testing"

	"resolwe/bench"
)

// BenchmarkGenerate draws the default stream: go test -bench Generate ./bench.
func BenchmarkGenerate(b *testing.B) {
	d := bench.NewDemo()
	schema := &parse(b, d.Model).Schema
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range d.Generate(schema, bench.DemoOptions{Seed: 1}) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 80 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(80*float64(b.N)/b.Elapsed().Seconds(), "subgraphs/s")
}

// BenchmarkSelect counts all candidates on the default stream, in memory: go test -bench Select ./bench.
func BenchmarkSelect(b *testing.B) {
	d := bench.NewDemo()
	task := compile(b, d)
	subs := generate(b, d, bench.DemoOptions{Seed: 1})
	b.ReportAllocs()
	for b.Loop() {
		count(b, task, subs)
	}
	b.ReportMetric(80*float64(b.N)/b.Elapsed().Seconds(), "subgraphs/s")
}
