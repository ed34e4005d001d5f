package cd_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
)

// fit is the optimum of a case.
type fit struct {
	Sigma     float64
	Weights   []struct{ Weight float64 }
	Objective float64
}

func loadFit(tb testing.TB, dir string) fit {
	tb.Helper()
	var f fit
	check.OK(tb, json.Unmarshal([]byte(jointest.ReadFile(tb, filepath.Join(dir, "fit.json"))), &f))
	return f
}

// grounded grounds the subgraphs of a task for learning.
func grounded(tb testing.TB, c *jointest.Task) []*cd.Example {
	tb.Helper()
	g := ground.NewGrounder(ground.Compile(&c.Model.Schema, c.Model.Formulas, ground.Learning))
	var out []*cd.Example
	for _, sub := range c.Subs {
		net, atoms, err := g.Ground(sub)
		check.OK(tb, err)
		out = append(out, &cd.Example{Net: net, Data: atoms.Data()})
	}
	return out
}

// course is a run of learning.
type course struct {
	opt        cd.Options
	persistent bool
	passes     int
	batch      int
	sigma      float64
	seed       uint64
}

// learn returns the weights, from zero weights on.
func (c course) learn(tb testing.TB, exs []*cd.Example) []float64 {
	tb.Helper()
	f := len(exs[0].Net.Constant)
	w := cd.NewWorker(c.opt)
	updates := c.passes * ((len(exs) + c.batch - 1) / c.batch)
	o := cd.NewOptimizer(make([]float64, f), make([]bool, f), c.sigma, len(exs), updates)
	states := make([][]bool, len(exs))
	for i, ex := range exs {
		if c.persistent {
			states[i] = append([]bool(nil), ex.Data...)
		}
	}
	var batch []*cd.Gradient
	for pass := range c.passes {
		for i, ex := range exs {
			g := &cd.Gradient{}
			r := rand.New(rand.NewPCG(c.seed, uint64(pass)<<32|uint64(i)))
			check.OK(tb, w.Gradient(g, ex, o.Weights, states[i], r))
			if batch = append(batch, g); len(batch) == c.batch || i == len(exs)-1 {
				o.Update(batch, len(batch))
				batch = batch[:0]
			}
		}
	}
	return o.Result()
}

// worst returns the largest error of a weight.
func worst(got []float64, want fit) float64 {
	e := 0.0
	for i, w := range got {
		e = max(e, math.Abs(w-want.Weights[i].Weight))
	}
	return e
}

var cases = []string{"learn-independent", "learn-collective", "links"}

func TestOptimizer_ReachesOptimum(t *testing.T) {
	t.Parallel()
	for _, name := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("testdata", name)
			exs, want := grounded(t, jointest.LoadCase(t, dir)), loadFit(t, dir)
			for _, batch := range []int{1, 3, len(exs), 5 * len(exs)} {
				c := course{opt: cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: 20}, passes: 300, batch: batch, sigma: want.Sigma}
				check.AtMost(t, worst(c.learn(t, exs), want), 1e-3, "mini-batches of %d, error", batch)
			}
		})
	}
}

func TestOptimizer_SampledReachesOptimum(t *testing.T) {
	t.Parallel()
	for _, name := range cases[1:] {
		for _, sampler := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
			t.Run(name+" "+string(sampler), func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join("testdata", name)
				exs, want := grounded(t, jointest.LoadCase(t, dir)), loadFit(t, dir)
				for seed := uint64(1); seed <= 2; seed++ {
					c := course{
						opt: cd.Options{Samples: 5, Sampler: sampler}, persistent: true, passes: 2000, batch: 1, sigma: want.Sigma, seed: seed,
					}
					e := worst(c.learn(t, exs), want)
					t.Logf("seed %d: error %.4f", seed, e)
					check.AtMost(t, e, 0.05, "seed %d, error", seed)
				}
			})
		}
	}
}

// One pass over a few hundred subgraphs is near the optimum, whatever its model: what is left of the likelihood is of the
// order of one unit for each few weights, as the data's own noise is.
func TestOptimizer_OnePass(t *testing.T) {
	t.Parallel()
	opt := oracle.TaskOptions{General: true, Known: true, Formulas: 4, Subgraphs: 300}
	for seed := range uint64(4) {
		exs := grounded(t, randomTask(t, seed, opt))
		long := course{opt: cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: 20}, passes: 30, batch: 1, sigma: 2}
		best := objective(t, exs, long.learn(t, exs), 2)
		once := long
		once.passes = 1
		check.AtMost(t, best-objective(t, exs, once.learn(t, exs), 2), 3, "seed %d: objective after one pass, below the optimum", seed)
	}
}

func randomTask(tb testing.TB, seed uint64, opt oracle.TaskOptions) *jointest.Task {
	tb.Helper()
	model, db := oracle.RandomTask(rand.New(rand.NewPCG(seed, 31)), opt)
	return jointest.Load(tb, model, db)
}

// objective returns the penalised log-likelihood.
func objective(tb testing.TB, exs []*cd.Example, weights []float64, sigma float64) float64 {
	tb.Helper()
	w := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT})
	out := 0.0
	for _, x := range weights {
		out -= x * x / (2 * sigma * sigma)
	}
	for _, ex := range exs {
		ll, ok, err := w.LogLikelihood(ex, weights, 20, nil)
		if err != nil || !ok {
			tb.Fatalf("log-likelihood: %t, %v", ok, err)
		}
		out += ll
	}
	return out
}

func TestOptimizer_FixedWeightsStay(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", "links")
	exs := grounded(t, jointest.LoadCase(t, dir))
	start := []float64{0.5, 0, -1, 0, 0}
	o := cd.NewOptimizer(start, []bool{true, false, true, false, false}, 2, len(exs), 10)
	w := cd.NewWorker(cd.Options{Samples: 5, Sampler: mcsat.MethodMCSAT, MaxExact: 20})
	for range 10 {
		var g cd.Gradient
		check.OK(t, w.Gradient(&g, exs[0], o.Weights, nil, nil))
		o.Update([]*cd.Gradient{&g}, 1)
	}
	got := o.Result()
	if got[0] != 0.5 || got[2] != -1 || got[1] == 0 || got[3] == 0 || got[4] == 0 {
		t.Errorf("got %v, want the first and third as they were, the others not", got)
	}
	if start[1] != 0 {
		t.Errorf("the starting weights were changed: %v", start)
	}
}

// Without data the weights go to the prior's mean.
func TestOptimizer_NoInformation(t *testing.T) {
	t.Parallel()
	o := cd.NewOptimizer([]float64{1.5, -2}, make([]bool, 2), 0.5, 1, 4)
	for range 4 {
		o.Update([]*cd.Gradient{{Value: make([]float64, 2), Information: make([]float64, 4)}}, 1)
	}
	if got := o.Result(); got[0] != 1.5 || got[1] != -2 {
		t.Errorf("got %v, want [1.5 -2]", got)
	}
}
