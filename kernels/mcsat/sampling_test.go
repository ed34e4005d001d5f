package mcsat_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/network"
)

func diffOf(got, want any) string { return cmp.Diff(want, got) }

func source(seed, chain int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), uint64(chain))) }

// modelOf binds a model to a network.
func modelOf(net *network.Network, weights []float64) *loglinear.Model {
	var m loglinear.Model
	m.Reset(net, weights)
	return &m
}

// started starts a chain.
func started(t *testing.T, m *loglinear.Model, x []bool, opt mcsat.Options, r *rand.Rand) *mcsat.Chain {
	t.Helper()
	var c mcsat.Chain
	check.OK(t, c.Start(m, x, opt, r))
	return &c
}

// marginals runs an inference of its own.
func marginals(t *testing.T, m *loglinear.Model, opt mcsat.Options, chains []*rand.Rand) ([]float64, mcsat.Diagnostics) {
	t.Helper()
	p := make([]float64, m.Net.NumAtoms)
	d, err := new(mcsat.Inference).Marginals(p, m, opt, chains)
	check.OK(t, err)
	return p, d
}

// Each of many short chains gives an estimate of its own: their mean lies within z standard errors of the truth.
func TestMarginals_RandomNetworks(t *testing.T) {
	t.Parallel()
	const (
		seed   = 4
		chains = 16
		z      = 5.5 // over 400 marginals with 15 degrees of freedom; floor 0.002 for those that hardly vary
	)
	t.Logf("seed %d", seed)
	networks := 24
	if testing.Short() {
		networks = 6
	}
	for _, method := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
		r := rand.New(rand.NewPCG(seed, 0))
		var m loglinear.Model
		var inf mcsat.Inference
		opt := mcsat.DefaultOptions()
		opt.Method, opt.Samples, opt.BurnIn, opt.Rounds = method, 400, 50, 2
		for i := range networks {
			w, weights := oracle.Random(r, 8+r.IntN(3), 0.8, i%2 == 0)
			want := w.Enumerate(weights)
			if want.States == 0 {
				continue
			}
			m.Reset(w.Network(), weights)
			estimates := make([][]float64, chains)
			for k := range estimates {
				estimates[k] = make([]float64, w.Atoms)
				check.OKf(t, check.Err(inf.Marginals(estimates[k], &m, opt, []*rand.Rand{source(i, k)})), "network %d", i)
			}
			for a, p := range want.Marginals {
				mean, deviation := moments(estimates, a)
				if bound := z*deviation/math.Sqrt(chains) + 0.002; math.Abs(mean-p) > bound {
					t.Errorf("%v, network %d, atom %d: got %.5f, want %.5f within %.5f", method, i, a, mean, p, bound)
				}
			}
		}
	}
}

func moments(estimates [][]float64, a int) (mean, deviation float64) {
	n := float64(len(estimates))
	for _, e := range estimates {
		mean += e[a] / n
	}
	for _, e := range estimates {
		deviation += (e[a] - mean) * (e[a] - mean) / (n - 1)
	}
	return mean, math.Sqrt(deviation)
}

func meanError(got, want []float64) float64 {
	sum := 0.0
	for a := range got {
		sum += math.Abs(got[a]-want[a]) / float64(len(got))
	}
	return sum
}

// Networks that samplers are known to get wrong.
func TestMarginals_Traps(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		atoms   int
		weights []float64
		build   func(w *oracle.Ground)
	}{
		{"hard disjunction", 2, nil, func(w *oracle.Ground) { w.HardClause(oracle.Pos(0), oracle.Pos(1)) }},
		{"hard implication", 2, nil, func(w *oracle.Ground) { w.HardClause(oracle.Neg(0), oracle.Pos(1)) }},
		{"hard conjunction", 3, []float64{-1}, func(w *oracle.Ground) {
			w.HardClause(oracle.Pos(0))
			w.HardClause(oracle.Neg(1))
			w.And(0, 1, oracle.Pos(0), oracle.Pos(2))
		}},
		{"exactly one of five", 5, []float64{0.7}, func(w *oracle.Ground) {
			exactlyOne(w, 0, 5)
			w.And(0, 1, oracle.Pos(0))
			w.And(0, 2, oracle.Pos(3))
		}},
		{"two sets of exactly one, tied", 8, []float64{0.9}, func(w *oracle.Ground) {
			exactlyOne(w, 0, 4)
			exactlyOne(w, 4, 8)
			for a := range 4 {
				w.And(0, 1, oracle.Pos(a), oracle.Pos(4+a))
			}
		}},
		{"equal and opposite", 4, []float64{0.5, -0.8}, func(w *oracle.Ground) {
			w.HardClause(oracle.Pos(0), oracle.Pos(1)) // 0 xor 1
			w.HardClause(oracle.Neg(0), oracle.Neg(1))
			w.HardClause(oracle.Neg(1), oracle.Pos(2)) // 1 iff 2
			w.HardClause(oracle.Pos(1), oracle.Neg(2))
			w.And(0, 1, oracle.Pos(0))
			w.And(1, 1, oracle.Pos(2), oracle.Pos(3))
		}},
		{"a cycle of implications", 5, []float64{0.4}, func(w *oracle.Ground) {
			for a := range 5 {
				w.HardClause(oracle.Neg(a), oracle.Pos((a+1)%5))
				w.And(0, 1, oracle.Neg(a))
			}
		}},
		{"hard feature of parity", 3, []float64{0.6}, func(w *oracle.Ground) {
			w.HardFeature(oracle.Node(network.OpIff, oracle.Node(network.OpIff, oracle.Leaf(oracle.Pos(0)), oracle.Leaf(oracle.Pos(1))), oracle.Leaf(oracle.Pos(2))))
			w.And(0, 1, oracle.Pos(0))
		}},
		{"frustrated ring", 5, []float64{-1.5, 0.6}, func(w *oracle.Ground) {
			for a := range 5 {
				w.And(0, 1, oracle.Pos(a), oracle.Pos((a+1)%5))
				w.And(1, 1, oracle.Pos(a))
			}
		}},
		{"long conjunctions of either sign", 6, []float64{2, -2}, func(w *oracle.Ground) {
			w.And(0, 1, oracle.Pos(0), oracle.Pos(1), oracle.Neg(2), oracle.Pos(3))
			w.And(1, 1, oracle.Neg(2), oracle.Neg(3), oracle.Neg(4), oracle.Neg(5))
		}},
	}
	for _, c := range cases {
		for _, method := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs, mcsat.MethodAuto} {
			t.Run(fmt.Sprintf("%s/%v", c.name, method), func(t *testing.T) {
				t.Parallel()
				w := oracle.New(c.atoms, len(c.weights))
				c.build(w)
				want := w.Enumerate(c.weights).Marginals
				m := modelOf(w.Network(), c.weights)
				opt := mcsat.DefaultOptions()
				opt.Method, opt.Samples = method, 10_000
				got, _ := marginals(t, m, opt, sources(1, 2))
				for a := range got {
					check.Near(t, got[a], want[a], 0.012, "atom %d", a)
				}
			})
		}
	}
}

