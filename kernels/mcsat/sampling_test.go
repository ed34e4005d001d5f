package mcsat_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
)

func diffOf(got, want any) string { return cmp.Diff(want, got) }

func source(seed, chain int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), uint64(chain))) }

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
		var m mcsat.Model
		var inf mcsat.Inference
		opt := mcsat.DefaultOptions()
		opt.Method, opt.Samples, opt.BurnIn, opt.Rounds = method, 400, 50, 2
		for i := range networks {
			w, weights := randomWorld(r, 8+r.IntN(3), 0.8, i%2 == 0)
			want := w.enumerate(weights)
			if want.states == 0 {
				continue
			}
			m.Reset(w.network(), weights)
			estimates := make([][]float64, chains)
			for k := range estimates {
				estimates[k] = make([]float64, w.atoms)
				if _, err := inf.Marginals(estimates[k], &m, opt, []*rand.Rand{source(i, k)}); err != nil {
					t.Fatalf("network %d: %v", i, err)
				}
			}
			for a, p := range want.marginals {
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

func TestMarginals_PublishedNetworks(t *testing.T) {
	t.Parallel()
	bars := map[string][2]float64{ // mean absolute error after 1,000 and 20,000 samples
		"smokers": {.0025, .001}, "link": {.009, .001}, "linkstrong": {.008, .001}, "hardprobe": {.0035, .001},
	}
	for _, b := range benches() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			exact := b.world.enumerate(b.weights).marginals
			var m mcsat.Model
			m.Reset(b.world.network(), b.weights)
			for i, run := range []struct{ samples, seeds int }{{1000, 6}, {20_000, 1}} {
				if run.samples > 1000 && testing.Short() {
					continue
				}
				opt := mcsat.DefaultOptions()
				opt.Method, opt.Samples = mcsat.MethodMCSAT, run.samples
				sum := 0.0
				for seed := range run.seeds {
					got := make([]float64, b.world.atoms)
					d, err := new(mcsat.Inference).Marginals(got, &m, opt, []*rand.Rand{source(seed, 0)})
					if err != nil {
						t.Fatal(err)
					}
					if d.Sampled != b.world.atoms || d.MaxRHat < 0.99 || d.MaxRHat > 1.1 || d.MinESS <= 0 {
						t.Errorf("got %+v", d)
					}
					sum += meanError(got, exact) / float64(run.seeds)
				}
				if sum > bars[b.name][i] {
					t.Errorf("%d samples: mean absolute error %.5f, want at most %.5f", run.samples, sum, bars[b.name][i])
				}
			}
		})
	}
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
		build   func(w *world)
	}{
		{"hard disjunction", 2, nil, func(w *world) { w.hardClause(pos(0), pos(1)) }},
		{"hard implication", 2, nil, func(w *world) { w.hardClause(neg(0), pos(1)) }},
		{"hard conjunction", 3, []float64{-1}, func(w *world) {
			w.hardClause(pos(0))
			w.hardClause(neg(1))
			w.and(0, 1, pos(0), pos(2))
		}},
		{"exactly one of five", 5, []float64{0.7}, func(w *world) {
			exactlyOne(w, 0, 5)
			w.and(0, 1, pos(0))
			w.and(0, 2, pos(3))
		}},
		{"two sets of exactly one, tied", 8, []float64{0.9}, func(w *world) {
			exactlyOne(w, 0, 4)
			exactlyOne(w, 4, 8)
			for a := range 4 {
				w.and(0, 1, pos(a), pos(4+a))
			}
		}},
		{"equal and opposite", 4, []float64{0.5, -0.8}, func(w *world) {
			w.hardClause(pos(0), pos(1)) // 0 xor 1
			w.hardClause(neg(0), neg(1))
			w.hardClause(neg(1), pos(2)) // 1 iff 2
			w.hardClause(pos(1), neg(2))
			w.and(0, 1, pos(0))
			w.and(1, 1, pos(2), pos(3))
		}},
		{"a cycle of implications", 5, []float64{0.4}, func(w *world) {
			for a := range 5 {
				w.hardClause(neg(a), pos((a+1)%5))
				w.and(0, 1, neg(a))
			}
		}},
		{"hard feature of parity", 3, []float64{0.6}, func(w *world) {
			w.hardFeature(node(ground.OpIff, node(ground.OpIff, leaf(pos(0)), leaf(pos(1))), leaf(pos(2))))
			w.and(0, 1, pos(0))
		}},
		{"frustrated ring", 5, []float64{-1.5, 0.6}, func(w *world) {
			for a := range 5 {
				w.and(0, 1, pos(a), pos((a+1)%5))
				w.and(1, 1, pos(a))
			}
		}},
		{"long conjunctions of either sign", 6, []float64{2, -2}, func(w *world) {
			w.and(0, 1, pos(0), pos(1), neg(2), pos(3))
			w.and(1, 1, neg(2), neg(3), neg(4), neg(5))
		}},
	}
	for _, c := range cases {
		for _, method := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs, mcsat.MethodAuto} {
			t.Run(fmt.Sprintf("%s/%v", c.name, method), func(t *testing.T) {
				t.Parallel()
				w := newWorld(c.atoms, len(c.weights))
				c.build(w)
				want := w.enumerate(c.weights).marginals
				var m mcsat.Model
				m.Reset(w.network(), c.weights)
				opt := mcsat.DefaultOptions()
				opt.Method, opt.Samples = method, 10_000
				got := make([]float64, c.atoms)
				if _, err := new(mcsat.Inference).Marginals(got, &m, opt, []*rand.Rand{source(1, 0), source(1, 1)}); err != nil {
					t.Fatal(err)
				}
				for a := range got {
					if math.Abs(got[a]-want[a]) > 0.012 {
						t.Errorf("atom %d: got %.4f, want %.4f", a, got[a], want[a])
					}
				}
			})
		}
	}
}

