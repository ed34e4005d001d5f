package cd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/internal/elementary"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/cd"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
)

func TestConditionals_MatchDefinition(t *testing.T) {
	t.Parallel()
	const seed = 3
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var m loglinear.Model
	var c cd.Conditionals
	for range 60 {
		w, weights := oracle.Random(r, 9, 1, false)
		m.Reset(w.Network(), weights)
		m.SetExact(0)
		x := make([]bool, w.Atoms)
		for a := range x {
			x[a] = r.IntN(2) == 0
		}
		visits := uint32(0)
		c.Visit(&m, x, func(atom uint32, h float64, formulas []uint32, values []float64) {
			p := elementary.Sigmoid(h)
			check.MustIs(t, atom, visits, "atom")
			visits++
			y := append([]bool(nil), x...)
			y[atom] = true
			on := w.Counts(y)
			y[atom] = false
			off := w.Counts(y)
			got := make([]float64, w.Formulas)
			for k, f := range formulas {
				got[f] = values[k]
			}
			h = 0.0
			for f := range on {
				check.MustIs(t, got[f], float64(on[f]-off[f]), "atom %d, formula %d", atom, f)
				h += weights[f] * got[f]
			}
			oracle.Near(t, "conditional", p, 1/(1+math.Exp(-h)), 1e-12)
		})
		if int(visits) != w.Atoms {
			t.Fatalf("got %d atoms, want %d", visits, w.Atoms)
		}
	}
}

// TestInformation_MatchesVisit is the sum of the outer products of the conditional distributions that Visit shows, whichever way it goes.
func TestInformation_MatchesVisit(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]oracle.Drawing{
		"bare": oracle.Bare, "mixed": oracle.Mixed, "bare copies": oracle.BareReplicas,
		"tied copies": oracle.CoupledReplicas,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var x cd.Information
			for seed := range uint64(60) {
				r := rand.New(rand.NewPCG(seed, 47))
				net, _, weights := draw(r, 12, 0.3)
				var m loglinear.Model
				m.Reset(net, weights)
				m.SetExact(0)
				var c mcsat.Chain
				check.OK(t, c.Start(&m, make([]bool, 12), mcsat.DefaultOptions(), r))
				for range 3 {
					c.Step(r)
				}
				weights[r.IntN(len(weights))] += 0.1
				m.SetWeights(weights) // which the chain has not seen
				n := len(weights)
				got, want := make([]float64, n*n), make([]float64, n*n)
				got[0], want[0] = 1, 1
				x.Add(got, c.Current())
				new(cd.Conditionals).Visit(&m, c.State(), func(_ uint32, h float64, formulas []uint32, values []float64) {
					p := elementary.Sigmoid(h)
					for j, a := range formulas {
						for k, b := range formulas {
							want[int(a)*n+int(b)] += p * (1 - p) * values[j] * values[k]
						}
					}
				})
				for i, v := range want {
					check.MustNear(t, got[i], v, 1e-7*max(1, math.Abs(v)), "seed %d, formulas %d and %d", seed, i/n, i%n)
				}
			}
		})
	}
}

// Where only some components of some replicas are sampled, conditionals and information are those of their atoms.
func TestConditionals_SomeComponents(t *testing.T) {
	t.Parallel()
	var visit cd.Conditionals
	var info cd.Information
	batched := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 50))
		w, net, weights := oracle.Tied(r)
		var m loglinear.Model
		m.Reset(net, weights)
		routes := make([]loglinear.Route, m.Components.Len())
		for i := range routes {
			routes[i] = []loglinear.Route{loglinear.Sample, loglinear.Eliminate}[r.IntN(2)]
		}
		m.SetRoutes(routes)
		if m.Batched() {
			batched++
		}
		x := make([]bool, w.Atoms)
		for a := range x {
			x[a] = r.IntN(2) == 0
		}
		visits, f := make([]int, w.Atoms), w.Formulas
		visit.Visit(&m, x, func(atom uint32, _ float64, _ []uint32, _ []float64) { visits[atom]++ })
		got, want := make([]float64, f*f), make([]float64, f*f)
		var s loglinear.State
		s.Set(&m, x)
		info.Add(got, &s)
		for a, n := range visits {
			sampled := m.Sampled(uint32(a))
			check.MustIs(t, n, int(loglinear.Indicator(sampled)), "seed %d, visits of atom %d", seed, a)
			if !sampled {
				continue
			}
			y := slices.Clone(x)
			y[a] = true
			on := w.Counts(y)
			y[a] = false
			h := 0.0
			for i, n := range w.Counts(y) {
				on[i] -= n
				h += weights[i] * float64(on[i])
			}
			p := 1 / (1 + math.Exp(-h))
			for i := range want {
				want[i] += p * (1 - p) * float64(on[i/f]*on[i%f])
			}
		}
		for i, v := range want {
			check.MustNear(t, got[i], v, 1e-7*max(1, math.Abs(v)), "seed %d, information of %d and %d", seed, i/f, i%f)
		}
	}
	check.AtLeast(t, batched, 40, "networks whose replicas are computed side by side")
}

// A network with bilinear factors has the counts, conditionals and their changes of the one that lists the pairs.
func TestProducts_MatchListed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 41))
		draw := [...]oracle.Drawing{oracle.Mixed, oracle.CoupledReplicas}[seed%2]
		factored, listed, weights := draw(r, 8, 0.3)
		var m, n loglinear.Model
		m.Reset(factored, weights)
		n.Reset(listed, weights)
		for range 5 {
			x := make([]bool, 8)
			for a := range x {
				x[a] = r.IntN(2) == 0
			}
			got, want := make([]float64, len(weights)), make([]float64, len(weights))
			loglinear.AddCounts(got, factored, x)
			loglinear.AddCounts(want, listed, x)
			for f := range got {
				if got[f]+float64(factored.Constant[f]) != want[f]+float64(listed.Constant[f]) {
					t.Fatalf("seed %d, state %v, formula %d: got %v, want %v", seed, x, f, got[f], want[f])
				}
			}
			compareConditionals(t, seed, &m, &n, x)
		}
	}
}

// compareConditionals holds what two models say of single atoms against each other.
func compareConditionals(t *testing.T, seed uint64, got, want *loglinear.Model, x []bool) {
	t.Helper()
	conditionals := func(m *loglinear.Model) (p []float64, deltas []map[uint32]float64) {
		m.SetExact(0)
		p, deltas = make([]float64, len(x)), make([]map[uint32]float64, len(x))
		new(cd.Conditionals).Visit(m, x, func(a uint32, h float64, formulas []uint32, values []float64) {
			q := elementary.Sigmoid(h)
			d := map[uint32]float64{}
			for i, f := range formulas {
				d[f] = values[i]
			}
			p[a], deltas[a] = q, d
		})
		return p, deltas
	}
	p, d := conditionals(got)
	q, e := conditionals(want)
	for a := range q {
		check.MustNear(t, p[a], q[a], 1e-12, "seed %d, state %v, atom %d, probability", seed, x, a)
		for f := range uint32(len(got.Net.Constant)) {
			check.MustIs(t, d[a][f], e[a][f], "seed %d, state %v, atom %d, formula %d, change", seed, x, a, f)
		}
	}
}
