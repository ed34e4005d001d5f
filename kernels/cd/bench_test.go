package cd_test

import (
	"math/rand/v2"
	"testing"

	"resolwe/format/mln"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/kernels/join/jointest"
	"resolwe/kernels/mcsat"
)

// BenchmarkWorker_Gradient learns from a subgraph of the paper's task: with formulas of one target literal, whose
// expectations have closed forms, and with all; without and with the score for the prequential curve.
func BenchmarkWorker_Gradient(b *testing.B) {
	text := jointest.ReadFile(b, "../join/jointest/testdata/wikicollabs.mln")
	m, err := mln.Parse("model.mln", []byte(text+"\nmodifies(t, u)\n"), mln.Options{})
	if err != nil {
		b.Fatal(err)
	}
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
			if err != nil {
				b.Fatal(err)
			}
			ex := &cd.Example{Net: net, Data: atoms.Data()}
			w := cd.NewWorker(cd.Options{Samples: 5, Sampler: mcsat.MethodGibbs, MaxExact: 10})
			weights := make([]float64, len(c.formulas))
			r := rand.New(rand.NewPCG(1, 1))
			g := cd.Gradient{Score: c.score}
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Gradient(&g, ex, weights, ex.Data, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
