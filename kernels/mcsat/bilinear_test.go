package mcsat_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/network"
)

var drawings = map[string]oracle.Drawing{
	"bare": oracle.Bare, "mixed": oracle.Mixed, "bare replicas": oracle.BareReplicas,
	"coupled replicas": oracle.CoupledReplicas,
}

// Sampled marginals of networks with bilinear factors are near the exact ones.
func TestMarginals_Bilinear(t *testing.T) {
	t.Parallel()
	for name, draw := range drawings {
		for _, method := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
			t.Run(fmt.Sprint(name, ", ", method), func(t *testing.T) {
				t.Parallel()
				worst, sum, n := 0.0, 0.0, 0
				for seed := range uint64(5) {
					r := rand.New(rand.NewPCG(seed, 43))
					factored, listed, weights := draw(r, 10, 0.15)
					opt := mcsat.DefaultOptions()
					opt.Method, opt.Samples = method, 10_000
					got, _ := marginals(t, modelOf(factored, weights), opt, []*rand.Rand{r})
					for a, p := range enumerated(t, listed, weights) {
						d := math.Abs(got[a] - p)
						worst, sum, n = max(worst, d), sum+d, n+1
					}
				}
				if sum/float64(n) > 0.002 || worst > 0.03 {
					t.Errorf("got mean error %v, worst %v, want at most .002 and .03", sum/float64(n), worst)
				}
			})
		}
	}
}

// enumerated returns the exact marginals of a network.
func enumerated(t *testing.T, net *network.Network, weights []float64) []float64 {
	t.Helper()
	opt := mcsat.DefaultOptions()
	opt.Method = mcsat.MethodExact
	out, _ := marginals(t, modelOf(net, weights), opt, nil)
	return out
}

// Slices alone leave the distribution as it is: the clusters of a bilinear factor are drawn with the right probability.
func TestChain_Slices_Bilinear(t *testing.T) {
	t.Parallel()
	for name, draw := range drawings {
		spread := 0.1
		if strings.HasPrefix(name, "mixed") {
			spread = 0.05
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(4) {
				r := rand.New(rand.NewPCG(seed, 45))
				factored, listed, weights := draw(r, 7, spread)
				m := modelOf(factored, weights)
				m.SetExact(0)
				want := enumerated(t, listed, weights)
				opt := mcsat.DefaultOptions()
				opt.BurnIn = 0
				chain := started(t, m, make([]bool, 7), opt, r)
				chain.OnlySlices()
				const steps = 60_000
				got := make([]float64, 7)
				for range steps {
					chain.Step(r)
					for a, v := range chain.State() {
						if v {
							got[a] += 1.0 / steps
						}
					}
				}
				for a := range want {
					check.Near(t, got[a], want[a], 0.012, "seed %d, atom %d", seed, a)
				}
			}
		})
	}
}

// A chain that begins where all atoms of an entity hold each other true, which is far less probable than all false, leaves
// that state by way of its slices; single flips alone cannot.
func TestChain_LeavesMetastableState(t *testing.T) {
	t.Parallel()
	const atoms = 80
	net := &network.Network{
		NumAtoms: atoms, Constant: []int64{0, 0}, UnaryStart: make([]uint32, atoms+1), PairStart: []uint32{0},
		Incidences: []network.Incidence{{Start: []uint32{0, atoms}}},
		Bilinears:  []network.Bilinear{{Coefs: []network.Coef{{Formula: 1, Mult: 1}}}},
	}
	x := make([]bool, atoms)
	for a := range atoms {
		net.Unary = append(net.Unary, network.Coef{Formula: 0, Mult: 1})
		net.UnaryStart[a+1] = uint32(a + 1)
		net.Incidences[0].Atoms = append(net.Incidences[0].Atoms, uint32(a))
		x[a] = true
	}
	m := modelOf(net, []float64{-4.2, 0.05})
	for _, c := range []struct {
		method mcsat.Method
		most   int
		least  int
	}{{mcsat.MethodAuto, 20, 0}, {mcsat.MethodGibbs, atoms, 60}} {
		r := rand.New(rand.NewPCG(7, 7))
		opt := mcsat.DefaultOptions()
		opt.Method, opt.Rounds = c.method, 1
		chain := started(t, m, x, opt, r)
		for range 100 {
			chain.Step(r)
		}
		n := 0
		for _, v := range chain.State() {
			if v {
				n++
			}
		}
		if n < c.least || n > c.most {
			t.Errorf("%v: got %d atoms true after 100 steps, want %d to %d", c.method, n, c.least, c.most)
		}
	}
}

// A chain follows weights that change while it runs.
func TestChain_NewWeights_Bilinear(t *testing.T) {
	t.Parallel()
	for name, draw := range drawings {
		r := rand.New(rand.NewPCG(11, 47))
		factored, listed, weights := draw(r, 9, 0.15)
		m := modelOf(factored, slices.Repeat([]float64{1.5}, len(weights)))
		m.SetExact(0)
		opt := mcsat.DefaultOptions()
		opt.Method, opt.Rounds = mcsat.MethodGibbs, 1
		chain := started(t, m, make([]bool, 9), opt, r)
		m.SetWeights(weights)
		const steps = 40_000
		got := make([]float64, 9)
		for range steps {
			chain.Step(r)
			for a, v := range chain.State() {
				if v {
					got[a] += 1.0 / steps
				}
			}
		}
		for a, want := range enumerated(t, listed, weights) {
			check.Near(t, got[a], want, 0.02, "%s, atom %d", name, a)
		}
	}
}

// A network whose counts are in units has the same chains to the bit: a unit is a power of 2.
func TestMarginals_Units(t *testing.T) {
	t.Parallel()
	for name, draw := range drawings {
		for _, method := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
			sample := func(units bool) []float64 {
				r := rand.New(rand.NewPCG(7, 44))
				net, _, weights := draw(r, 12, 0.3)
				if units {
					net.Scale = slices.Repeat([]float64{network.Unit}, len(weights))
					inUnits(net)
				}
				opt := mcsat.DefaultOptions()
				opt.Method, opt.Samples = method, 300
				out, _ := marginals(t, modelOf(net, weights), opt, []*rand.Rand{r})
				return out
			}
			check.Slices(t, sample(true), sample(false), "%s, %v", name, method)
		}
	}
}

// inUnits multiplies the coefficients of a network.
func inUnits(net *network.Network) {
	lists := [][]network.Coef{net.Unary, net.PairCoefs}
	for i := range net.Conjunctions {
		lists = append(lists, net.Conjunctions[i].Coefs)
	}
	for i := range net.Features {
		lists = append(lists, net.Features[i].Coefs)
	}
	for i := range net.Bilinears {
		lists = append(lists, net.Bilinears[i].Coefs)
	}
	for _, coefs := range lists {
		for i := range coefs {
			coefs[i].Mult *= network.PerUnit
		}
	}
}
