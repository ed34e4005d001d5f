package resolwe_test

import (
	"fmt"
	"strings"
	"testing"

	"resolwe"
	"resolwe/bench/demo"
	"resolwe/format/rsg"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// demoStreams returns a stream of demo.Task in memory and in a mapped file.
func demoStreams(b *testing.B, m *resolwe.Model, n int) map[string]*resolwe.Stream {
	b.Helper()
	subs := streamtest.Demo(b, m, n, 0)
	path := file(b, "", "demo.rsg", pack(b, m.Schema, subs, rsg.WriterOptions{}))
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
	const n = 30
	m := parse(b, demo.New().Model)
	opt := resolwe.SelectOptions{Criterion: resolwe.Paper, Subgraphs: n}
	streams := demoStreams(b, m, n)
	for _, source := range []string{"memory", "mapped"} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("source=%s/workers=%d", source, workers), func(b *testing.B) {
				opt.Run.Workers = workers
				b.ReportAllocs()
				for b.Loop() {
					check.OK(b, check.Err(resolwe.Select(b.Context(), m, streams[source], opt)))
				}
				perSecond(b, n)
			})
		}
	}
}

// planted returns the demo's model with the formulas that it was drawn from.
func planted(b *testing.B, m *resolwe.Model) *resolwe.Model {
	b.Helper()
	d := demo.New()
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
	m := parse(b, demo.New().Model)
	weighted := planted(b, m)
	streams := demoStreams(b, m, n)
	for name, opt := range map[string]resolwe.LearnOptions{
		"batch=1": {Passes: 1}, "batch=4": {Passes: 1, Batch: 4}, "passes=auto": {},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				check.OK(b, check.Err(resolwe.Learn(b.Context(), weighted, streams["mapped"], opt)))
			}
			perSecond(b, n)
		})
	}
}

// go test -run '^$' -bench Infer -benchmem .
func BenchmarkInfer(b *testing.B) {
	const n = 8
	m := parse(b, demo.New().Model)
	weighted := planted(b, m)
	streams := demoStreams(b, m, n)
	for _, method := range []resolwe.Method{resolwe.MethodAuto, resolwe.MethodGibbs} {
		b.Run(fmt.Sprintf("method=%v", method), func(b *testing.B) {
			opt := resolwe.InferOptions{Method: method}
			b.ReportAllocs()
			for b.Loop() {
				err := inferring.Infer(b.Context(), weighted, streams["mapped"], opt, func(*resolwe.Marginals) error { return nil })
				check.OK(b, err)
			}
			perSecond(b, n)
		})
	}
}
