package cd_test

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"

	"resolwe/kernels/cd"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/naive"
)

func objective(t testing.TB, exs []*cd.Example, w []float64, sigma float64) float64 {
	wk := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: 20})
	o := 0.0
	for _, x := range w {
		o -= x * x / (2 * sigma * sigma)
	}
	for _, ex := range exs {
		ll, ok, err := wk.LogLikelihood(ex, w, 20)
		if err != nil || !ok {
			t.Fatal(err, ok)
		}
		o += ll
	}
	return o
}

func optimum(t testing.TB, exs []*cd.Example, sigma float64) []float64 {
	f := len(exs[0].Net.Constant)
	w := make([]float64, f)
	wk := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: 20})
	obj := objective(t, exs, w, sigma)
	for range 200 {
		h := mat.NewSymDense(f, nil)
		g := mat.NewVecDense(f, nil)
		for i := range f {
			h.SetSym(i, i, 1/sigma/sigma)
			g.SetVec(i, -w[i]/sigma/sigma)
		}
		for _, ex := range exs {
			var gr cd.Gradient
			if err := wk.Gradient(&gr, ex, w, ex.Data, nil); err != nil {
				t.Fatal(err)
			}
			for i := range f {
				g.SetVec(i, g.AtVec(i)+gr.Value[i])
				for j := i; j < f; j++ {
					h.SetSym(i, j, h.At(i, j)+gr.Information[i*f+j])
				}
			}
		}
		var ch mat.Cholesky
		if !ch.Factorize(h) {
			t.Fatal("factor")
		}
		var d mat.VecDense
		if err := ch.SolveVecTo(&d, g); err != nil {
			t.Log(err)
		}
		step := 1.0
		for {
			w2 := append([]float64(nil), w...)
			for i := range w2 {
				w2[i] += step * d.AtVec(i)
			}
			if o := objective(t, exs, w2, sigma); o >= obj-1e-12 || step < 1e-9 {
				w, obj = w2, o
				break
			}
			step /= 2
		}
		if mat.Norm(g, 2) < 1e-9 {
			break
		}
	}
	return w
}

func TestExplore2(t *testing.T) {
	for _, sigma := range []float64{2, 10} {
		errs := map[string][]float64{}
		gaps := map[string][]float64{}
		for seed := range uint64(60) {
			model, db := naive.RandomTask(rand.New(rand.NewPCG(seed, 31)), naive.TaskOptions{General: true, Known: true, Formulas: 4, Subgraphs: 20, Entities: 4})
			c := load(t, model, db)
			exs := grounded(t, c)
			opt := optimum(t, exs, sigma)
			best := objective(t, exs, opt, sigma)
			for _, maxExact := range []int{20, 0} {
				for _, passes := range []int{1, 3, 15, 100, 1000} {
					for _, batch := range []int{1, 7} {
						if maxExact == 0 && passes > 100 {
							continue
						}
						co := course{opt: cd.Options{Samples: 5, Sampler: mcsat.MethodMCSAT, MaxExact: maxExact}, persistent: true, passes: passes, batch: batch, sigma: sigma, seed: 1}
						got := co.learn(t, exs)
						e := 0.0
						for i := range got {
							e = max(e, abs(got[i]-opt[i]))
						}
						k := fmt.Sprintf("sigma %v exact %2d passes %4d batch %d", sigma, maxExact, passes, batch)
						errs[k] = append(errs[k], e)
						gaps[k] = append(gaps[k], best-objective(t, exs, got, sigma))
					}
				}
			}
		}
		var ks []string
		for k := range errs {
			ks = append(ks, k)
		}
		sort.Strings(ks)
		for _, k := range ks {
			sort.Float64s(errs[k])
			sort.Float64s(gaps[k])
			n := len(errs[k])
			t.Logf("%s: err median %.5f 90%% %.5f max %.5f | gap median %.5f 90%% %.4f max %.4f", k, errs[k][n/2], errs[k][n*9/10], errs[k][n-1], gaps[k][n/2], gaps[k][n*9/10], gaps[k][n-1])
		}
	}
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}