func exactlyOne(w *oracle.Ground, from, to int) {
	var all []network.Lit
	for a := from; a < to; a++ {
		all = append(all, oracle.Pos(a))
		for b := from; b < a; b++ {
			w.HardClause(oracle.Neg(b), oracle.Neg(a))
		}
	}
	w.HardClause(all...)
}

func TestMarginals_UnitWeights(t *testing.T) {
	t.Parallel()
	for weight := -3.0; weight <= 3; weight++ {
		w := oracle.New(1, 1)
		w.And(0, 1, oracle.Pos(0))
		m := modelOf(w.Network(), []float64{weight})
		for _, method := range []mcsat.Method{mcsat.MethodAuto, mcsat.MethodMCSAT, mcsat.MethodGibbs, mcsat.MethodExact} {
			opt := mcsat.DefaultOptions()
			opt.Method = method
			got, _ := marginals(t, m, opt, nil)
			oracle.Near(t, fmt.Sprintf("%v at %v", method, weight), got[0], 1/(1+math.Exp(-weight)), 1e-15)
		}
	}
}

func TestMarginals_Unsatisfiable(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		build func(w *oracle.Ground)
	}{
		{"units", func(w *oracle.Ground) { w.HardClause(oracle.Pos(1)); w.HardClause(oracle.Neg(1)) }},
		{"chain of units", func(w *oracle.Ground) {
			w.HardClause(oracle.Pos(0))
			w.HardClause(oracle.Neg(0), oracle.Pos(1))
			w.HardClause(oracle.Neg(0), oracle.Neg(1), oracle.Pos(2))
			w.HardClause(oracle.Neg(2))
		}},
		{"equal and opposite", func(w *oracle.Ground) {
			w.HardClause(oracle.Pos(0), oracle.Pos(1))
			w.HardClause(oracle.Neg(0), oracle.Neg(1))
			w.HardClause(oracle.Pos(0), oracle.Neg(1))
			w.HardClause(oracle.Neg(0), oracle.Pos(1))
		}},
		{"all clauses of three", func(w *oracle.Ground) {
			for s := range 8 {
				w.HardClause(network.NewLit(0, s&1 > 0), network.NewLit(1, s&2 > 0), network.NewLit(2, s&4 > 0))
			}
		}},
		{"feature", func(w *oracle.Ground) {
			w.HardFeature(oracle.Node(network.OpIff, oracle.Leaf(oracle.Pos(0)), oracle.Leaf(oracle.Pos(1))))
			w.HardFeature(oracle.Node(network.OpIff, oracle.Leaf(oracle.Pos(0)), oracle.Leaf(oracle.Neg(1))))
		}},
		{"empty clause", func(w *oracle.Ground) { w.HardClause() }},
	}
	for _, c := range cases {
		for _, method := range []mcsat.Method{mcsat.MethodAuto, mcsat.MethodMCSAT, mcsat.MethodGibbs, mcsat.MethodExact} {
			t.Run(fmt.Sprintf("%s/%v", c.name, method), func(t *testing.T) {
				t.Parallel()
				w := oracle.New(3, 0)
				c.build(w)
				m := modelOf(w.Network(), nil)
				opt := mcsat.DefaultOptions()
				opt.Method = method
				_, err := new(mcsat.Inference).Marginals(make([]float64, 3), m, opt, sources(1, 1))
				oracle.WantUnsatisfiable(t, err)
			})
		}
	}
}

// Two atoms that are nearly always equal: single flips stay where they start, clusters do not.
func TestMarginals_Diagnostics(t *testing.T) {
	t.Parallel()
	w := oracle.New(2, 1)
	w.Implies(0, 0, 1)
	w.Implies(0, 1, 0)
	m := modelOf(w.Network(), []float64{12})
	chains := sources(9, 6)
	opt := mcsat.DefaultOptions()
	opt.Method = mcsat.MethodGibbs
	_, got := marginals(t, m, opt, chains)
	check.AtLeast(t, got.MaxRHat, 2, "gibbs, R-hat")
	opt.Method, opt.Rounds = mcsat.MethodMCSAT, 1
	_, got = marginals(t, m, opt, chains)
	if got.MaxRHat > 1.02 || got.MinESS < 3000 {
		t.Errorf("mcsat: got R-hat %.3f and %.0f effective samples, want about 1 and 6,000", got.MaxRHat, got.MinESS)
	}
}
