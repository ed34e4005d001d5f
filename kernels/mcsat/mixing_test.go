package mcsat_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe/kernels/mcsat"
)

// plainVerdict computes by the book, from all samples of one atom in memory.
func plainVerdict(chains [][]float64, length, batches int) mcsat.Verdict {
	var all, means, batchMeans, within []float64
	for _, c := range chains {
		all = append(all, c...)
		used := c[:length*batches]
		for _, half := range [][]float64{used[:len(used)/2], used[len(used)/2:]} {
			means = append(means, meanOf(half))
			within = append(within, varianceOf(half))
		}
		for b := range slices.Chunk(used, length) {
			batchMeans = append(batchMeans, meanOf(b))
		}
	}
	n := float64(length * batches / 2)
	w := meanOf(within)
	pooled := (n-1)/n*w + varianceOf(means)
	spread := float64(length) * varianceOf(batchMeans)
	rHat := math.Sqrt(pooled / w)
	if between := n * varianceOf(means); rHat > mcsat.RHatLimit && len(chains) > 1 && between > 7*spread {
		spread = 2 * between
	}
	total := float64(len(all))
	return mcsat.Verdict{
		Marginal: meanOf(all), RHat: rHat, ESS: total * min(1, pooled/spread), Error: math.Sqrt(spread / total),
	}
}

