package localsearch_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/oracle"
	"resolwe/kernels/localsearch"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// potts is groups of which exactly one atom is true, and couplings between values of groups.
type potts struct {
	groups, values int
	edges          []edge
	fields         [][]int // by group and value: formula, -1 for none
	weights        []float64
}

// edge couples value v of group a with value w of group b.
type edge struct{ a, v, b, w, formula int }

// newPotts draws a random graph. Where tables is true all pairs of values of neighbours have a coupling, else equal ones.
func newPotts(r *rand.Rand, groups, values, degree int, tables bool) *potts {
	p := &potts{groups: groups, values: values}
	for range 64 {
		p.weights = append(p.weights, r.NormFloat64())
	}
	for range groups * degree / 2 {
		a, b, f := r.IntN(groups), r.IntN(groups), r.IntN(len(p.weights))
		if a == b {
			continue
		}
		for v := range values {
			if !tables {
				p.edges = append(p.edges, edge{a, v, b, v, f})
				continue
			}
			for w := range values {
				p.edges = append(p.edges, edge{a, v, b, w, r.IntN(len(p.weights))})
			}
		}
	}
	for range groups {
		f := make([]int, values)
		for v := range f {
			f[v] = r.IntN(4*len(p.weights)) - 3*len(p.weights)
		}
		p.fields = append(p.fields, f)
	}
	return p
}

// world returns it as a network.
func (p *potts) world() *oracle.World {
	w := oracle.New(p.groups*p.values, len(p.weights))
	at := func(g, v int) int { return g*p.values + v }
	for g := range p.groups {
		some := make([]network.Lit, p.values)
		for v := range some {
			some[v] = oracle.Pos(at(g, v))
			for u := range v {
				w.HardClause(oracle.Neg(at(g, u)), oracle.Neg(at(g, v)))
			}
			if f := p.fields[g][v]; f >= 0 {
				w.And(uint32(f), 1, oracle.Pos(at(g, v)))
			}
		}
		w.HardClause(some...)
	}
	for _, e := range p.edges {
		w.And(uint32(e.formula), 1, oracle.Pos(at(e.a, e.v)), oracle.Pos(at(e.b, e.w)))
	}
	return w
}

// The weight that a search reaches on 20,000 atoms:
//
//	go test ./kernels/localsearch -run - -bench Potts -benchtime 1x
func BenchmarkPotts(b *testing.B) {
	for _, c := range []struct {
		values, degree int
		tables         bool
	}{{4, 3, false}, {4, 4, false}, {4, 8, false}, {4, 4, true}, {5, 4, false}} {
		p := newPotts(rand.New(rand.NewPCG(1, uint64(c.degree))), 20_000/c.values, c.values, c.degree, c.tables)
		name := fmt.Sprintf("values=%d/degree=%d/tables=%v", c.values, c.degree, c.tables)
		b.Run(name, func(b *testing.B) {
			var m loglinear.Model
			m.Reset(p.world().Network(), p.weights)
			var f localsearch.Search
			x := make([]bool, m.Net.NumAtoms)
			for b.Loop() {
				f.Bind(&m, x)
				for c := range m.Components.Len() {
					next := func(try int) *rand.Rand { return rand.New(rand.NewPCG(uint64(try), uint64(c))) }
					if _, err := f.Run(x, m.Components.Atoms(c), localsearch.DefaultOptions(), next); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(energy(m.Net, p.weights, x), "weight")
		})
		if testing.Short() { // the rest takes minutes
			break
		}
	}
}
