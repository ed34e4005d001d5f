package cd_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/internal/test/oracle"
	"resolwe/internal/wire"
	"resolwe/kernels/cd"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/network"
)

// summed returns the sums over examples where a Newton wants them.
func summed(tb testing.TB, n *cd.Newton, exs []*cd.Example, maxExact int, pseudo bool) *cd.Sums {
	tb.Helper()
	w := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: maxExact})
	sums := n.NewSums()
	for _, ex := range exs {
		check.OK(tb, w.Evaluate(sums, ex, n.Weights, pseudo, nil))
	}
	return sums
}

// climb takes Newton steps to the end.
func climb(tb testing.TB, exs []*cd.Example, mean []float64, sigma float64, maxExact int, pseudo bool) *cd.Newton {
	tb.Helper()
	n := cd.NewNewton(mean, mean, make([]bool, len(mean)), sigma)
	for !n.Done {
		n.Update(summed(tb, n, exs, maxExact, pseudo))
	}
	return n
}

func TestNewton_ReachesOptimum(t *testing.T) {
	t.Parallel()
	for _, name := range cases {
		dir := filepath.Join("testdata", name)
		exs, want := grounded(t, jointest.LoadCase(t, dir)), loadFit(t, dir)
		n := climb(t, exs, make([]float64, len(want.Weights)), want.Sigma, 20, false)
		if e := worst(n.Best, want); e > 1e-6 || !n.Converged || math.Abs(n.Objective()-want.Objective) > 1e-6 || n.Rounds > 20 {
			t.Errorf("%s: got an error of %v, objective %v after %d rounds, converged %v, want %v", name, e, n.Objective(), n.Rounds, n.Converged, want.Objective)
		}
	}
}

// Sums are those of exact gradients, and the same in any order.
func TestEvaluate_MatchesGradient(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		c := randomTask(t, seed, oracle.TaskOptions{General: true, Shapes: seed%2 == 1, MaxAtoms: 8})
		exs := grounded(t, c)
		f := len(c.Model.Formulas)
		r := rand.New(rand.NewPCG(seed, 62))
		weights := make([]float64, f)
		for i := range weights {
			weights[i] = r.NormFloat64()
		}
		const sigma = 1e3
		n := cd.NewNewton(weights, make([]float64, f), make([]bool, f), sigma)
		sums := summed(t, n, exs, 20, false)
		w := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: 20})
		value, gradient, information := 0., make([]float64, f), make([]float64, f*f)
		for i, ex := range exs {
			var g cd.Gradient
			check.OK(t, w.Gradient(&g, ex, weights, nil, nil))
			ll, err := oracle.LogLikelihood(c.World(i), c.Model.Formulas, weights)
			check.OK(t, err)
			value += ll
			for k, v := range g.Value {
				gradient[k] += v
			}
			for k, v := range g.Information {
				information[k] += v
			}
		}
		if got := sums.LogLikelihood(); !near(got, value) || sums.Broken > 0 {
			t.Errorf("seed %d: got a log-likelihood of %v, want %v", seed, got, value)
		}
		n.Update(sums)
		for k, v := range n.Gradient() {
			if want := gradient[k] - weights[k]/(sigma*sigma); !near(v, want) {
				t.Errorf("seed %d, gradient of formula %d: got %v, want %v", seed, k, v, want)
			}
		}
		for k, v := range n.Information {
			if !near(v, information[k]) {
				t.Errorf("seed %d, information %d: got %v, want %v", seed, k, v, information[k])
			}
		}
		slices.Reverse(exs)
		if again := summed(t, cd.NewNewton(weights, weights, make([]bool, f), 1), exs, 20, false); !reflect.DeepEqual(again, sums) {
			t.Errorf("seed %d: sums differ in another order", seed)
		}
	}
}

// The pseudo-likelihood's slope is that of its differences, and its optimum has none.
func TestEvaluate_Pseudo(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		c := randomTask(t, seed, oracle.TaskOptions{General: true, Known: true, Subgraphs: 6, MaxAtoms: 8})
		exs := grounded(t, c)
		f := len(c.Model.Formulas)
		r := rand.New(rand.NewPCG(seed, 63))
		weights := make([]float64, f)
		for i := range weights {
			weights[i] = r.NormFloat64()
		}
		at := func(weights []float64) float64 {
			n := cd.NewNewton(weights, weights, make([]bool, f), 1)
			n.Update(summed(t, n, exs, 0, true))
			return n.Objective() // no prior at its mean
		}
		n := cd.NewNewton(weights, weights, make([]bool, f), 1)
		sums := summed(t, n, exs, 0, true)
		if n.Update(sums); sums.Broken > 0 {
			continue
		}
		const h = 1e-4
		for i, got := range n.Gradient() {
			up, down := slices.Clone(weights), slices.Clone(weights)
			up[i] += h
			down[i] -= h
			if want := (at(up) - at(down)) / (2 * h); math.Abs(got-want) > 1e-4*max(1, math.Abs(want)) {
				t.Errorf("seed %d, slope of formula %d: got %v, want %v", seed, i, got, want)
			}
		}
		if n := climb(t, exs, make([]float64, f), 2, 0, true); !n.Converged || n.Norm > 1e-6 {
			t.Errorf("seed %d: got a gradient of %v after %d rounds", seed, n.Norm, n.Rounds)
		}
	}
}

