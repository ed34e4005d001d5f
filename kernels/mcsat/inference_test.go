package mcsat_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
)

// tiedWorld is a ring of ties with fields, too large to enumerate, and its weights.
func tiedWorld(atoms int) (*oracle.Ground, []float64) {
	w := oracle.New(atoms, 2)
	for a := range atoms {
		w.And(0, 1, oracle.Pos(a), oracle.Pos((a+1)%atoms))
		w.And(1, int64(1+a%3), oracle.Pos(a))
	}
	return w, []float64{0.8, -0.4}
}

func TestMarginals_StopsAtError(t *testing.T) {
	t.Parallel()
	w, weights := tiedWorld(60)
	m := modelOf(w.Network(), weights)
	opt := mcsat.DefaultOptions()
	opt.Method, opt.Samples = mcsat.MethodMCSAT, 100_000
	taken := 0
	for _, target := range []float64{0.02, 0.005, 0.002} {
		opt.Error = target
		got, d := marginals(t, m, opt, sources(5, 3))
		if d.Stopped != mcsat.StopError || d.MaxError > target || d.Samples < mcsat.EarliestStop || d.Samples >= opt.Samples || d.Samples < taken {
			t.Errorf("error %v: got %+v", target, d)
		}
		taken = d.Samples

		fixed := opt // as many samples as were taken, and no target
		fixed.Error, fixed.Samples = 0, d.Samples
		same, e := marginals(t, m, fixed, sources(5, 3))
		if diff := cmp.Diff(same, got); diff != "" || e.MaxError != d.MaxError || e.MaxRHat != d.MaxRHat || e.MinESS != d.MinESS {
			t.Errorf("error %v: another way to %d samples gives other marginals: %+v, %+v\n%s", target, d.Samples, d, e, diff)
		}
	}
	opt.Error, opt.Samples = 1e-9, 200
	d, err := new(mcsat.Inference).Marginals(make([]float64, w.Atoms), m, opt, sources(5, 3))
	if err != nil || d.Stopped != mcsat.StopSamples || d.Samples != 200 {
		t.Errorf("out of reach: got %+v, %v", d, err)
	}
}

// Each marginal has an error of its own, the largest of which is that of the diagnostics: 0 where it is exact, none where there are
// too few samples to tell.
func TestInference_Errors(t *testing.T) {
	t.Parallel()
	w, weights := tiedWorld(60)
	m := modelOf(w.Network(), weights)
	var f mcsat.Inference
	p, errs := make([]float64, w.Atoms), make([]float64, w.Atoms)
	for _, method := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodAuto} {
		for _, samples := range []int{2, 300} {
			opt := mcsat.DefaultOptions()
			opt.Method, opt.Samples = method, samples
			d, err := f.Marginals(p, m, opt, sources(5, 3))
			check.OK(t, err)
			f.Errors(errs)
			largest := slices.Max(errs) // NaN is less than any number
			switch {
			case d.Sampled == 0 && largest == 0 && slices.Min(errs) == 0:
			case d.Sampled > 0 && samples == 2 && math.IsNaN(slices.Min(errs)):
			case d.Sampled > 0 && largest == d.MaxError && slices.Min(errs) > 0:
			default:
				t.Errorf("%v, %d samples: errors %v, diagnostics %+v", method, samples, errs, d)
			}
		}
	}
}

func sources(seed, n int) (out []*rand.Rand) {
	for k := range n {
		out = append(out, source(seed, k))
	}
	return out
}

