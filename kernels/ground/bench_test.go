package ground_test

import (
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/ground"
)

func BenchmarkGrounder_Ground(b *testing.B) {
	m := jointest.WikiCollabsModel(b, "")
	sub := jointest.WikiCollabs(&m.Schema, rand.New(rand.NewPCG(1, 1)), jointest.Paper)
	for name, mode := range map[string]ground.Mode{"counting": ground.Counting, "learning": ground.Learning} {
		b.Run(name, func(b *testing.B) {
			g := ground.NewGrounder(ground.Compile(&m.Schema, m.Formulas, mode))
			b.ReportAllocs()
			for b.Loop() {
				net, _, err := g.Ground(sub)
				check.OK(b, err)
				b.ReportMetric(float64(len(net.Unary)), "unary")
				b.ReportMetric(float64(len(net.PairCoefs)), "pairs")
			}
		})
	}
}