// The example that a conditioner writes has the pseudo-likelihood of the one that it was given, with its slopes.
func TestConditioner(t *testing.T) {
	t.Parallel()
	var c cd.Conditioner
	written := 0
	for seed := range uint64(60) {
		task := randomTask(t, seed, oracle.TaskOptions{General: true, Shapes: seed%2 == 1, MaxAtoms: 8})
		f := len(task.Model.Formulas)
		r := rand.New(rand.NewPCG(seed, 68))
		weights := make([]float64, f)
		for i := range weights {
			weights[i] = r.NormFloat64()
		}
		for i, ex := range grounded(t, task) {
			other := c.Example(ex, 1)
			if other == nil {
				continue
			}
			written++
			at := func(ex *cd.Example) *cd.Newton {
				n := cd.NewNewton(weights, weights, make([]bool, f), 1)
				n.Update(summed(t, n, []*cd.Example{ex}, 0, true))
				return n
			}
			got, want := at(other), at(ex)
			if !near(got.Objective(), want.Objective()) {
				t.Fatalf("seed %d, subgraph %d: got %v, want %v", seed, i, got.Objective(), want.Objective())
			}
			for k := range weights {
				if !near(got.Gradient()[k], want.Gradient()[k]) || !near(got.Information[k*f+k], want.Information[k*f+k]) {
					t.Fatalf("seed %d, subgraph %d, formula %d: got slopes %v, want %v", seed, i, k, got.Gradient(), want.Gradient())
				}
			}
		}
	}
	check.AtLeast(t, written, 20, "examples written")
}

func TestEvaluate_Tied(t *testing.T) {
	t.Parallel()
	ex := grounded(t, jointest.LoadCase(t, "testdata/links"))[0]
	w := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: 1})
	e := (*cd.TiedError)(nil)
	if err := w.Evaluate(cd.NewSums(5, false), ex, make([]float64, 5), false, nil); !errors.As(err, &e) || e.Atoms < 2 {
		t.Errorf("got %v, want a *TiedError", err)
	}
}

// logistic is an example of atoms that nothing ties, with a row of counts each.
func logistic(rows [][]int64, data []bool) *cd.Example {
	net := &network.Network{
		NumAtoms: len(rows), Constant: make([]int64, len(rows[0])), UnaryStart: []uint32{0}, PairStart: []uint32{0},
	}
	for _, row := range rows {
		for i, n := range row {
			if n != 0 {
				net.Unary = append(net.Unary, network.Coef{Formula: uint32(i), Mult: n})
			}
		}
		net.UnaryStart = append(net.UnaryStart, uint32(len(net.Unary)))
	}
	return &cd.Example{Net: net, Data: data}
}

// coordinates maximises the penalised log-likelihood of a logistic model by bisection along one weight after another, which
// takes nothing from the code under test. It returns the maximum.
func coordinates(rows [][]int64, data []bool, sigma float64, sweeps int) float64 {
	f := len(rows[0])
	w, z := make([]float64, f), make([]float64, len(rows))
	for far := 1.; far > 1e-9 && sweeps > 0; sweeps-- {
		far = 0
		for i := range w {
			slope := func(d float64) float64 {
				s := -(w[i] + d) / (sigma * sigma)
				for a, row := range rows {
					x := 0.
					if data[a] {
						x = 1
					}
					s += float64(row[i]) * (x - 1/(1+math.Exp(-z[a]-d*float64(row[i]))))
				}
				return s
			}
			low, high := -60., 60.
			for range 70 {
				if mid := (low + high) / 2; slope(mid) > 0 {
					low = mid
				} else {
					high = mid
				}
			}
			w[i] += low
			far = max(far, math.Abs(low)*float64(slices.MaxFunc(rows, func(a, b []int64) int { return int(a[i] - b[i]) })[i]))
			for a, row := range rows {
				z[a] += low * float64(row[i])
			}
		}
	}
	sum := 0.
	for _, v := range w {
		sum -= v * v / (2 * sigma * sigma)
	}
	for a := range rows {
		h := z[a]
		if data[a] {
			h = -h
		}
		sum -= max(h, 0) + math.Log1p(math.Exp(-math.Abs(h)))
	}
	return sum
}

