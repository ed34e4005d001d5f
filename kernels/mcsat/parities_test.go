package mcsat_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/network"
)

// addParity adds the conjunctions of one parity of three atoms, or the clauses that forbid them.
func addParity(w *oracle.World, formula uint32, hard, odd bool, atoms []int) {
	for s := range 8 {
		var lits []network.Lit
		parity := odd
		for i, a := range atoms {
			lits = append(lits, network.NewLit(uint32(a), (s>>i&1 == 0) != hard))
			parity = parity != (s>>i&1 == 1)
		}
		switch {
		case parity:
		case hard:
			w.HardClause(lits...)
		default:
			w.And(formula, 1, lits...)
		}
	}
}

// parityWorld is a chain or a random set of parities that pulls some atoms, with other factors among them where mixed.
func parityWorld(r *rand.Rand, i int, mixed bool) (*oracle.World, []float64) {
	const atoms = 10
	w := oracle.New(atoms, 4)
	for a := range atoms - 2 {
		at := []int{a, a + 1, a + 2}
		if i%2 == 1 {
			at = r.Perm(atoms)[:3]
		}
		addParity(w, uint32(r.IntN(2)), i%3 == 0 && a < 4, false, at)
	}
	for a := range atoms {
		w.And(2, int64(r.IntN(4)), oracle.Pos(a))
	}
	if mixed {
		for range 4 {
			p := r.Perm(atoms)
			w.And(3, 1, oracle.Pos(p[0]), oracle.Pos(p[1]))
			w.And(3, 1, oracle.Pos(p[0]), oracle.Neg(p[2]), oracle.Pos(p[3]))
		}
	}
	strength := []float64{1, 4, 15}[i%3]
	return w, []float64{strength, -strength, 0.3, 0.8}
}

// Slices alone keep the distribution: chains that start at draws from it have its marginals after a few of them.
func TestChain_ParitiesKeepDistribution(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for i := range 6 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		w, weights := parityWorld(r, i, true)
		want := w.Enumerate(weights)
		if want.States == 0 {
			continue
		}
		m := modelOf(w.Network(), weights)
		draw := newDraw(w, weights)
		const chains, steps = 1500, 3
		mean, x := make([]float64, w.Atoms), make([]bool, w.Atoms)
		opt := mcsat.DefaultOptions()
		opt.Method = mcsat.MethodMCSAT
		var c mcsat.Chain
		for range chains {
			draw(x, r)
			check.OK(t, c.Start(m, x, opt, r))
			c.OnlySlices()
			for range steps {
				c.Step(r)
			}
			if !w.Lawful(c.State()) {
				t.Fatal("a hard constraint is violated")
			}
			for a, v := range c.State() {
				mean[a] += loglinear.Indicator(v) / chains
			}
		}
		for a, p := range want.Marginals {
			// Bernstein: a count of chains is off by more with a probability below 2e-8, of rare atoms too.
			if bound := 6*math.Sqrt(p*(1-p)/chains) + 12.0/chains; math.Abs(mean[a]-p) > bound {
				t.Errorf("seed %d, network %d, atom %d: got %.4f, want %.4f within %.4f", seed, i, a, mean[a], p, bound)
			}
		}
	}
}

// newDraw returns what draws states from the distribution of a world.
func newDraw(w *oracle.World, weights []float64) func(x []bool, r *rand.Rand) {
	sums, sum := make([]float64, 0, 1<<w.Atoms), 0.0
	x := make([]bool, w.Atoms)
	set := func(x []bool, s int) {
		for a := range x {
			x[a] = s>>a&1 == 1
		}
	}
	for s := range 1 << w.Atoms {
		set(x, s)
		if w.Lawful(x) {
			energy := 0.0
			for f, n := range w.Counts(x) {
				energy += weights[f] * float64(n)
			}
			sum += math.Exp(energy)
		}
		sums = append(sums, sum)
	}
	return func(x []bool, r *rand.Rand) {
		u := r.Float64() * sum
		lo, hi := 0, len(sums)-1
		for lo < hi {
			if mid := (lo + hi) / 2; sums[mid] > u {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		set(x, lo)
	}
}

// Chains reach all solutions of parities that hold them far apart.
func TestMarginals_Parities(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for i := range 4 {
		w, weights := parityWorld(rand.New(rand.NewPCG(seed, uint64(i))), i, false)
		want := w.Enumerate(weights)
		if want.States == 0 {
			continue
		}
		opt := mcsat.DefaultOptions()
		opt.Method = mcsat.MethodMCSAT
		got, d := marginals(t, modelOf(w.Network(), weights), opt, sources(int(seed%1000), 4))
		if e := meanError(got, want.Marginals); e > 0.02 {
			t.Errorf("seed %d, network %d: mean error %.4f, %+v", seed, i, e, d)
		}
	}
}

// Blocks keep the distribution of a frustrated grid, whose pairs are all that ties its atoms.
func TestMarginals_FrustratedGrid(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for i := range 3 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		const rows, columns = 3, 4
		w := oracle.New(rows*columns, 3)
		tie := func(a, b int) {
			f := uint32(r.IntN(2))
			w.And(f, 1, oracle.Pos(a), oracle.Pos(b))
			w.And(f, 1, oracle.Neg(a), oracle.Neg(b))
		}
		for a := range rows * columns {
			if a%columns+1 < columns {
				tie(a, a+1)
			}
			if a+columns < rows*columns {
				tie(a, a+columns)
			}
			w.And(2, int64(r.IntN(3)-1), oracle.Pos(a))
		}
		weights := []float64{2, -2, 0.3}
		opt := mcsat.DefaultOptions()
		opt.Method = mcsat.MethodMCSAT
		got, d := marginals(t, modelOf(w.Network(), weights), opt, sources(int(seed%1000), 4))
		if e := meanError(got, w.Enumerate(weights).Marginals); e > 0.015 {
			t.Errorf("seed %d, network %d: mean error %.4f, %+v", seed, i, e, d)
		}
	}
}
