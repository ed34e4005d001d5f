package cd_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/cd"
	"resolwe/kernels/mcsat"
)

// cloned copies a state, whose slices are the optimizer's.
func cloned(s cd.State) cd.State {
	for _, v := range []*[]float64{&s.Weights, &s.Step, &s.Average, &s.Running, &s.Information} {
		*v = slices.Clone(*v)
	}
	return s
}

// An optimizer that resumes from another's state takes the same steps.
func TestOptimizer_Restore(t *testing.T) {
	t.Parallel()
	exs := grounded(t, jointest.LoadCase(t, filepath.Join("testdata", "links")))
	start, fixed := []float64{0.5, 0, -1, 0, 0}, []bool{false, false, true, false, false}
	const updates = 40
	w := cd.NewWorker(cd.Options{Samples: 2, Sampler: mcsat.MethodMCSAT})
	step := func(o *cd.Optimizer, k int) {
		var g cd.Gradient
		ex := exs[k%len(exs)]
		check.OK(t, w.Gradient(&g, ex, o.Weights, nil, rand.New(rand.NewPCG(1, uint64(k)))))
		o.Update([]*cd.Gradient{&g}, 1)
	}
	whole := cd.NewOptimizer(start, fixed, 2, len(exs), updates)
	var states []cd.State
	var soFar [][]float64
	for k := range updates {
		step(whole, k)
		states = append(states, cloned(whole.State))
		soFar = append(soFar, slices.Clone(whole.ResultSoFar()))
	}
	for at, s := range states {
		o := cd.NewOptimizer(start, fixed, 2, len(exs), updates)
		check.OK(t, o.Restore(s))
		check.Slices(t, o.ResultSoFar(), soFar[at], "after update %d, so far", at)
		for k := at + 1; k < updates; k++ {
			step(o, k)
		}
		check.Slices(t, o.Result(), whole.Result(), "from update %d on", at)
	}
}

func TestOptimizer_RestoreRefuses(t *testing.T) {
	t.Parallel()
	o := cd.NewOptimizer(make([]float64, 2), make([]bool, 2), 2, 3, 9)
	o.Update([]*cd.Gradient{{Value: []float64{1, 2}, Information: []float64{1, 0, 0, 1}}}, 1)
	for name, change := range map[string]func(*cd.State){
		"updates":             func(s *cd.State) { s.Updates = -1 },
		"clock":               func(s *cd.State) { s.Clock = -1 },
		"clock of no number":  func(s *cd.State) { s.Clock = math.NaN() },
		"infinite average":    func(s *cd.State) { s.Averaged = math.Inf(1) },
		"weights missing":     func(s *cd.State) { s.Weights = nil },
		"one weight more":     func(s *cd.State) { s.Weights = make([]float64, 3) },
		"infinite weight":     func(s *cd.State) { s.Weights[1] = math.Inf(-1) },
		"step":                func(s *cd.State) { s.Step = s.Step[:1] },
		"average":             func(s *cd.State) { s.Average[0] = math.NaN() },
		"running":             func(s *cd.State) { s.Running = nil },
		"information":         func(s *cd.State) { s.Information = s.Information[:3] },
		"information, no num": func(s *cd.State) { s.Information[3] = math.NaN() },
	} {
		s := cloned(o.State)
		change(&s)
		check.ErrorIs(t, o.Restore(s), cd.ErrState, "%s", name)
	}
}

// A run that is cut short has a result from its first update on, in which early weights weigh little.
func TestOptimizer_ResultSoFar(t *testing.T) {
	t.Parallel()
	exs, want := grounded(t, jointest.LoadCase(t, "testdata/links")), loadFit(t, "testdata/links")
	w := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: 20})
	o := cd.NewOptimizer(make([]float64, 5), make([]bool, 5), want.Sigma, len(exs), 1<<30)
	if got := o.ResultSoFar(); !slices.Equal(got, make([]float64, 5)) {
		t.Errorf("before the first update: got %v, want zeros", got)
	}
	for k := range 300 * len(exs) {
		var g cd.Gradient
		check.OK(t, w.Gradient(&g, exs[k%len(exs)], o.Weights, nil, nil))
		o.Update([]*cd.Gradient{&g}, 1)
		if k == 0 && !slices.Equal(o.ResultSoFar(), o.Weights) {
			t.Errorf("after one update: got %v, want %v", o.ResultSoFar(), o.Weights)
		}
	}
	check.AtMost(t, worst(o.ResultSoFar(), want), 0.01, "error")
}

// A step towards a far optimum moves no subgraph's distribution further than the bound, however its counts are scaled.
func TestOptimizer_ShiftIsBounded(t *testing.T) {
	t.Parallel()
	const atoms, bound = 10, 1 + 0.1*10
	for _, information := range []float64{1e2, 1e4, 1e6} {
		o := cd.NewOptimizer([]float64{0}, []bool{false}, 100, 50, 50)
		for range 20 {
			before := o.Weights[0]
			o.Update([]*cd.Gradient{{Value: []float64{50 * information}, Information: []float64{information}, Atoms: atoms}}, 1)
			step := o.Weights[0] - before
			if shift := step * step * information; step <= 0 || shift > bound {
				t.Fatalf("information %v: got a step of %v, whose shift is %v, want a shift of at most %v", information, step, shift, bound)
			}
		}
	}
}
