package exact_test

import (
	"cmp"
	"errors"
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

// pairwise returns a network of fields and pairs, of one formula, in eighths.
func pairwise(fields []int64, pairs []network.Pair, couplings []int64) *network.Network {
	net := &network.Network{
		NumAtoms: len(fields), Scale: []float64{1. / 8}, Constant: []int64{0}, UnaryStart: []uint32{0}, PairStart: []uint32{0}, Pairs: pairs,
	}
	for _, h := range fields {
		net.Unary = append(net.Unary, network.Coef{Mult: h})
		net.UnaryStart = append(net.UnaryStart, uint32(len(net.Unary)))
	}
	for _, j := range couplings {
		net.PairCoefs = append(net.PairCoefs, network.Coef{Mult: j})
		net.PairStart = append(net.PairStart, uint32(len(net.PairCoefs)))
	}
	return net
}

// randomTree draws a network in which each atom but the first is tied to an earlier one, at most so far back.
func randomTree(r *rand.Rand, atoms, back int) *network.Network {
	fields := make([]int64, atoms)
	var pairs []network.Pair
	var couplings []int64
	draw := func() int64 { return int64(1+r.IntN(12)) * int64(1-2*r.IntN(2)) }
	for a := range atoms {
		if fields[a] = draw(); a > 0 {
			pairs = append(pairs, network.Pair{A: uint32(a - 1 - r.IntN(min(a, back))), B: uint32(a)})
			couplings = append(couplings, draw())
		}
	}
	slices.SortFunc(pairs, func(p, q network.Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) })
	return pairwise(fields, pairs, couplings)
}

// propagate is belief propagation on such a network, in log-odds.
func propagate(net *network.Network) (logZ float64, marginals []float64) {
	n := net.NumAtoms
	odds, up := make([]float64, n), make([]float64, n)
	for a := range odds {
		odds[a] = float64(net.Unary[a].Mult) / 8
	}
	softplus := func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
	parent, coupling := make([]uint32, n), make([]float64, n)
	for i, p := range net.Pairs {
		parent[p.B], coupling[p.B] = p.A, float64(net.PairCoefs[i].Mult)/8
	}
	for a := n - 1; a > 0; a-- {
		up[a] = softplus(odds[a]+coupling[a]) - softplus(odds[a])
		odds[parent[a]] += up[a]
		logZ += softplus(odds[a])
	}
	logZ += softplus(odds[0])
	for a := 1; a < n; a++ {
		without := odds[parent[a]] - up[a]
		odds[a] += softplus(without+coupling[a]) - softplus(without)
	}
	for _, h := range odds {
		marginals = append(marginals, 1/(1+math.Exp(-h)))
	}
	return logZ, marginals
}

func TestTree_HundredThousandAtoms(t *testing.T) {
	t.Parallel()
	r := source(t)
	atoms := 100_000
	if testing.Short() {
		atoms = 10_000
	}
	var m loglinear.Model
	var tr exact.Tree
	for name, back := range map[string]int{"chain": 1, "tree": 3, "bushy tree": atoms} {
		net := randomTree(r, atoms, back)
		m.Reset(net, []float64{1})
		check.OK(t, tr.Bind(&m, m.Components.Atoms(0), exact.MostEntries))
		check.OK(t, tr.Sum())
		if tr.Width() != 1 {
			t.Errorf("%s: got a width of %d", name, tr.Width())
		}
		logZ, marginals := propagate(net)
		oracle.Near(t, name+": log Z", tr.LogZ(), logZ, 1e-12)
		for a, p := range marginals {
			check.MustNear(t, tr.Marginal(uint32(a)), p, 1e-11, "%s: atom %d", name, a)
		}
		x := make([]bool, atoms)
		check.OK(t, tr.Mode(x))
		if energy := oracle.Energy(net, m.Weights, x); energy < 0 || energy > logZ {
			t.Errorf("%s: got a mode of %v, log Z is %v", name, energy, logZ)
		}
	}
}

// band ties each atom to a number of those before it.
func band(r *rand.Rand, atoms, width int) *network.Network {
	fields := make([]int64, atoms)
	var pairs []network.Pair
	var couplings []int64
	for a := range atoms {
		fields[a] = int64(1 + r.IntN(5))
		for b := a + 1; b <= min(a+width, atoms-1); b++ {
			pairs = append(pairs, network.Pair{A: uint32(a), B: uint32(b)})
			couplings = append(couplings, int64(1+r.IntN(5))-3)
		}
	}
	return pairwise(fields, pairs, couplings)
}

func TestTree_Bind_TooWide(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var tr exact.Tree
	for _, test := range []struct {
		atoms, width, entries int
		want                  bool
	}{
		{40, 19, exact.MostEntries, true},
		{40, 20, exact.MostEntries, false},
		{400, 399, exact.MostEntries, false},
		{100, 10, 100 << 11, true},
		{100, 10, 80 << 11, false},
		{300, 18, exact.MostEntries, false},
	} {
		var m loglinear.Model
		m.Reset(band(r, test.atoms, test.width), []float64{0})
		err := tr.Bind(&m, m.Components.Atoms(0), test.entries)
		var width *exact.WidthError
		if (err == nil) != test.want || err != nil && (!errors.As(err, &width) || width.Atoms != test.atoms || width.Width < 10) {
			t.Errorf("%+v: got %v", test, err)
		}
		if err == nil && tr.Width() != test.width {
			t.Errorf("%+v: got a width of %d", test, tr.Width())
		}
	}
}

// Grids are as wide as their shorter side.
func TestTree_Grids(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 4))
	for _, size := range [][2]int{{3, 3}, {5, 9}, {12, 40}, {15, 15}, {18, 18}} {
		var m loglinear.Model
		s := grid(r, size[0], size[1], 1)
		m.Reset(s.Network(), s.weights)
		var tr exact.Tree
		check.OK(t, tr.Bind(&m, m.Components.Atoms(0), exact.MostEntries))
		if tr.Width() != size[0] {
			t.Errorf("%v: got a width of %d", size, tr.Width())
		}
	}
}

// A tree of each width: go test -bench Tree ./kernels/tree.
func BenchmarkTree(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, net := range map[string]*network.Network{
		"chain/atoms=100000": randomTree(r, 100_000, 1), "tree/atoms=100000": randomTree(r, 100_000, 100_000),
		"band/width=6": band(r, 60, 6), "band/width=12": band(r, 60, 12), "band/width=18": band(r, 60, 18),
	} {
		var m loglinear.Model
		m.Reset(net, []float64{1})
		var tr exact.Tree
		atoms := m.Components.Atoms(0)
		for _, what := range []string{"bind", "sum", "mode", "moments"} {
			b.Run(fmt.Sprintf("%s/%s", name, what), func(b *testing.B) {
				check.OK(b, tr.Bind(&m, atoms, exact.MostEntries))
				check.OK(b, tr.Sum())
				x, mean, cov := make([]bool, net.NumAtoms), []float64{0}, []float64{0}
				b.ReportAllocs()
				for b.Loop() {
					switch what {
					case "bind":
						check.OK(b, tr.Bind(&m, atoms, exact.MostEntries))
					case "sum":
						check.OK(b, tr.Sum())
					case "moments":
						tr.AddMoments(mean, cov, false)
					default:
						check.OK(b, tr.Mode(x))
					}
				}
			})
		}
	}
}
