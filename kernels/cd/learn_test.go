package cd_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

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

func loadFit(t testing.TB, dir string) fit {
	t.Helper()
	var f fit
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(dir, "fit.json"))), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// grounded grounds the subgraphs of a task for learning.
func grounded(t testing.TB, c *task) []*cd.Example {
	t.Helper()
	g := ground.NewGrounder(ground.Compile(&c.model.Schema, c.model.Formulas, ground.Learning))
	var out []*cd.Example
	for _, sub := range c.subs {
		net, atoms, err := g.Ground(sub)
		if err != nil {
			t.Fatal(err)
		}
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
func (c course) learn(t testing.TB, exs []*cd.Example) []float64 {
	t.Helper()
	f := len(exs[0].Net.Constant)
	w := cd.NewWorker(c.opt)
	updates := c.passes * ((len(exs) + c.batch - 1) / c.batch)
	o := cd.NewOptimizer(make([]float64, f), make([]bool, f), c.sigma, len(exs), updates)
	states := make([][]bool, len(exs))
	for i, ex := range exs {
		states[i] = ex.Data
		if c.persistent {
			states[i] = append([]bool(nil), ex.Data...)
		}
	}
	var batch []*cd.Gradient
	for pass := range c.passes {
		for i, ex := range exs {
			g := &cd.Gradient{}
			r := rand.New(rand.NewPCG(c.seed, uint64(pass)<<32|uint64(i)))
			if err := w.Gradient(g, ex, o.Weights, states[i], r); err != nil {
				t.Fatal(err)
			}
			if batch = append(batch, g); len(batch) == c.batch || i == len(exs)-1 {
				o.Update(batch)
				batch = batch[:0]
			}
		}
	}
	return o.Result()
}

func worst(got []float64, want fit) float64 {
	e := 0.0
	for i, w := range got {
		e = max(e, math.Abs(w-want.Weights[i].Weight))
	}
	return e
}

func TestExplore(t *testing.T) {
	for _, name := range []string{"learn-independent", "learn-collective", "links"} {
		dir := filepath.Join("testdata", name)
		exs, want := grounded(t, loadCase(t, dir)), loadFit(t, dir)
		for _, passes := range []int{1, 10, 100, 3000} {
			c := course{opt: cd.Options{Samples: 5, Sampler: mcsat.MethodMCSAT, MaxExact: 20}, passes: passes, batch: 1, sigma: 2, seed: 1}
			got := c.learn(t, exs)
			t.Logf("%s exact, %d passes: %.6f", name, passes, worst(got, want))
		}
		for _, sampler := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
			for _, persistent := range []bool{true, false} {
				for seed := uint64(1); seed <= 3; seed++ {
					for _, passes := range []int{20, 200, 2000} {
						c := course{opt: cd.Options{Samples: 5, Sampler: sampler}, persistent: persistent, passes: passes, batch: 1, sigma: 2, seed: seed}
						got := c.learn(t, exs)
						t.Logf("%s %v persistent=%t seed %d, %d passes: %.6f", name, sampler, persistent, seed, passes, worst(got, want))
					}
				}
			}
		}
	}
}
