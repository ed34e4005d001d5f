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
func addParity(w *oracle.Ground, formula uint32, hard, odd bool, atoms []int) {
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
func parityWorld(r *rand.Rand, i int, mixed bool) (*oracle.Ground, []float64) {
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
		if i%3 == 0 {
			group(w, i == 0, r.Perm(atoms)[:4]...)
		}
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

// plantedXOR draws a world of hard parities of three atoms that a hidden state satisfies.
func plantedXOR(r *rand.Rand, atoms, parities int) (w *oracle.Ground, hidden []bool, rows [][]bool) {
	w, hidden = oracle.New(atoms, 2), make([]bool, atoms)
	for a := range hidden {
		hidden[a] = r.IntN(2) == 0
	}
	for range parities {
		at, row := r.Perm(atoms)[:3], make([]bool, atoms)
		for _, a := range at {
			row[a] = true
		}
		addParity(w, 0, true, hidden[at[0]] != hidden[at[1]] == hidden[at[2]], at)
		rows = append(rows, row)
	}
	return w, hidden, rows
}

// kernel returns a basis of the changes of a state that keep the parities of rows, by elimination.
func kernel(rows [][]bool, atoms int) (basis [][]bool) {
	at := make([]int, atoms) // by atom: 1 plus the row solved for it
	rank := 0
	for a := range atoms {
		for i := rank; i < len(rows); i++ {
			if !rows[i][a] {
				continue
			}
			rows[i], rows[rank] = rows[rank], rows[i]
			for j := range rows {
				if j != rank && rows[j][a] {
					for k := range atoms {
						rows[j][k] = rows[j][k] != rows[rank][k]
					}
				}
			}
			rank++
			at[a] = rank
			break
		}
	}
	for a := range atoms {
		if at[a] > 0 {
			continue
		}
		change := make([]bool, atoms)
		change[a] = true
		for b, row := range at {
			change[b] = change[b] || row > 0 && rows[row-1][a]
		}
		basis = append(basis, change)
	}
	return basis
}

// The first state of many hard parities is found by elimination, also beside clauses, and chains then reach all of their solutions.
func TestMarginals_HardParities(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for i := range 4 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		const atoms = 28
		w, hidden, rows := plantedXOR(r, atoms, 24)
		for range i % 3 * 5 { // clauses that the hidden state satisfies
			p := r.Perm(atoms)
			w.HardClause(network.NewLit(uint32(p[0]), !hidden[p[0]]), network.NewLit(uint32(p[1]), r.IntN(2) == 0), oracle.Pos(p[2]))
		}
		for a := range atoms {
			w.And(1, int64(r.IntN(3)-1), oracle.Pos(a))
		}
		net, weights := w.Network(), []float64{0, 0.4}
		want, sum, x := make([]float64, atoms), 0.0, make([]bool, atoms)
		basis := kernel(rows, atoms)
		if len(basis) > 12 {
			continue
		}
		for s := range 1 << len(basis) {
			copy(x, hidden)
			for k, change := range basis {
				for a := range x {
					x[a] = x[a] != (change[a] && s>>k&1 == 1)
				}
			}
			if !w.Lawful(x) {
				continue
			}
			p := math.Exp(oracle.Energy(net, weights, x))
			sum += p
			for a := range x {
				want[a] += p * loglinear.Indicator(x[a])
			}
		}
		for a := range want {
			want[a] /= sum
		}
		opt := mcsat.DefaultOptions()
		opt.Method = mcsat.MethodMCSAT
		opt.Samples = 250
		got, d := marginals(t, modelOf(net, weights), opt, sources(int(seed%1000), 4))
		// Clauses may leave one state, in which nothing can move.
		if e := meanError(got, want); !(e <= 0.02) || d.Short && e > 1e-9 || d.Stuck.N > 0 {
			t.Errorf("seed %d, network %d: mean error %.4f, %+v", seed, i, e, d)
		}
	}
}

// Parities that contradict each other are an error at once.
func TestMarginals_ContradictoryParities(t *testing.T) {
	t.Parallel()
	w, hidden, _ := plantedXOR(rand.New(rand.NewPCG(1, 0)), 60, 57)
	for _, at := range [][]int{{0, 10, 12}, {1, 2, 12}, {1, 2, 11}} { // they sum to that of 0, 10 and 11
		addParity(w, 0, true, hidden[at[0]] != hidden[at[1]] == hidden[at[2]], at)
	}
	addParity(w, 0, true, hidden[0] != hidden[10] != hidden[11], []int{0, 10, 11})
	_, err := new(mcsat.Inference).Marginals(make([]float64, 60), modelOf(w.Network(), []float64{0, 0}), mcsat.DefaultOptions(), sources(1, 1))
	oracle.WantUnsatisfiable(t, err)
}

// newDraw returns what draws states from the distribution of a world.
func newDraw(w *oracle.Ground, weights []float64) func(x []bool, r *rand.Rand) {
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