func exactlyOne(w *world, from, to int) {
	var all []ground.Lit
	for a := from; a < to; a++ {
		all = append(all, pos(a))
		for b := from; b < a; b++ {
			w.hardClause(neg(b), neg(a))
		}
	}
	w.hardClause(all...)
}

func TestMarginals_UnitWeights(t *testing.T) {
	t.Parallel()
	for weight := -3.0; weight <= 3; weight++ {
		w := newWorld(1, 1)
		w.and(0, 1, pos(0))
		var m mcsat.Model
		m.Reset(w.network(), []float64{weight})
		for method := mcsat.MethodAuto; method <= mcsat.MethodExact; method++ {
			opt := mcsat.DefaultOptions()
			opt.Method = method
			got := make([]float64, 1)
			if _, err := new(mcsat.Inference).Marginals(got, &m, opt, nil); err != nil {
				t.Fatal(err)
			}
			near(t, fmt.Sprintf("%v at %v", method, weight), got[0], 1/(1+math.Exp(-weight)), 1e-15)
		}
	}
}

func TestMarginals_Unsatisfiable(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		build func(w *world)
	}{
		{"units", func(w *world) { w.hardClause(pos(1)); w.hardClause(neg(1)) }},
		{"chain of units", func(w *world) {
			w.hardClause(pos(0))
			w.hardClause(neg(0), pos(1))
			w.hardClause(neg(0), neg(1), pos(2))
			w.hardClause(neg(2))
		}},
		{"equal and opposite", func(w *world) {
			w.hardClause(pos(0), pos(1))
			w.hardClause(neg(0), neg(1))
			w.hardClause(pos(0), neg(1))
			w.hardClause(neg(0), pos(1))
		}},
		{"all clauses of three", func(w *world) {
			for s := range 8 {
				w.hardClause(
					ground.NewLit(0, s&1 > 0), ground.NewLit(1, s&2 > 0), ground.NewLit(2, s&4 > 0))
			}
		}},
		{"feature", func(w *world) {
			w.hardFeature(node(ground.OpIff, leaf(pos(0)), leaf(pos(1))))
			w.hardFeature(node(ground.OpIff, leaf(pos(0)), leaf(neg(1))))
		}},
		{"empty clause", func(w *world) { w.hardClause() }},
	}
	for _, c := range cases {
		for method := mcsat.MethodAuto; method <= mcsat.MethodExact; method++ {
			t.Run(fmt.Sprintf("%s/%v", c.name, method), func(t *testing.T) {
				t.Parallel()
				w := newWorld(3, 0)
				c.build(w)
				var m mcsat.Model
				m.Reset(w.network(), nil)
				opt := mcsat.DefaultOptions()
				opt.Method = method
				_, err := new(mcsat.Inference).Marginals(make([]float64, 3), &m, opt, []*rand.Rand{source(1, 0)})
				wantUnsatisfiable(t, err)
			})
		}
	}
}