func TestMarginals_Enough(t *testing.T) {
	t.Parallel()
	w, weights := tiedWorld(60)
	m := modelOf(w.Network(), weights)
	opt := mcsat.DefaultOptions()
	opt.Method, opt.Samples, opt.BurnIn = mcsat.MethodMCSAT, 100_000, 10
	for _, calls := range []int{0, 1, 2, 5} {
		asked := 0
		opt.Enough = func() bool {
			asked++
			return asked > calls
		}
		got := make([]float64, w.Atoms)
		d, err := new(mcsat.Inference).Marginals(got, m, opt, sources(6, 2))
		if calls == 0 {
			if err != mcsat.ErrNoSamples { //nolint:errorlint // it is not wrapped
				t.Errorf("no time: got %v", err)
			}
			continue
		}
		if err != nil || d.Stopped != mcsat.StopEnough || d.Samples < 1 || d.Samples >= opt.Samples || slices.ContainsFunc(got, math.IsNaN) {
			t.Errorf("after %d calls: got %+v, %v", calls, d, err)
		}
	}
	opt.Samples, opt.Enough = 300, func() bool { return false }
	free, _ := marginals(t, m, opt, sources(6, 2))
	opt.Enough = nil
	want, _ := marginals(t, m, opt, sources(6, 2))
	if diff := cmp.Diff(free, want); diff != "" {
		t.Errorf("time that suffices changes marginals:\n%s", diff)
	}
}

// Nothing changes where chains run at once, however many do.
func TestMarginals_Concurrent(t *testing.T) {
	t.Parallel()
	for seed := range 3 {
		w, weights := oracle.Random(source(seed, 0), 12, 1, seed%2 == 1)
		net := w.Network()
		if seed%3 == 2 {
			net, _, weights = oracle.Mixed(source(seed, 0), 12, 1)
		}
		for _, method := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
			var want string
			for _, lanes := range []int{0, 1, 3} {
				for _, target := range []float64{0, 1e-9} { // out of reach: chains run side by side
					m := modelOf(net, weights)
					opt := mcsat.DefaultOptions()
					opt.Method, opt.Samples, opt.Error = method, 130, target
					if lanes > 0 {
						opt.Lanes, opt.Parallel = func() int { return lanes }, atOnce
					}
					p := make([]float64, net.NumAtoms)
					d, err := new(mcsat.Inference).Marginals(p, m, opt, sources(seed, 5))
					got := fmt.Sprint(p, d, err)
					if want == "" {
						want = got
					}
					check.Is(t, got, want, "seed %d, %v, %d lanes, error %v", seed, method, lanes, target)
				}
			}
		}
	}
}

// atOnce runs each task on a goroutine of its own.
func atOnce(n int, task func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { task(i) })
	}
	group.Wait()
}

func TestMarginals_Errors(t *testing.T) {
	t.Parallel()
	full := oracle.New(loglinear.ExactLimit+1, 1) // every atom is tied to all others
	for a := range full.Atoms {
		for b := range a {
			full.And(0, 1, oracle.Pos(a), oracle.Pos(b))
		}
	}
	m := modelOf(full.Network(), []float64{1})
	var inf mcsat.Inference
	dst := make([]float64, full.Atoms)
	opt := mcsat.DefaultOptions()

	opt.Method = mcsat.MethodExact
	_, err := inf.Marginals(dst, m, opt, nil)
	var size *mcsat.SizeError
	if !errors.As(err, &size) || size.Tree.Atoms != full.Atoms || size.Tree.Width < 19 || size.Limit != loglinear.ExactLimit {
		t.Errorf("got error %v, want *SizeError", err)
	}

	opt = mcsat.DefaultOptions()
	_, err = inf.Marginals(dst, m, opt, nil)
	var option *mcsat.OptionError
	if !errors.As(err, &option) || option.Option != "chains" {
		t.Errorf("got error %v, want *OptionError of chains", err)
	}
	opt.Samples = 0
	if _, err = inf.Marginals(dst, m, opt, nil); !errors.As(err, &option) || option.Option != "samples" {
		t.Errorf("got error %v, want *OptionError of samples", err)
	}

	stopped := errors.New("stopped")
	opt = mcsat.DefaultOptions()
	opt.Stop = func() error { return stopped }
	if _, err = inf.Marginals(dst, m, opt, []*rand.Rand{rand.New(rand.NewPCG(1, 1))}); !errors.Is(err, stopped) {
		t.Errorf("got error %v, want that of Stop", err)
	}
}