// Counts of 100,000 beside 1, formulas that are the same but for a factor, and data that a formula separates: what an independent
// solver finds is found, in few rounds.
func TestNewton_HardLogistic(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func(r *rand.Rand) ([]int64, float64){
		"scales": func(r *rand.Rand) ([]int64, float64) {
			big, small := r.Int64N(100_000), r.Int64N(2)
			return []int64{1, big, small}, float64(big)/40_000 + float64(small) - 1.5
		},
		"collinear": func(r *rand.Rand) ([]int64, float64) {
			n := r.Int64N(50)
			return []int64{1, n, n, 3 * n}, float64(n)/20 - 1
		},
		"heavy tail": func(r *rand.Rand) ([]int64, float64) {
			n := int64(math.Exp(12 * r.Float64()))
			return []int64{1, n, r.Int64N(3)}, math.Log(float64(n+1)) - 6
		},
		"separated": func(r *rand.Rand) ([]int64, float64) {
			n := r.Int64N(100) - 50
			return []int64{1, n}, 1e6 * (float64(n) - 3.5)
		},
		"all true": func(r *rand.Rand) ([]int64, float64) { return []int64{1, r.Int64N(1000)}, 1e9 },
	} {
		r := rand.New(rand.NewPCG(64, 1))
		var rows [][]int64
		var data []bool
		for range 200 {
			row, h := draw(r)
			rows, data = append(rows, row), append(data, r.Float64() < 1/(1+math.Exp(-h)))
		}
		n := climb(t, []*cd.Example{logistic(rows, data)}, make([]float64, len(rows[0])), 2, 1, false)
		want := coordinates(rows, data, 2, 500)
		if math.Abs(n.Objective()-want) > 1e-6 && n.Objective() < want || !n.Converged || n.Rounds > 40 {
			t.Errorf("%s: got %v after %d rounds, converged %v, want %v", name, n.Objective(), n.Rounds, n.Converged, want)
		}
	}
}

// With only the diagonal of the information, as for many formulas, Newton's method takes other steps to the same optimum.
func TestNewton_Diagonal(t *testing.T) {
	t.Parallel()
	const f, atoms = 60, 1500
	r := rand.New(rand.NewPCG(65, 1))
	rows, data := make([][]int64, atoms), make([]bool, atoms)
	for a := range rows {
		rows[a] = make([]int64, f)
		rows[a][0] = 1
		h := -1.
		for range 6 {
			i := 1 + r.IntN(f-1)
			n := 1 + r.Int64N(3)
			rows[a][i] = n * int64(i*i) // of all sizes
			h += float64(i%5-2) * float64(n) / 3
		}
		data[a] = r.Float64() < 1/(1+math.Exp(-h))
	}
	ex := logistic(rows, data)
	solve := func(diagonal bool) *cd.Newton {
		n := cd.NewNewton(make([]float64, f), make([]float64, f), make([]bool, f), 2)
		w := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT})
		for !n.Done {
			sums := cd.NewSums(f, diagonal)
			check.OK(t, w.Evaluate(sums, ex, n.Weights, false, nil))
			n.Update(sums)
		}
		return n
	}
	got, want := solve(true), solve(false)
	if !got.Converged || math.Abs(got.Objective()-want.Objective()) > 1e-5 {
		t.Errorf("got %v after %d rounds (%v), want %v", got.Objective(), got.Rounds, got.Converged, want.Objective())
	}
	t.Logf("%d rounds, and %d with the whole information", got.Rounds, want.Rounds)
}

// One that goes on from a state gives what it would have given.
func TestNewton_State(t *testing.T) {
	t.Parallel()
	exs := grounded(t, jointest.LoadCase(t, "testdata/links"))
	mean := make([]float64, 5)
	want := climb(t, exs, mean, 2, 20, false)
	n := cd.NewNewton(mean, mean, make([]bool, 5), 2)
	for !n.Done {
		n.Update(summed(t, n, exs, 20, false))
		w := wire.NewWriter("")
		n.Code(w)
		r := wire.NewReader(w.Sealed(), "")
		n = cd.NewNewton(mean, mean, make([]bool, 5), 2)
		if n.Read(r); !r.Done() {
			t.Fatal("a state is not read")
		}
	}
	check.Equal(t, "weights", n.Best, want.Best)
	w := wire.NewWriter("")
	want.Code(w)
	other := wire.NewReader(w.Sealed(), "")
	if cd.NewNewton(mean[1:], mean[1:], make([]bool, 4), 2).Read(other); other.Done() {
		t.Error("a state of other formulas was read")
	}
}
