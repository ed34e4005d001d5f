package cd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/naive"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-8*max(1, math.Abs(b)) }

func TestSolve_MatchesGonum(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 51))
		n := 1 + r.IntN(20)
		root := mat.NewDense(n, n, nil)
		b := make([]float64, n)
		for i := range n {
			b[i] = r.NormFloat64()
			for j := range n {
				root.Set(i, j, r.NormFloat64())
			}
		}
		var a mat.Dense
		a.Mul(root, root.T())
		for i := range n {
			a.Set(i, i, a.At(i, i)+0.1)
		}
		var want mat.VecDense
		if err := want.SolveVec(&a, mat.NewVecDense(n, slices.Clone(b))); err != nil {
			t.Fatal(err)
		}
		got := slices.Clone(b)
		if !cd.Solve(slices.Clone(a.RawMatrix().Data), got) {
			t.Fatalf("seed %d: not positive definite", seed)
		}
		for i, x := range got {
			if math.Abs(x-want.AtVec(i)) > 1e-7*max(1, math.Abs(x)) {
				t.Errorf("seed %d, x[%d]: got %v, want %v", seed, i, x, want.AtVec(i))
			}
		}
	}
}

func TestSolve_NotPositiveDefinite(t *testing.T) {
	t.Parallel()
	for name, a := range map[string][]float64{
		"zero":       {0, 0, 0, 0},
		"indefinite": {1, 2, 2, 1},
		"singular":   {1, 1, 1, 1},
		"negative":   {-1, 0, 0, -1},
		"undefined":  {math.NaN(), 0, 0, 1},
	} {
		if cd.Solve(a, []float64{1, 1}) {
			t.Errorf("%s: got a solution, want none", name)
		}
	}
}

// Exact gradients, information and likelihoods are those of enumeration.
func TestWorker_MatchesNaive(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		c := randomTask(t, seed, naive.TaskOptions{General: true, MaxAtoms: 8})
		fs := c.Model.Formulas
		r := rand.New(rand.NewPCG(seed, 52))
		weights := make([]float64, len(fs))
		for i := range weights {
			weights[i] = 2 * r.NormFloat64()
		}
		w := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: 20})
		for i, ex := range grounded(t, c) {
			world := c.worlds[i]
			var g cd.Gradient
			if err := w.Gradient(&g, ex, weights, ex.Data, nil); err != nil {
				t.Fatal(err)
			}
			mean, _, err := world.Expectations(fs, weights, naive.Rules{})
			if err != nil {
				t.Fatal(err)
			}
			cov, err := world.Covariance(fs, weights, naive.Rules{})
			if err != nil {
				t.Fatal(err)
			}
			for a, n := range world.Counts(fs) {
				if want := float64(n) - mean[a]; !near(g.Value[a], want) {
					t.Fatalf("seed %d, gradient of formula %d: got %v, want %v\n%s", seed, a, g.Value[a], want, c.Text)
				}
				for b := range fs {
					if got := g.Information[a*len(fs)+b]; !near(got, cov[a][b]) {
						t.Fatalf("seed %d, information of %d and %d: got %v, want %v\n%s", seed, a, b, got, cov[a][b], c.Text)
					}
				}
			}
			want, err := world.LogLikelihood(fs, weights)
			if err != nil {
				t.Fatal(err)
			}
			got, ok, err := w.LogLikelihood(ex, weights, 20)
			if err != nil || !ok || !near(got, want) {
				t.Fatalf("seed %d, log-likelihood: got %v, %t, %v, want %v\n%s", seed, got, ok, err, want, c.Text)
			}
			checkSlope(t, seed, w, ex, weights, &g)
		}
	}
}

// checkSlope holds a gradient against the likelihood's differences.
func checkSlope(t *testing.T, seed uint64, w *cd.Worker, ex *cd.Example, weights []float64, g *cd.Gradient) {
	t.Helper()
	const h = 1e-4
	for i := range weights {
		at := func(d float64) float64 {
			moved := slices.Clone(weights)
			moved[i] += d
			ll, _, err := w.LogLikelihood(ex, moved, 20)
			if err != nil {
				t.Fatal(err)
			}
			return ll
		}
		if want := (at(h) - at(-h)) / (2 * h); math.Abs(g.Value[i]-want) > 1e-4*max(1, math.Abs(want)) {
			t.Errorf("seed %d, slope of formula %d: got %v, want %v", seed, i, g.Value[i], want)
		}
	}
}

// Sampled gradients have the exact ones as their mean, once the chain has forgotten where it began.
func TestWorker_SampledMean(t *testing.T) {
	t.Parallel()
	exs := grounded(t, loadCase(t, "testdata/links"))
	weights := []float64{0.6, 1.3, 1.1, -1.1, -1.6}
	exact := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: 20})
	for _, sampler := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
		sampled := cd.NewWorker(cd.Options{Samples: 20000, Sampler: sampler})
		for i, ex := range exs[:2] {
			var got, want cd.Gradient
			state := slices.Clone(ex.Data)
			if err := sampled.Gradient(&got, ex, weights, state, rand.New(rand.NewPCG(1, uint64(i)))); err != nil {
				t.Fatal(err)
			}
			if err := exact.Gradient(&want, ex, weights, ex.Data, nil); err != nil {
				t.Fatal(err)
			}
			for k := range weights {
				if math.Abs(got.Value[k]-want.Value[k]) > 0.3 {
					t.Errorf("%v, subgraph %d, formula %d: got %v, want %v", sampler, i, k, got.Value[k], want.Value[k])
				}
			}
		}
	}
}

