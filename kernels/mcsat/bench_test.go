package mcsat_test

import (
	"fmt"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/mcsat"
)

// crowd is a network of items times users: each item's atoms are tied along random pairs of users.
func crowd(items, users, degree int) (*oracle.Ground, []float64) {
	r := source(1, 1)
	w := oracle.New(items*users, 2)
	for u := range users {
		for range degree {
			v := r.IntN(users)
			for i := range items {
				if u != v {
					w.Implies(0, i*users+u, i*users+v)
				}
			}
		}
	}
	for a := range w.Atoms {
		w.And(1, 1, oracle.Pos(a))
	}
	return w, []float64{0.3, -0.4}
}

func benchmarkStep(b *testing.B, method mcsat.Method) {
	b.Helper()
	for _, degree := range []int{2, 20} {
		b.Run(fmt.Sprintf("atoms=6000/degree=%d", degree), func(b *testing.B) {
			w, weights := crowd(15, 400, degree)
			m := modelOf(w.Network(), weights)
			opt := mcsat.DefaultOptions()
			opt.Method, opt.Rounds = method, 1
			r := source(1, 0)
			var c mcsat.Chain
			check.OK(b, c.Start(m, make([]bool, w.Atoms), opt, r))
			b.ReportAllocs()
			for b.Loop() {
				c.Step(r)
			}
			b.ReportMetric(float64(w.Atoms)*float64(b.N)/b.Elapsed().Seconds(), "atoms/s")
		})
	}
}

// One slice and one sweep: go test -bench Step ./kernels/mcsat.
func BenchmarkStep(b *testing.B) { benchmarkStep(b, mcsat.MethodMCSAT) }

func BenchmarkGibbsSweep(b *testing.B) { benchmarkStep(b, mcsat.MethodGibbs) }
