package localsearch_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/localsearch"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// assignment draws a problem of n rows and columns: each has exactly one true atom, of the row's and the column's, whose gain counts.
func assignment(r *rand.Rand, n int) (w *oracle.Ground, weights []float64, gains [][]float64) {
	w, weights = oracle.New(n*n, 4), []float64{0, -2.535294, -0.492038, 1.128089}
	for i := range n {
		var row, column []int
		for k := range n {
			row, column = append(row, i*n+k), append(column, k*n+i)
		}
		exactlyOne(w, row)
		exactlyOne(w, column)
		gains = append(gains, make([]float64, n))
		for k := range n {
			f := r.IntN(4)
			w.And(uint32(f), 1, oracle.Pos(i*n+k))
			gains[i][k] = weights[f]
		}
	}
	return w, weights, gains
}

func exactlyOne(w *oracle.Ground, atoms []int) {
	var clause []network.Lit
	for i, a := range atoms {
		clause = append(clause, oracle.Pos(a))
		for _, b := range atoms[:i] {
			w.HardClause(oracle.Neg(a), oracle.Neg(b))
		}
	}
	w.HardClause(clause...)
}

// bestAssignment returns the largest gain, by dynamic programming over sets of columns.
func bestAssignment(gains [][]float64) float64 {
	n := len(gains)
	best := slices.Repeat([]float64{math.Inf(-1)}, 1<<n)
	best[0] = 0
	for set := range best {
		row := 0
		for s := set; s != 0; s &= s - 1 {
			row++
		}
		for k := 0; row < n && k < n; k++ {
			if set>>k&1 == 0 {
				best[set|1<<k] = max(best[set|1<<k], best[set]+gains[row][k])
			}
		}
	}
	return best[len(best)-1]
}

// The search finds best assignments, whose rows and columns each allow one true atom: single groups cannot move. The hardest of 6,405 problems took
// 8,000 sweeps in 17 of 20 runs, 16,000 in all.
func TestSearch_Assignments(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var m loglinear.Model
	var f localsearch.Search
	for i := range 35 {
		n := 3 + i%7
		w, weights, gains := assignment(r, n)
		net := w.Network()
		m.Reset(net, weights)
		x, violated := search(t, &f, &m, options(0, 16000), r.Uint64())
		if violated > 0 || !w.Lawful(x) {
			t.Errorf("seed %d, problem %d: %d violated", seed, i, violated)
		}
		check.Near(t, oracle.Energy(net, weights, x), bestAssignment(gains), 1e-9, "seed %d, problem %d of %d rows", seed, i, n)
	}
}

// More sweeps never give a worse state, and more violated constraints neither.
func TestSearch_MoreSweeps(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var m loglinear.Model
	var f localsearch.Search
	for i := range 40 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		var w *oracle.Ground
		var weights []float64
		switch i % 3 {
		case 0:
			w, weights, _ = assignment(r, 5)
		case 1:
			w, weights = plantedParities(r, 11, 8)
		default:
			w, weights = oracle.Random(r, 30, 1, true)
		}
		net := w.Network()
		m.Reset(net, weights)
		before, broken := math.Inf(-1), math.MaxInt
		for sweeps := 1; sweeps <= 300; sweeps += 1 + sweeps/2 {
			x, violated := search(t, &f, &m, options(1+i%4, sweeps), seed)
			energy := oracle.Energy(net, weights, x)
			if violated > broken || violated == broken && energy < before-1e-9*scale(&m) {
				t.Errorf("seed %d, network %d: %d sweeps give %v with %d violated; fewer gave %v with %d", seed, i, sweeps, energy, violated, before, broken)
			}
			before, broken = energy, violated
		}
	}
}