func meanOf(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

func varianceOf(xs []float64) float64 {
	mean, sum := meanOf(xs), 0.0
	for _, x := range xs {
		sum += (x - mean) * (x - mean)
	}
	return sum / float64(len(xs)-1)
}

// autoregressive draws chains of so many samples around one half: the correlation of neighbours is phi.
func autoregressive(r *rand.Rand, chains, samples, atoms int, phi float64) [][][]float64 {
	out := make([][][]float64, chains)
	state := make([]float64, atoms)
	for c := range out {
		for i := range state {
			state[i] = r.NormFloat64()
		}
		for range samples {
			s := make([]float64, atoms)
			for i := range s {
				state[i] = phi*state[i] + math.Sqrt(1-phi*phi)*r.NormFloat64()
				s[i] = 0.5 + 0.1*state[i]
			}
			out[c] = append(out[c], s)
		}
	}
	return out
}

func atomOf(chains [][][]float64, atom int) [][]float64 {
	out := make([][]float64, len(chains))
	for c, samples := range chains {
		for _, s := range samples {
			out[c] = append(out[c], s[atom])
		}
	}
	return out
}

func TestMixing_MatchesPlain(t *testing.T) {
	t.Parallel()
	const atoms = 3
	for _, chains := range []int{1, 2, 5} {
		for _, samples := range []int{4, 5, 6, 31, 32, 33, 34, 63, 64, 65, 66, 127, 128, 129, 1000, 1023} {
			seed := 100*chains + samples
			x := autoregressive(source(seed, 0), chains, samples, atoms, 0.3)
			got, length, batches := mcsat.Mixed(x)
			if batches%2 == 1 || batches > 32 || batches*length > samples || samples-batches*length >= 2*length ||
				samples >= 32 && batches < 16 {
				t.Errorf("%d samples: got %d batches of %d", samples, batches, length)
			}
			for i := range got {
				want := plainVerdict(atomOf(x, i), length, batches)
				if diff := cmp.Diff(got[i], want, cmpopts.EquateApprox(1e-7, 1e-9)); diff != "" {
					t.Errorf("%d chains of %d samples, seed %d (-got +want):\n%s", chains, samples, seed, diff)
				}
			}
		}
	}
}

// In an autoregressive chain the effective number of n samples is n (1 - phi) / (1 + phi).
func TestMixing_KnownEffectiveSize(t *testing.T) {
	t.Parallel()
	const atoms, samples = 400, 4096
	for _, phi := range []float64{0, 0.5, 0.9} {
		for _, chains := range []int{1, 4} {
			x := autoregressive(source(int(10*phi), chains), chains, samples, atoms, phi)
			got, _, batches := mcsat.Mixed(x)
			n := float64(chains * samples)
			want := n * (1 - phi) / (1 + phi)
			inverse, rHats := 0.0, 0
			for _, v := range got {
				inverse += 0.01 / (v.Error * v.Error) / atoms // variance over squared error, which estimates n/ess
				if v.RHat > 1.02 {
					rHats++
				}
			}
			// The mean of d/chi-square(d) is d/(d-2); its spread over the atoms is about sqrt(2/d).
			d := float64(batches*chains - 1)
			effective := inverse * (d - 2) / d
			slack := 5*math.Sqrt(2/d/atoms) + 2*phi/(1-phi)/samples*32 // chance, and batches that depend on each other
			if math.Abs(effective/want-1) > slack {
				t.Errorf("phi %v, %d chains: got %.0f effective samples, want %.0f within %.1f%%", phi, chains, effective, want, 100*slack)
			}
			if phi < 0.9 && rHats > 0 {
				t.Errorf("phi %v, %d chains: got %d R-hats above 1.02", phi, chains, rHats)
			}
		}
	}
}

// The error is that of the mean: about as many means as a normal law has lie within two errors.
func TestMixing_ErrorCovers(t *testing.T) {
	t.Parallel()
	const atoms = 2000
	x := autoregressive(source(3, 0), 2, 1000, atoms, 0.6)
	got, _, _ := mcsat.Mixed(x)
	inside := 0
	for _, v := range got {
		if math.Abs(v.Marginal-0.5) < 2*v.Error {
			inside++
		}
	}
	if share := float64(inside) / atoms; share < 0.92 || share > 0.965 {
		t.Errorf("got %.3f of the means within two errors, want about 0.95", share)
	}
}

// Chains that stay apart have a large R-hat, an error that says so, and few effective samples.
func TestMixing_FarModes(t *testing.T) {
	t.Parallel()
	x := autoregressive(source(4, 0), 4, 500, 1, 0)
	for c := range x {
		for _, s := range x[c] {
			s[0] = 0.05*s[0] + float64(c%2)*0.5
		}
	}
	got, _, _ := mcsat.Mixed(x)
	// The four chains are two values of one half apart: the variance of their mean is a third of one quarter of that.
	if v, want := got[0], math.Sqrt(0.25/3/4); v.RHat < 10 || v.ESS > 10 || v.Error < 0.9*want || v.Error > 1.1*want {
		t.Errorf("got %+v, want R-hat above 10, at most 10 effective samples, an error of about %v", v, want)
	}
}

// tiedWorld is a ring of ties with fields, too large to enumerate, and its weights.
func tiedWorld(atoms int) (*world, []float64) {
	w := newWorld(atoms, 2)
	for a := range atoms {
		w.and(0, 1, pos(a), pos((a+1)%atoms))
		w.and(1, int64(1+a%3), pos(a))
	}
	return w, []float64{0.8, -0.4}
}

func TestMarginals_StopsAtError(t *testing.T) {
	t.Parallel()
	w, weights := tiedWorld(60)
	var m mcsat.Model
	m.Reset(w.network(), weights)
	opt := mcsat.DefaultOptions()
	opt.Samples = 100_000
	taken := 0
	for _, target := range []float64{0.02, 0.005, 0.002} {
		opt.Error = target
		got := make([]float64, w.atoms)
		d, err := new(mcsat.Inference).Marginals(got, &m, opt, sources(5, 3))
		if err != nil {
			t.Fatal(err)
		}
		if d.Stopped != mcsat.StopError || d.MaxError > target || d.Samples < mcsat.EarliestStop || d.Samples >= opt.Samples || d.Samples < taken {
			t.Errorf("error %v: got %+v", target, d)
		}
		taken = d.Samples

		fixed := opt // as many samples as were taken, and no target
		fixed.Error, fixed.Samples = 0, d.Samples
		same := make([]float64, w.atoms)
		e, err := new(mcsat.Inference).Marginals(same, &m, fixed, sources(5, 3))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(same, got); diff != "" || e.MaxError != d.MaxError || e.MaxRHat != d.MaxRHat || e.MinESS != d.MinESS {
			t.Errorf("error %v: another way to %d samples gives other marginals: %+v, %+v\n%s", target, d.Samples, d, e, diff)
		}
	}
	opt.Error, opt.Samples = 1e-9, 200
	d, err := new(mcsat.Inference).Marginals(make([]float64, w.atoms), &m, opt, sources(5, 3))
	if err != nil || d.Stopped != mcsat.StopSamples || d.Samples != 200 {
		t.Errorf("out of reach: got %+v, %v", d, err)
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
	var m mcsat.Model
	m.Reset(w.network(), weights)
	opt := mcsat.DefaultOptions()
	opt.Samples, opt.BurnIn = 100_000, 10
	for _, calls := range []int{0, 1, 2, 5} {
		asked := 0
		opt.Enough = func() bool {
			asked++
			return asked > calls
		}
		got := make([]float64, w.atoms)
		d, err := new(mcsat.Inference).Marginals(got, &m, opt, sources(6, 2))
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
	free := make([]float64, w.atoms)
	if _, err := new(mcsat.Inference).Marginals(free, &m, opt, sources(6, 2)); err != nil {
		t.Fatal(err)
	}
	opt.Enough = nil
	want := make([]float64, w.atoms)
	if _, err := new(mcsat.Inference).Marginals(want, &m, opt, sources(6, 2)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(free, want); diff != "" {
		t.Errorf("time that suffices changes marginals:\n%s", diff)
	}
}

// Nothing changes where chains run at once, however many do.
func TestMarginals_Parallel(t *testing.T) {
	t.Parallel()
	for seed := range 6 {
		w, weights := randomWorld(source(seed, 0), 12, 1, seed%2 == 1)
		net := w.network()
		if seed%3 == 2 {
			net, _, weights = meetings(source(seed, 0), 12, 1)
		}
		for _, method := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
			var want string
			for _, lanes := range []int{0, 1, 2, 3, 7} {
				for _, target := range []float64{0, 1e-9} { // out of reach: chains run side by side
					var m mcsat.Model
					m.Reset(net, weights)
					opt := mcsat.DefaultOptions()
					opt.Method, opt.Samples, opt.Error = method, 150, target
					if lanes > 0 {
						opt.Lanes, opt.Parallel = func() int { return lanes }, atOnce
					}
					p := make([]float64, net.NumAtoms)
					d, err := new(mcsat.Inference).Marginals(p, &m, opt, sources(seed, 5))
					got := fmt.Sprint(p, d, err)
					if want == "" {
						want = got
					}
					if got != want {
						t.Errorf("seed %d, %v, %d lanes, error %v:\ngot  %s\nwant %s", seed, method, lanes, target, got, want)
					}
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
