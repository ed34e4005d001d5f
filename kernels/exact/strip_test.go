package exact_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/exact"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// strip is a world whose terms are each within two sites that follow each other, so that transfer matrices solve it.
type strip struct {
	*oracle.Ground
	weights []float64
	sites   [][]int // atoms
	terms   [][]term
}

// term is what a state adds to the sum of w_i n_i: minus infinity for one that is forbidden.
type term func(x []bool) float64

// newStrip returns a world of equal sites, and a formula for each weight.
func newStrip(sites, size int, weights ...float64) *strip {
	s := &strip{Ground: oracle.New(sites*size, len(weights)), weights: weights, terms: make([][]term, sites)}
	for i := range sites {
		s.sites = append(s.sites, nil)
		for k := range size {
			s.sites[i] = append(s.sites[i], i*size+k)
		}
	}
	return s
}

// add adds what the formula has where a function holds.
func (s *strip) add(site, formula int, n int64, holds func(x []bool) bool) {
	s.terms[site] = append(s.terms[site], func(x []bool) float64 {
		if holds(x) {
			return s.weights[formula] * float64(n)
		}
		return 0
	})
}

// and adds a soft conjunction of atoms of a site and the next one.
func (s *strip) and(site, formula int, n int64, lits ...network.Lit) {
	s.And(uint32(formula), n, lits...)
	s.add(site, formula, n, func(x []bool) bool { return loglinear.AllTrue(lits, x) })
}

func (s *strip) feature(site, formula int, n int64, root *network.Node) {
	s.Feature(uint32(formula), n, root)
	s.add(site, formula, n, root.True)
}

func (s *strip) clause(site int, lits ...network.Lit) {
	s.HardClause(lits...)
	s.terms[site] = append(s.terms[site], func(x []bool) float64 {
		if oracle.Some(lits)(x) {
			return 0
		}
		return math.Inf(-1)
	})
}

// choice has at most one atom of a site true, and with some at least one.
func (s *strip) choice(site int, some bool) {
	var all []network.Lit
	for i, a := range s.sites[site] {
		all = append(all, oracle.Pos(a))
		for _, b := range s.sites[site][:i] {
			s.clause(site, oracle.Neg(a), oracle.Neg(b))
		}
	}
	if some {
		s.clause(site, all...)
	}
}

// transfer returns the logarithm of the partition function, less the constants, and the marginals.
func (s *strip) transfer() (logZ float64, marginals []float64) {
	n := len(s.sites)
	size := 1 << len(s.sites[0])
	x := make([]bool, s.Atoms)
	set := func(site, state int) {
		for k, a := range s.sites[site] {
			x[a] = state>>k&1 == 1
		}
	}
	between := make([][]float64, n) // by site: size x size, from its states to those of the next one
	for i := range n {
		between[i] = make([]float64, size*size)
		for k := range between[i] {
			set(i, k/size)
			if i+1 < n {
				set(i+1, k%size)
			}
			sum := 0.0
			for _, t := range s.terms[i] {
				sum += t(x)
			}
			if i+1 == n && k%size > 0 {
				sum = math.Inf(-1)
			}
			between[i][k] = sum
		}
	}
	forward, backward := make([][]float64, n+1), make([][]float64, n+1) // logarithms
	for i := range n + 1 {
		forward[i], backward[i] = make([]float64, size), make([]float64, size)
	}
	for i := range n {
		for to := range size {
			list := make([]float64, size)
			for from := range size {
				list[from] = forward[i][from] + between[i][from*size+to]
			}
			forward[i+1][to] = logSum(list)
		}
	}
	for i := n - 1; i >= 0; i-- {
		for from := range size {
			list := make([]float64, size)
			for to := range size {
				list[to] = between[i][from*size+to] + backward[i+1][to]
			}
			backward[i][from] = logSum(list)
		}
	}
	logZ = logSum(forward[n])
	marginals = make([]float64, s.Atoms)
	for i := range n {
		for state := range size {
			p := math.Exp(forward[i][state] + backward[i][state] - logZ)
			for k, a := range s.sites[i] {
				if state>>k&1 == 1 {
					marginals[a] += p
				}
			}
		}
	}
	return logZ, marginals
}

