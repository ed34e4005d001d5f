package cd_test

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"

	"resolwe/kernels/cd"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/naive"
)

func TestExplore3(t *testing.T) {
	const sigma = 2
	errs := map[string][]float64{}
	gaps := map[string][]float64{}
	at := map[string]string{}
	for _, subs := range []int{20, 300} {
		n := uint64(60)
		if subs == 300 {
			n = 20
		}
		for seed := range n {
			model, db := naive.RandomTask(rand.New(rand.NewPCG(seed, 31)), naive.TaskOptions{General: true, Known: true, Formulas: 4, Subgraphs: subs, Entities: 4})
			c := load(t, model, db)
			exs := grounded(t, c)
			opt := optimum(t, exs, sigma)
			best := objective(t, exs, opt, sigma)
			for _, maxExact := range []int{20, 0} {
				for _, passes := range []int{1, 3, 15} {
					for _, batch := range []int{1, 7} {
						if maxExact == 0 && passes > 100 || subs == 300 && passes > 1 {
							continue
						}
						co := course{opt: cd.Options{Samples: 5, Sampler: mcsat.MethodMCSAT, MaxExact: maxExact}, persistent: true, passes: passes, batch: batch, sigma: sigma, seed: 1}
						got := co.learn(t, exs)
						e := 0.0
						for i := range got {
							e = max(e, abs(got[i]-opt[i]))
						}
						k := fmt.Sprintf("subs %3d exact %2d passes %4d batch %d", subs, maxExact, passes, batch)
						errs[k] = append(errs[k], e)
						g := best - objective(t, exs, got, sigma)
						gaps[k] = append(gaps[k], g)
						if g > 8 {
							at[k] += fmt.Sprintf(" %d:%.0f", seed, g)
						}
					}
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
		t.Logf("%s: err %.4f 90%% %.4f max %.4f | gap %.4f 90%% %.4f max %.4f %s", k, errs[k][n/2], errs[k][n*9/10], errs[k][n-1], gaps[k][n/2], gaps[k][n*9/10], gaps[k][n-1], at[k])
	}
}
