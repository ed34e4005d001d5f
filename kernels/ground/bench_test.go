package ground_test

import (
	"math/rand/v2"
	"testing"

	"resolwe/format/mln"
	"resolwe/kernels/ground"
	"resolwe/kernels/join/jointest"
)

// wikiCollabs is the paper's task.
func wikiCollabs(tb testing.TB) *mln.Model {
	tb.Helper()
	m, err := mln.Parse("model.mln", []byte(jointest.ReadFile(tb, "../join/jointest/testdata/wikicollabs.mln")), mln.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func BenchmarkGrounder_Ground(b *testing.B) {
	m := wikiCollabs(b)
	sub := jointest.WikiCollabs(&m.Schema, rand.New(rand.NewPCG(1, 1)), jointest.Paper)
	for name, mode := range map[string]ground.Mode{"counting": ground.Counting, "learning": ground.Learning} {
		b.Run(name, func(b *testing.B) {
			g := ground.NewGrounder(ground.Compile(&m.Schema, m.Formulas, mode))
			b.ReportAllocs()
			for b.Loop() {
				net, _, err := g.Ground(sub)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(net.Unary)), "unary")
				b.ReportMetric(float64(len(net.PairCoefs)), "pairs")
			}
		})
	}
}
