package resolwe_test

import (
	"fmt"
	"strings"
	"testing"

	"resolwe"
	"resolwe/bench"
	"resolwe/format/subgraph"
)

// demoStreams returns a stream of bench.Demo in memory and in a mapped file.
func demoStreams(b *testing.B, m *resolwe.Model, n int) map[string]*resolwe.Stream {
	b.Helper()
	subs := demo(b, m, n)
	path := file(b, "", "demo.rsg", pack(b, m.Schema, subs, subgraph.WriterOptions{}))
	return map[string]*resolwe.Stream{
		"memory": resolwe.NewStream(m, subs), "mapped": open(b, m, resolwe.StreamOptions{Names: true}, path),
	}
}

// perSecond reports the subgraphs worked on in a second.
func perSecond(b *testing.B, n int) {
	b.Helper()
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "subgraphs/s")
}

// go test -run '^$' -bench Select -benchmem .
func BenchmarkSelect(b *testing.B) {
	m := parse(b, bench.NewDemo().Model)
	opt := resolwe.DefaultSelectOptions()
	streams := demoStreams(b, m, opt.Subgraphs)
	for _, source := range []string{"memory", "mapped"} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("source=%s/workers=%d", source, workers), func(b *testing.B) {
				opt.Run.Workers = workers
				b.ReportAllocs()
				for b.Loop() {
					if _, err := resolwe.Select(b.Context(), m, streams[source], opt); err != nil {
						b.Fatal(err)
					}
				}
				perSecond(b, opt.Subgraphs)
			})
		}
	}
}

// planted returns the demo's model with the formulas that it was drawn from.
func planted(b *testing.B, m *resolwe.Model) *resolwe.Model {
	b.Helper()
	d := bench.NewDemo()
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%v modifies(t, u)\n", d.Model, d.Base)
	for i, f := range d.Planted {
		fmt.Fprintf(&text, "%v %s\n", d.Strengths[i], f)
	}
	return m.With(parse(b, text.String()).Formulas[len(m.Formulas):])
}

// go test -run '^$' -bench Learn -benchmem .
func BenchmarkLearn(b *testing.B) {
	const n = 20
	m := parse(b, bench.NewDemo().Model)
	weighted := planted(b, m)
	streams := demoStreams(b, m, n)
	for _, batch := range []int{1, 4} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			opt := resolwe.DefaultLearnOptions()
			opt.Batch, opt.Objective = batch, false
			b.ReportAllocs()
			for b.Loop() {
				if _, err := resolwe.Learn(b.Context(), weighted, streams["mapped"], opt); err != nil {
					b.Fatal(err)
				}
			}
			perSecond(b, n)
		})
	}
}

// go test -run '^$' -bench Infer -benchmem .
func BenchmarkInfer(b *testing.B) {
	const n = 8
	m := parse(b, bench.NewDemo().Model)
	weighted := planted(b, m)
	streams := demoStreams(b, m, n)
	for _, method := range []resolwe.Method{resolwe.MethodAuto, resolwe.MethodGibbs} {
		b.Run(fmt.Sprintf("method=%v", method), func(b *testing.B) {
			opt := resolwe.DefaultInferOptions()
			opt.Method = method
			b.ReportAllocs()
			for b.Loop() {
				err := resolwe.Infer(b.Context(), weighted, streams["mapped"], opt, func(*resolwe.Marginals) error { return nil })
				if err != nil {
					b.Fatal(err)
				}
			}
			perSecond(b, n)
		})
	}
}