// A pigeonhole problem is too large to decide: the search gives up after a bounded time.
func TestChain_GivesUp(t *testing.T) {
	t.Parallel()
	const pigeons, holes = 6, 5
	w := newWorld(pigeons*holes, 0)
	for p := range pigeons {
		var somewhere []ground.Lit
		for h := range holes {
			somewhere = append(somewhere, pos(p*holes+h))
			for q := range p {
				w.hardClause(neg(q*holes+h), neg(p*holes+h))
			}
		}
		w.hardClause(somewhere...)
	}
	var m mcsat.Model
	m.Reset(w.network(), nil)
	var c mcsat.Chain
	err := c.Start(&m, make([]bool, w.atoms), mcsat.DefaultOptions(), source(1, 0))
	var unsatisfiable *mcsat.UnsatisfiableError
	if !errors.As(err, &unsatisfiable) || unsatisfiable.Proven {
		t.Errorf("got error %v, want *UnsatisfiableError without proof", err)
	}
}

// A satisfiable problem near the threshold: a chain finds a first state and never leaves the hard constraints.
func TestChain_StaysLawful(t *testing.T) {
	t.Parallel()
	const seed, atoms = 5, 60
	t.Logf("seed %d", seed)
	for i := range 10 {
		r := source(seed, i)
		hidden := make([]bool, atoms)
		for a := range hidden {
			hidden[a] = r.IntN(2) == 0
		}
		w := newWorld(atoms, 1)
		for range 4 * atoms {
			var lits []ground.Lit
			for _, a := range r.Perm(atoms)[:2+r.IntN(2)] {
				lits = append(lits, ground.NewLit(uint32(a), r.IntN(2) == 0))
			}
			if some(lits)(hidden) {
				w.hardClause(lits...)
			}
		}
		w.and(0, 1, pos(0), pos(1))
		var m mcsat.Model
		m.Reset(w.network(), []float64{1})
		for _, method := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
			opt := mcsat.DefaultOptions()
			opt.Method = method
			var c mcsat.Chain
			if err := c.Start(&m, make([]bool, atoms), opt, r); err != nil {
				t.Fatal(err)
			}
			for range 30 {
				if !w.lawful(c.State()) {
					t.Fatalf("network %d: a hard constraint is violated", i)
				}
				c.Step(r)
			}
		}
	}
}

func TestChain_StartKeepsLawfulState(t *testing.T) {
	t.Parallel()
	b := hardprobe()
	var m mcsat.Model
	m.Reset(b.world.network(), b.weights)
	x := []bool{false, true, true, true}
	var c mcsat.Chain
	if err := c.Start(&m, x, mcsat.DefaultOptions(), source(1, 0)); err != nil {
		t.Fatal(err)
	}
	if diff := diffOf(c.State(), x); diff != "" {
		t.Error(diff)
	}
}

