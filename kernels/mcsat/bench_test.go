package mcsat_test

import (
	"fmt"
	"testing"

	"resolwe/kernels/mcsat"
)

// crowd is a network of items times users: each item's atoms are tied along random pairs of users.
func crowd(items, users, degree int) (*world, []float64) {
	r := source(1, 1)
	w := newWorld(items*users, 2)
	for u := range users {
		for range degree {
			v := r.IntN(users)
			for i := range items {
				if u != v {
					w.implies(0, i*users+u, i*users+v)
				}
			}
		}
	}
	for a := range w.atoms {
		w.and(1, 1, pos(a))
	}
	return w, []float64{0.3, -0.4}
}

func benchmarkStep(b *testing.B, method mcsat.Method) {
	b.Helper()
	for _, degree := range []int{2, 20} {
		b.Run(fmt.Sprintf("atoms=6000/degree=%d", degree), func(b *testing.B) {
			w, weights := crowd(15, 400, degree)
			var m mcsat.Model
			m.Reset(w.network(), weights)
			opt := mcsat.DefaultOptions()
			opt.Method, opt.Rounds = method, 1
			r := source(1, 0)
			var c mcsat.Chain
			if err := c.Start(&m, make([]bool, w.atoms), opt, r); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				c.Step(r)
			}
			b.ReportMetric(float64(w.atoms)*float64(b.N)/b.Elapsed().Seconds(), "atoms/s")
		})
	}
}

// One slice and one sweep: go test -bench Step ./kernels/mcsat.
func BenchmarkStep(b *testing.B) { benchmarkStep(b, mcsat.MethodMCSAT) }

func BenchmarkGibbsSweep(b *testing.B) { benchmarkStep(b, mcsat.MethodGibbs) }

func BenchmarkSetWeights(b *testing.B) {
	w, weights := crowd(15, 400, 20)
	var m mcsat.Model
	m.Reset(w.network(), weights)
	b.ReportAllocs()
	for b.Loop() {
		m.SetWeights(weights)
	}
}

func BenchmarkReset(b *testing.B) {
	w, weights := crowd(15, 400, 20)
	net := w.network()
	var m mcsat.Model
	b.ReportAllocs()
	for b.Loop() {
		m.Reset(net, weights)
	}
}

func BenchmarkEnumerate(b *testing.B) {
	for _, kind := range []struct{ atoms, degree int }{{20, 2}, {20, 19}} {
		for _, covariance := range []bool{false, true} {
			b.Run(fmt.Sprintf("atoms=%d/degree=%d/covariance=%v", kind.atoms, kind.degree, covariance), func(b *testing.B) {
				w := newWorld(kind.atoms, 3)
				for a := range kind.atoms {
					w.and(0, 1, pos(a))
					for k := range kind.degree {
						w.implies(1+uint32(k%2), a, (a+k+1)%kind.atoms)
					}
				}
				var m mcsat.Model
				m.Reset(w.network(), []float64{-0.5, 0.4, 0.1})
				m.SetExact(kind.atoms)
				var e mcsat.Expectation
				b.ReportAllocs()
				for b.Loop() {
					if err := e.Compute(&m, covariance); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