// An example that was prepared, in memory that others have used, has the gradient that it has without.
func TestWorker_Prepared(t *testing.T) {
	t.Parallel()
	weights := []float64{0.6, 1.3, 1.1, -1.1, -1.6}
	for name, opt := range map[string]cd.Options{
		"exact": {Samples: 2, Sampler: mcsat.MethodMCSAT, MaxExact: 20},
		"mcsat": {Samples: 5, Sampler: mcsat.MethodMCSAT},
		"gibbs": {Samples: 5, Sampler: mcsat.MethodGibbs},
	} {
		var prepared cd.Prepared
		a, b := cd.NewWorker(opt), cd.NewWorker(opt)
		for i, ex := range grounded(t, loadCase(t, "testdata/links")) {
			var got, want cd.Gradient
			if err := a.Gradient(&want, ex, weights, ex.Data, rand.New(rand.NewPCG(1, uint64(i)))); err != nil {
				t.Fatal(err)
			}
			prepared.Prepare(ex, opt)
			ex.Prepared = &prepared
			if err := b.Gradient(&got, ex, weights, ex.Data, rand.New(rand.NewPCG(1, uint64(i)))); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, subgraph %d (-want +got):\n%s", name, i, diff)
			}
		}
	}
}

func TestWorker_State(t *testing.T) {
	t.Parallel()
	ex := grounded(t, loadCase(t, "testdata/links"))[0]
	w := cd.NewWorker(cd.Options{Samples: 5, Sampler: mcsat.MethodMCSAT})
	data, state := slices.Clone(ex.Data), slices.Clone(ex.Data)
	weights := make([]float64, 5)
	var g cd.Gradient
	for _, s := range [][]bool{ex.Data, state} {
		if err := w.Gradient(&g, ex, weights, s, rand.New(rand.NewPCG(1, 1))); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(ex.Data, data) {
		t.Error("a chain that starts at the data changed it")
	}
	if slices.Equal(state, data) {
		t.Error("a persistent chain left no state")
	}
}

func TestWorker_LogLikelihood_TooLarge(t *testing.T) {
	t.Parallel()
	ex := grounded(t, loadCase(t, "testdata/links"))[0]
	w := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT})
	if _, ok, err := w.LogLikelihood(ex, make([]float64, 5), 2); ok || err != nil {
		t.Errorf("got %t, %v, want no value and no error", ok, err)
	}
}

// Gradients of a network with products are near the exact ones of the network that lists the pairs.
func TestWorker_Products(t *testing.T) {
	t.Parallel()
	const atoms = 12
	side := ground.Side{Start: []uint32{0, 5, 9, 12}, Atoms: []uint32{0, 2, 4, 6, 8, 1, 2, 3, 11, 5, 7, 11}}
	factored := &ground.Network{
		NumAtoms: atoms, Constant: []int64{0, 0}, UnaryStart: make([]uint32, atoms+1), PairStart: []uint32{0},
		Sides: []ground.Side{side}, Products: []ground.Product{{Coefs: []ground.Coef{{Formula: 1, N: 1}}}},
	}
	for a := range atoms {
		factored.Unary = append(factored.Unary, ground.Coef{Formula: 0, N: 1})
		factored.UnaryStart[a+1] = uint32(a + 1)
	}
	listed := listedNetwork(factored)
	data := make([]bool, atoms)
	data[2], data[4], data[11] = true, true, true
	weights := []float64{-0.7, 0.2}
	var got, want cd.Gradient
	sampled := cd.NewWorker(cd.Options{Samples: 40_000, Sampler: mcsat.MethodGibbs})
	if err := sampled.Gradient(&got, &cd.Example{Net: factored, Data: data}, weights, slices.Clone(data), rand.New(rand.NewPCG(1, 1))); err != nil {
		t.Fatal(err)
	}
	exact := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodGibbs, MaxExact: 20})
	if err := exact.Gradient(&want, &cd.Example{Net: listed, Data: data}, weights, data, nil); err != nil {
		t.Fatal(err)
	}
	for k := range weights {
		if math.Abs(got.Value[k]-want.Value[k]) > 0.15 {
			t.Errorf("formula %d: got %v, want %v", k, got.Value[k], want.Value[k])
		}
	}
}

// listedNetwork writes the only product of a network, a square of sums without multiplicities, as pairs.
func listedNetwork(net *ground.Network) *ground.Network {
	out := *net
	out.Sides, out.Products, out.PairStart = nil, nil, []uint32{0}
	pairs := map[ground.Pair]int64{}
	self := make([]int64, net.NumAtoms)
	s := &net.Sides[0]
	for h := range s.Hubs() {
		for _, a := range s.Atoms[s.Start[h]:s.Start[h+1]] {
			for _, b := range s.Atoms[s.Start[h]:s.Start[h+1]] {
				if a == b {
					self[a]++
				} else {
					pairs[ground.Pair{A: min(a, b), B: max(a, b)}]++
				}
			}
		}
	}
	out.UnaryStart, out.Unary = []uint32{0}, nil
	for a := range net.NumAtoms {
		out.Unary = append(out.Unary, net.Unary[a], ground.Coef{Formula: 1, N: self[a]})
		out.UnaryStart = append(out.UnaryStart, uint32(len(out.Unary)))
	}
	for a := range uint32(net.NumAtoms) {
		for b := a + 1; b < uint32(net.NumAtoms); b++ {
			if n := pairs[ground.Pair{A: a, B: b}]; n > 0 {
				out.Pairs = append(out.Pairs, ground.Pair{A: a, B: b})
				out.PairCoefs = append(out.PairCoefs, ground.Coef{Formula: 1, N: n})
				out.PairStart = append(out.PairStart, uint32(len(out.PairCoefs)))
			}
		}
	}
	return &out
}