// The chain moves only what is sampled, and its counts with the exact part's are the network's.
func TestChain_AddCounts(t *testing.T) {
	t.Parallel()
	const seed = 6
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		w, weights := randomWorld(r, 9, 1, false)
		var m mcsat.Model
		m.Reset(w.network(), weights)
		m.SetExact(r.IntN(4))
		x := make([]bool, w.atoms)
		var c mcsat.Chain
		if err := c.Start(&m, x, mcsat.DefaultOptions(), r); err != nil {
			t.Fatal(err)
		}
		start := make([]float64, w.formulas)
		mcsat.AddCounts(start, m.Network(), c.State())
		before := make([]float64, w.formulas)
		c.AddCounts(before)
		c.Step(r)
		for a := range x {
			if !m.Sampled(uint32(a)) && c.State()[a] {
				t.Fatalf("atom %d moved", a)
			}
		}
		end := make([]float64, w.formulas)
		mcsat.AddCounts(end, m.Network(), c.State())
		after := make([]float64, w.formulas)
		c.AddCounts(after)
		for f := range end {
			if got, want := after[f]-before[f], end[f]-start[f]; got != want {
				t.Fatalf("formula %d: got a change of %v, want %v", f, got, want)
			}
		}
	}
}

// Two atoms that are nearly always equal: single flips stay where they start, clusters do not.
func TestMarginals_Diagnostics(t *testing.T) {
	t.Parallel()
	w := newWorld(2, 1)
	w.implies(0, 0, 1)
	w.implies(0, 1, 0)
	var m mcsat.Model
	m.Reset(w.network(), []float64{12})
	var chains []*rand.Rand
	for k := range 6 {
		chains = append(chains, source(9, k))
	}
	opt := mcsat.DefaultOptions()
	opt.Method = mcsat.MethodGibbs
	got, err := new(mcsat.Inference).Marginals(make([]float64, 2), &m, opt, chains)
	if err != nil {
		t.Fatal(err)
	}
	if got.MaxRHat < 2 {
		t.Errorf("gibbs: got R-hat %.3f, want a warning", got.MaxRHat)
	}
	opt.Method = mcsat.MethodMCSAT
	opt.Rounds = 1
	got, err = new(mcsat.Inference).Marginals(make([]float64, 2), &m, opt, chains)
	if err != nil {
		t.Fatal(err)
	}
	if got.MaxRHat > 1.02 || got.MinESS < 3000 {
		t.Errorf("mcsat: got R-hat %.3f and %.0f effective samples, want about 1 and 6,000", got.MaxRHat, got.MinESS)
	}
}

func TestMarginals_SameSourceSameResult(t *testing.T) {
	t.Parallel()
	w, weights := randomWorld(source(7, 0), 10, 1, false)
	opt := mcsat.DefaultOptions()
	opt.Method = mcsat.MethodMCSAT
	var results [2][]float64
	var inf mcsat.Inference
	for i := range results {
		var m mcsat.Model
		m.Reset(w.network(), weights)
		results[i] = make([]float64, w.atoms)
		if _, err := inf.Marginals(results[i], &m, opt, []*rand.Rand{source(1, 0), source(1, 1)}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := diffOf(results[1], results[0]); diff != "" {
		t.Error(diff)
	}
}

func TestChain_StepDoesNotAllocate(t *testing.T) {
	w, weights := randomWorld(source(8, 0), 10, 1, true)
	var m mcsat.Model
	m.Reset(w.network(), weights)
	for _, method := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
		opt := mcsat.DefaultOptions()
		opt.Method = method
		r := source(1, 0)
		var c mcsat.Chain
		if err := c.Start(&m, make([]bool, w.atoms), opt, r); err != nil {
			t.Fatal(err)
		}
		c.Step(r)
		if got := testing.AllocsPerRun(100, func() {
			m.SetWeights(weights)
			c.Step(r)
		}); got != 0 {
			t.Errorf("%v: got %v allocations, want 0", method, got)
		}
	}
}
