package mcsat_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/network"
)

// A pigeonhole problem is decided on a junction tree; where it is too large the search gives up after a bounded time.
func TestChain_GivesUp(t *testing.T) {
	t.Parallel()
	for _, holes := range []int{5, 11} {
		pigeons := holes + 1
		w := oracle.New(pigeons*holes, 0)
		for p := range pigeons {
			var somewhere []network.Lit
			for h := range holes {
				somewhere = append(somewhere, oracle.Pos(p*holes+h))
				for q := range p {
					w.HardClause(oracle.Neg(q*holes+h), oracle.Neg(p*holes+h))
				}
			}
			w.HardClause(somewhere...)
		}
		m := modelOf(w.Network(), nil)
		var c mcsat.Chain
		err := c.Start(m, make([]bool, w.Atoms), mcsat.DefaultOptions(), source(1, 0))
		var unsatisfiable *loglinear.UnsatisfiableError
		if !errors.As(err, &unsatisfiable) || unsatisfiable.Proven != (holes == 5) {
			t.Errorf("%d holes: got error %v, want *UnsatisfiableError, for 5 with proof", holes, err)
		}
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
		w := oracle.New(atoms, 1)
		for range 4 * atoms {
			var lits []network.Lit
			for _, a := range r.Perm(atoms)[:2+r.IntN(2)] {
				lits = append(lits, network.NewLit(uint32(a), r.IntN(2) == 0))
			}
			if oracle.Some(lits)(hidden) {
				w.HardClause(lits...)
			}
		}
		w.And(0, 1, oracle.Pos(0), oracle.Pos(1))
		m := modelOf(w.Network(), []float64{1})
		for _, method := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
			opt := mcsat.DefaultOptions()
			opt.Method = method
			c := started(t, m, make([]bool, atoms), opt, r)
			for range 30 {
				if !w.Lawful(c.State()) {
					t.Fatalf("network %d: a hard constraint is violated", i)
				}
				c.Step(r)
			}
		}
	}
}

func TestChain_StartKeepsLawfulState(t *testing.T) {
	t.Parallel()
	w := oracle.New(4, 1)
	for a := range 4 {
		w.HardClause(oracle.Neg(a), oracle.Pos(min(a+1, 3))) // a chain of implications
		w.And(0, 1, oracle.Pos(a))
	}
	m := modelOf(w.Network(), []float64{0.5})
	x := []bool{false, true, true, true}
	c := started(t, m, x, mcsat.DefaultOptions(), source(1, 0))
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
		w, weights := oracle.Random(r, 9, 1, false)
		m := modelOf(w.Network(), weights)
		m.SetExact(r.IntN(4))
		x := make([]bool, w.Atoms)
		c := started(t, m, x, mcsat.DefaultOptions(), r)
		start, before := countsOf(c, w.Formulas)
		c.Step(r)
		for a := range x {
			if !m.Sampled(uint32(a)) && c.State()[a] {
				t.Fatalf("atom %d moved", a)
			}
		}
		end, after := countsOf(c, w.Formulas)
		for f := range end {
			check.MustIs(t, after[f]-before[f], end[f]-start[f], "formula %d, change", f)
		}
	}
}

// So it is in replicas with bilinear factors, whichever components of each are sampled; what is sampled does move.
func TestChain_SamplesSomeComponents(t *testing.T) {
	t.Parallel()
	var c mcsat.Chain // whose memory holds what other networks left
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 49))
		w, net, weights := oracle.Tied(r)
		truth := w.Marginals(weights)
		m := modelOf(net, weights)
		routes := make([]loglinear.Route, m.Components.Len())
		for i := range routes {
			routes[i] = []loglinear.Route{loglinear.Sample, loglinear.Eliminate}[r.IntN(2)]
		}
		m.SetRoutes(routes)
		x := make([]bool, w.Atoms)
		for a := range x {
			x[a] = r.IntN(2) == 0
		}
		opt := mcsat.DefaultOptions()
		opt.Method = []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs}[seed%2]
		check.OK(t, c.Start(m, x, opt, r))
		moved := make([]bool, w.Atoms)
		got, want := make([]float64, w.Formulas), make([]float64, w.Formulas)
		for range 300 {
			c.Step(r)
			c.Accumulate()
			y := slices.Clone(c.State())
			for a := range y {
				moved[a] = moved[a] || y[a] != x[a]
				if m.Sampled(uint32(a)) {
					y[a] = false
				}
			}
			for f, n := range w.Counts(c.State()) {
				want[f] += float64(n - w.Counts(y)[f])
			}
		}
		c.AddAccumulated(got)
		check.Slices(t, got, want, "seed %d, counts of sampled terms", seed)
		for a, p := range truth {
			if sampled := m.Sampled(uint32(a)); moved[a] != sampled && (moved[a] || min(p, 1-p) > .2) {
				t.Errorf("seed %d, atom %d: got moved %v, sampled %v", seed, a, moved[a], sampled)
			}
		}
	}
}

// countsOf returns the counts of a chain's state, and those of its sampled part.
func countsOf(c *mcsat.Chain, formulas int) (all, sampled []float64) {
	all, sampled = make([]float64, formulas), make([]float64, formulas)
	loglinear.AddCounts(all, c.Current().M.Net, c.State())
	c.Accumulate()
	c.AddAccumulated(sampled)
	return all, sampled
}

func TestChain_StepDoesNotAllocate(t *testing.T) {
	w, weights := oracle.Random(source(8, 0), 10, 1, true)
	m := modelOf(w.Network(), weights)
	for _, method := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
		opt := mcsat.DefaultOptions()
		opt.Method = method
		r := source(1, 0)
		c := started(t, m, make([]bool, w.Atoms), opt, r)
		c.Step(r)
		check.Is(t, testing.AllocsPerRun(100, func() {
			m.SetWeights(weights)
			c.Step(r)
		}), 0, "%v, allocations", method)
	}
}

// Accumulating states and counting them at last is counting each.
func TestChain_Accumulate(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 45))
		draw := [...]oracle.Drawing{oracle.Mixed, oracle.CoupledReplicas}[seed%2]
		net, _, weights := draw(r, 12, 0.3)
		m := modelOf(net, weights)
		m.SetExact(0)
		c := started(t, m, make([]bool, 12), mcsat.DefaultOptions(), r)
		for _, steps := range []int{0, 5, 64, 70} {
			got, want := make([]float64, len(weights)), make([]float64, len(weights))
			for range steps {
				c.Step(r)
				c.Accumulate()
				loglinear.AddCounts(want, net, c.State())
			}
			c.AddAccumulated(got)
			for f := range want {
				check.MustIs(t, got[f], want[f], "seed %d, %d steps, formula %d", seed, steps, f)
			}
		}
	}
}
