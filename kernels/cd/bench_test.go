package cd_test

import (
	"math/rand/v2"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
)

// BenchmarkWorker_Gradient learns from a subgraph of the paper's task: with formulas of one target literal, whose
// expectations have closed forms, and with all; without and with the score for the prequential curve.
func BenchmarkWorker_Gradient(b *testing.B) {
	m := jointest.WikiCollabsModel(b, "modifies(t, u)\n")
	sub := jointest.WikiCollabs(&m.Schema, rand.New(rand.NewPCG(1, 1)), jointest.Size{Articles: 300, Users: 500, Targets: 5})
	last := len(m.Formulas) - 1
	for _, c := range []struct {
		name     string
		formulas []*mln.Formula
		score    *cd.Score
	}{
		{"independent", append(m.Formulas[:63:63], m.Formulas[last]), nil},
		{"independent, scored", append(m.Formulas[:63:63], m.Formulas[last]), &cd.Score{}},
		{"collective", m.Formulas, nil},
		{"collective, scored", m.Formulas, &cd.Score{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			net, atoms, err := ground.NewGrounder(ground.Compile(&m.Schema, c.formulas, ground.Learning)).Ground(sub)
			check.OK(b, err)
			ex := &cd.Example{Net: net, Data: atoms.Data()}
			w := cd.NewWorker(cd.Options{Samples: 5, Sampler: mcsat.MethodGibbs, MaxExact: 10})
			weights := make([]float64, len(c.formulas))
			r := rand.New(rand.NewPCG(1, 1))
			g := cd.Gradient{Score: c.score}
			b.ReportAllocs()
			for b.Loop() {
				check.OK(b, w.Gradient(&g, ex, weights, nil, r))
			}
		})
	}
}
