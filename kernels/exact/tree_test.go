package exact_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/exact"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// source returns a random source and logs its seed.
func source(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// grouped draws a world of every kind of factor, with groups of which at most one atom, or exactly one, can be true, and atoms
// that clauses fix or make equal or opposite.
func grouped(r *rand.Rand, atoms int, spread float64) (*oracle.Ground, []float64) {
	w, weights := oracle.Random(r, atoms, spread, r.IntN(2) == 0)
	order := r.Perm(atoms)
	for len(order) > 4 {
		k := 2 + r.IntN(3)
		group := order[:k]
		order = order[k:]
		switch r.IntN(4) {
		case 0:
			exclude(w, group)
		case 1:
			exclude(w, group)
			var some []network.Lit
			for _, a := range group {
				some = append(some, oracle.Pos(a))
			}
			w.HardClause(some...)
		case 2: // equal, or opposite
			a, b, flip := group[0], group[1], network.Lit(r.IntN(2))
			w.HardClause(oracle.Neg(a), oracle.Pos(b)^flip)
			w.HardClause(oracle.Pos(a), oracle.Neg(b)^flip)
		default:
			if r.IntN(2) == 0 {
				w.HardClause(network.NewLit(uint32(group[0]), r.IntN(2) == 0))
			}
		}
	}
	return w, weights
}

// exclude has at most one atom of a group true.
func exclude(w *oracle.Ground, group []int) {
	for i, a := range group {
		for _, b := range group[:i] {
			w.HardClause(oracle.Neg(a), oracle.Neg(b))
		}
	}
}

// solved is what trees give for all components of a model.
type solved struct {
	logZ, energy float64
	marginals    []float64
	mean, cov    []float64
	mode         []bool
}

// solve solves a model on trees.
func solve(t *testing.T, tr *exact.Tree, m *loglinear.Model) (s solved, err error) {
	t.Helper()
	f := len(m.Weights)
	s = solved{
		marginals: make([]float64, m.Net.NumAtoms), mean: make([]float64, f), cov: make([]float64, f*f),
		mode: make([]bool, m.Net.NumAtoms),
	}
	for c := range m.Components.Len() {
		atoms := m.Components.Atoms(c)
		check.OK(t, tr.Bind(m, atoms, exact.MostEntries))
		if err := tr.Sum(); err != nil {
			return s, err
		}
		s.logZ += tr.LogZ()
		for _, a := range atoms {
			s.marginals[a] = tr.Marginal(a)
		}
		tr.AddMoments(s.mean, s.cov, false)
		if err := tr.Mode(s.mode); err != nil {
			return s, err
		}
	}
	s.energy = oracle.Energy(m.Net, m.Weights, s.mode)
	return s, nil
}

// best returns the most probable state of a world, of equally probable ones the first, and its weight.
func best(w *oracle.Ground, weights []float64) (state []bool, weight float64) {
	weight = math.Inf(-1)
	for bits := range 1 << w.Atoms {
		x := make([]bool, w.Atoms)
		for a := range x {
			x[a] = bits>>(w.Atoms-1-a)&1 == 1 // ascending in the order of the atoms
		}
		if !w.Lawful(x) {
			continue
		}
		sum := 0.0
		for i, n := range w.Counts(x) {
			sum += float64(weights[i] * float64(n))
		}
		if sum > weight+1e-9*(1+math.Abs(weight)) || state == nil {
			state, weight = x, sum
		}
	}
	return state, weight
}

// compare compares what trees give with enumeration.
func compare(t *testing.T, got solved, net *network.Network, w *oracle.Ground, weights []float64) {
	t.Helper()
	want := w.Enumerate(weights)
	logZ, energy, f := got.logZ, got.energy, len(weights)
	for i, n := range net.Constant {
		logZ += weights[i] * float64(n)
		energy += weights[i] * float64(n)
		oracle.Near(t, "mean", got.mean[i]+float64(n), want.Mean[i], 1e-10)
		for j := range f {
			oracle.Near(t, "covariance", got.cov[i*f+j], want.Cov[i][j], 1e-9)
		}
	}
	oracle.Near(t, "log Z", logZ, want.LogZ, 1e-10)
	for a, p := range want.Marginals {
		oracle.Near(t, "marginal", got.marginals[a], p, 1e-10)
	}
	state, weight := best(w, weights)
	oracle.Near(t, "weight of the mode", energy, weight, 1e-9)
	check.Slices(t, got.mode, state, "mode")
}

func TestTree_MatchesEnumeration(t *testing.T) {
	t.Parallel()
	r := source(t)
	var m loglinear.Model // reused, as is the tree: nothing may be left over
	var tr exact.Tree
	for i := range 300 {
		w, weights := grouped(r, 6+r.IntN(6), []float64{0.3, 1, 4, 60, 1000}[i%5])
		if i%3 == 0 { // states of equal weight
			for f := range weights {
				weights[f] = math.Round(2*weights[f]) / 2
			}
		}
		net := w.Network()
		m.Reset(net, weights)
		got, err := solve(t, &tr, &m)
		if w.Enumerate(weights).States == 0 {
			oracle.WantUnsatisfiable(t, err)
			continue
		}
		check.OK(t, err)
		compare(t, got, net, w, weights)
		if t.Failed() {
			t.Fatalf("network %d: %d atoms, weights %v", i, w.Atoms, weights)
		}
	}
}

// Bilinear factors are as the pairs that they stand for.
func TestTree_Bilinear(t *testing.T) {
	t.Parallel()
	r := source(t)
	var tr exact.Tree
	for i := range 100 {
		draw := []oracle.Drawing{oracle.Mixed, oracle.BareReplicas, oracle.CoupledReplicas, oracle.Bare}[i%4]
		factored, listed, weights := draw(r, 8+r.IntN(5), .5)
		var results [2]solved
		for k, net := range []*network.Network{factored, listed} {
			var m loglinear.Model
			m.Reset(net, weights)
			got, err := solve(t, &tr, &m)
			check.OK(t, err)
			results[k] = got
		}
		got, want := results[0], results[1]
		oracle.Near(t, "log Z", got.logZ, want.logZ, 1e-10)
		oracle.Near(t, "weight of the mode", got.energy, want.energy, 1e-10)
		for k, list := range [][]float64{got.marginals, got.mean, got.cov} {
			for j, v := range [][]float64{want.marginals, want.mean, want.cov}[k] {
				oracle.Near(t, "expectation", list[j], v, 1e-9)
			}
		}
		if t.Failed() {
			t.Fatalf("network %d", i)
		}
	}
}

// Where choices as variables make tables too large, their atoms are variables: here one atom of each choice is tied to one of
// each other.
func TestTree_FirstsOfChoices(t *testing.T) {
	t.Parallel()
	const sites, weight = 14, .1
	for _, some := range []bool{false, true} {
		s := newStrip(sites, 3, weight)
		for i := range sites {
			s.choice(i, some)
			for j := range i {
				s.and(i, 0, 1, oracle.Pos(3*i), oracle.Pos(3*j))
			}
		}
		want, rest := 0.0, 3. // states of a choice without its first atom
		if some {
			rest = 2
		}
		for state := range 1 << sites {
			n := float64(bits.OnesCount(uint(state)))
			want += math.Exp(weight*n*(n-1)/2) * math.Pow(rest, sites-n)
		}
		var m loglinear.Model
		m.Reset(s.Network(), s.weights)
		var tr exact.Tree
		check.OK(t, tr.Bind(&m, m.Components.Atoms(0), exact.MostEntries))
		check.OK(t, tr.Sum())
		oracle.Near(t, "log Z", tr.LogZ(), math.Log(want), 1e-12)
	}
}
