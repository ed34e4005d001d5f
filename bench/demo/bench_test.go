package demo_test

import (
	"testing"

	"resolwe/bench/demo"
	"resolwe/internal/test/check"
)

// BenchmarkGenerate draws the default stream: go test -bench Generate ./bench/demo.
func BenchmarkGenerate(b *testing.B) {
	d := demo.New()
	schema := &parse(b, d.Model).Schema
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range d.Generate(schema, demo.Options{Seed: 1}) {
			check.OK(b, err)
			n++
		}
		if n != 80 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(80*float64(b.N)/b.Elapsed().Seconds(), "subgraphs/s")
}

// BenchmarkSelect counts all candidates on the default stream, in memory: go test -bench Select ./bench/demo.
func BenchmarkSelect(b *testing.B) {
	d := demo.New()
	task := compile(b, d)
	subs := generate(b, d, demo.Options{Seed: 1})
	b.ReportAllocs()
	for b.Loop() {
		count(b, task, subs)
	}
	b.ReportMetric(80*float64(b.N)/b.Elapsed().Seconds(), "subgraphs/s")
}
