package exact_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/oracle"
	"resolwe/kernels/exact"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// sparseGraph ties each atom to a number of random ones.
func sparseGraph(r *rand.Rand, atoms, degree int) *network.Network {
	w := oracle.New(atoms, 1)
	for a := range atoms {
		for range degree / 2 {
			if b := r.IntN(atoms); a != b {
				w.And(0, 1, oracle.Pos(a), oracle.Pos(b))
			}
		}
	}
	return w.Network()
}

// pottsGraph ties choices of a number of values.
func pottsGraph(r *rand.Rand, sites, values, degree int) *network.Network {
	s := newStrip(sites, values, 1)
	for i := range sites {
		s.choice(i, true)
		for range degree / 2 {
			if j := r.IntN(sites); i != j {
				for k := range values {
					s.And(0, 1, oracle.Pos(i*values+k), oracle.Pos(j*values+k))
				}
			}
		}
	}
	return s.Network()
}

// How long it takes to find that a component is too wide: go test -bench TooWide ./kernels/tree.
func BenchmarkTooWide(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, degree := range []int{4, 6, 12, 30} {
		for _, atoms := range []int{400, 50_000} {
			benchmarkBind(b, fmt.Sprintf("atoms=%d/degree=%d", atoms, degree), sparseGraph(r, atoms, degree))
		}
	}
	for _, sites := range []int{500, 4000} {
		benchmarkBind(b, fmt.Sprintf("potts=%d", sites), pottsGraph(r, sites, 5, 6))
	}
}

func benchmarkBind(b *testing.B, name string, net *network.Network) {
	b.Helper()
	var m loglinear.Model
	m.Reset(net, []float64{1})
	var tr exact.Tree
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			if tr.Bind(&m, m.Components.Atoms(0), exact.MostEntries) == nil {
				b.Log("affordable")
			}
		}
	})
}