func logSum(list []float64) float64 {
	top := slices.Max(list)
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, v := range list {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

// check compares what a tree gives with transfer matrices.
func (s *strip) check(t *testing.T, name string, width int) {
	t.Helper()
	var m loglinear.Model
	net := s.Network()
	m.Reset(net, s.weights)
	var tr exact.Tree
	check.OK(t, tr.Bind(&m, m.Components.Atoms(0), exact.MostEntries))
	if m.Components.Len() != 1 || tr.Width() > width {
		t.Errorf("%s: got %d components, a width of %d, want 1, at most %d", name, m.Components.Len(), tr.Width(), width)
	}
	check.OK(t, tr.Sum())
	logZ, marginals := s.transfer()
	for i, n := range net.Constant {
		logZ -= s.weights[i] * float64(n)
	}
	oracle.Near(t, name+": log Z", tr.LogZ(), logZ, 1e-11)
	for a, p := range marginals {
		oracle.Near(t, name+": marginal", tr.Marginal(uint32(a)), p, 1e-10)
	}
}

// grid is an Ising grid.
func grid(r *rand.Rand, rows, columns int, spread float64) *strip {
	s := newStrip(columns, rows, spread)
	draw := func() int64 { return int64(1+r.IntN(4)) * int64(1-2*r.IntN(2)) }
	for c := range columns {
		for i, a := range s.sites[c] {
			s.and(c, 0, draw(), oracle.Pos(a))
			if i > 0 {
				s.and(c, 0, draw(), oracle.Pos(a-1), oracle.Pos(a))
			}
			if c > 0 {
				s.and(c-1, 0, draw(), oracle.Pos(a-rows), oracle.Pos(a))
			}
		}
	}
	return s
}

// parity is a chain of soft exclusive ors of three atoms.
func parity(n int, weight float64) *strip {
	s := newStrip(n/2, 2, weight, .3)
	leaf := func(a int) *network.Node { return oracle.Leaf(oracle.Pos(a)) }
	for a := range n {
		if s.and(a/2, 1, int64(a%3-1), oracle.Pos(a)); a+2 < n {
			s.feature(a/2, 0, 1, oracle.Node(network.OpIff, oracle.Node(network.OpIff, leaf(a), leaf(a+1)), leaf(a+2)))
		}
	}
	return s
}

// potts is a chain of choices of which every two that follow each other are coupled in each of their values.
func potts(r *rand.Rand, sites, values int, some bool) *strip {
	s := newStrip(sites, values, .4)
	for i := range sites {
		s.choice(i, some)
		for _, a := range s.sites[i] {
			s.and(i, 0, int64(r.IntN(9)-4), oracle.Pos(a))
			for k := 0; i > 0 && k < values; k++ {
				s.and(i-1, 0, int64(r.IntN(9)-5)|1, oracle.Pos(s.sites[i-1][k]), oracle.Pos(a))
			}
		}
	}
	return s
}

// blocks is a chain of sites with all sorts of factors between neighbours.
func blocks(r *rand.Rand, sites int) *strip {
	s := newStrip(sites, 3, r.NormFloat64(), r.NormFloat64(), r.NormFloat64())
	for i := range sites - 1 {
		both := append(slices.Clone(s.sites[i]), s.sites[i+1]...)
		for range 6 {
			r.Shuffle(len(both), func(a, b int) { both[a], both[b] = both[b], both[a] })
			lits := make([]network.Lit, 3)
			for k := range lits {
				lits[k] = network.NewLit(uint32(both[k]), r.IntN(2) == 0)
			}
			slices.Sort(lits)
			switch f := r.IntN(3); r.IntN(4) {
			case 0:
				s.clause(i, append(lits[:2], lits[2]&^1)...) // so that the state of all true is possible
			case 1:
				s.feature(i, f, 1, oracle.Node(network.OpIff, oracle.Leaf(lits[0]),
					oracle.Node(network.OpAnd, oracle.Leaf(lits[1]), oracle.Leaf(lits[2]))))
			default:
				s.and(i, f, int64(1+r.IntN(2)), lits[:1+r.IntN(3)]...)
			}
		}
		s.and(i, 0, 1, oracle.Pos(s.sites[i][0]), oracle.Pos(s.sites[i+1][0])) // so that there is one component
		s.and(i, 0, 1, oracle.Pos(s.sites[i][0]), oracle.Pos(s.sites[i][1]), oracle.Pos(s.sites[i][2]))
	}
	last := s.sites[sites-1]
	s.and(sites-1, 0, 1, oracle.Pos(last[0]), oracle.Pos(last[1]), oracle.Pos(last[2]))
	return s
}

func TestTree_MatchesTransferMatrices(t *testing.T) {
	t.Parallel()
	r := source(t)
	for _, columns := range []int{6, 10, 15} {
		grid(r, 4, columns, .3).check(t, fmt.Sprintf("grid of 4 x %d", columns), 4)
		grid(r, 4, columns, 90).check(t, fmt.Sprintf("strong grid of 4 x %d", columns), 4)
	}
	for _, weight := range []float64{1, 15, 400} {
		parity(60, weight).check(t, "parity", 2)
	}
	for _, some := range []bool{false, true} {
		potts(r, 12, 3, some).check(t, "potts", 1)
		potts(r, 12, 5, some).check(t, "potts", 1)
	}
	blocks(r, 20).check(t, "blocks", 6)
}

// Colourings of rings have a closed form.
func TestTree_Colourings(t *testing.T) {
	t.Parallel()
	for _, n := range []int{8, 13, 20} {
		s := newStrip(n, 3, 0)
		for i := range n {
			s.choice(i, true)
			for k := range 3 {
				s.clause(i, oracle.Neg(3*i+k), oracle.Neg((3*i+3+k)%(3*n)))
			}
		}
		var m loglinear.Model
		m.Reset(s.Network(), s.weights)
		var tr exact.Tree
		check.OK(t, tr.Bind(&m, m.Components.Atoms(0), exact.MostEntries))
		check.OK(t, tr.Sum())
		check.Is(t, tr.Width(), 2, "ring of %d, width", n)
		oracle.Near(t, "log Z", tr.LogZ(), math.Log(math.Pow(2, float64(n))+2*float64(1-n%2*2)), 1e-12)
		for a := range uint32(s.Atoms) {
			oracle.Near(t, "marginal", tr.Marginal(a), 1./3, 1e-12)
		}
	}
}
