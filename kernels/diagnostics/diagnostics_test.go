package diagnostics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe/internal/test/check"
	"resolwe/kernels/diagnostics"
)

// verdict is the mean of one variable and the verdict on it.
type verdict struct {
	Mean float64
	diagnostics.Verdict
}

// compare feeds samples, by chain, time and variable, to a Convergence.
func compare(chains [][][]float64) *diagnostics.Convergence {
	vars := make([]uint32, len(chains[0][0]))
	for i := range vars {
		vars[i] = uint32(i)
	}
	var x diagnostics.Convergence
	x.Reset(vars)
	var r diagnostics.Batches
	for _, samples := range chains {
		r.Reset(vars)
		for _, s := range samples {
			if until := r.UntilPaired(); until < 1 {
				panic("no samples until batches are paired")
			}
			r.Add(s, 1)
		}
		x.Add(&r)
	}
	return &x
}

// verdicts returns each variable's verdict, the length of a batch and the number of batches per chain.
func verdicts(chains [][][]float64) (out []verdict, length, batches int) {
	x := compare(chains)
	means := make([]float64, len(chains[0][0]))
	x.Means(means)
	for i, p := range means {
		v, _ := x.Verdict(i)
		out = append(out, verdict{p, v})
	}
	length, batches = diagnostics.Layout(x)
	return out, length, batches
}

func source(seed, stream int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), uint64(stream))) }

// plainVerdict computes the verdict by definition, from all samples of one atom in memory.
func plainVerdict(chains [][]float64, length, batches int) verdict {
	var all, means, halfMeans, batchMeans, within []float64
	for _, c := range chains {
		all = append(all, c...)
		used := c[:length*batches]
		for _, half := range [][]float64{used[:len(used)/2], used[len(used)/2:]} {
			halfMeans = append(halfMeans, meanOf(half))
			within = append(within, varianceOf(half))
		}
		means = append(means, meanOf(used))
		for b := range slices.Chunk(used, length) {
			batchMeans = append(batchMeans, meanOf(b))
		}
	}
	n := float64(length * batches / 2)
	w := meanOf(within)
	pooled := (n-1)/n*w + varianceOf(halfMeans)
	spread := float64(length) * varianceOf(batchMeans)
	spread = max(spread, n*varianceOf(halfMeans)/diagnostics.Chance(float64(2*len(chains)-1)))
	if len(chains) > 1 {
		spread = max(spread, 2*n*varianceOf(means)/diagnostics.Chance(float64(len(chains)-1)))
	}
	total := float64(len(all))
	return verdict{meanOf(all), diagnostics.Verdict{
		RHat: math.Sqrt(pooled / w), ESS: total * min(1, pooled/spread), Error: math.Sqrt(spread/total + 1/(total*total)),
	}}
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

// autoregressive draws chains of n samples around one half, where adjacent samples have correlation phi.
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

func TestConvergence_MatchesPlain(t *testing.T) {
	t.Parallel()
	const atoms = 3
	for _, chains := range []int{1, 2, 5} {
		for _, samples := range []int{4, 5, 6, 31, 32, 33, 34, 63, 64, 65, 66, 127, 128, 129, 1000, 1023} {
			seed := 100*chains + samples
			x := autoregressive(source(seed, 0), chains, samples, atoms, 0.3)
			got, length, batches := verdicts(x)
			if batches%2 == 1 || batches > 32 || batches*length > samples || samples-batches*length >= 2*length ||
				samples >= 32 && batches < 16 {
				t.Errorf("%d samples: got %d batches of %d", samples, batches, length)
			}
			for i := range got {
				want := plainVerdict(atomOf(x, i), length, batches)
				check.Equal(t, fmt.Sprintf("%d chains of %d samples, seed %d", chains, samples, seed), got[i], want, cmpopts.EquateApprox(1e-7, 1e-9))
			}
		}
	}
}

// A variance with d degrees of freedom is below the quantile of chi-square over d in 19 of 20 cases.
func TestChance(t *testing.T) {
	t.Parallel()
	for d, quantile := range map[float64]float64{1: 3.8415, 3: 7.8147, 4: 9.4877, 7: 14.0671, 31: 44.9853} {
		check.Equal(t, fmt.Sprint("freedom ", d), diagnostics.Chance(d), quantile/d, cmpopts.EquateApprox(0.03, 0))
	}
}

// In an autoregressive chain the effective number of n samples is n (1 - phi) / (1 + phi).
func TestConvergence_KnownEffectiveSize(t *testing.T) {
	t.Parallel()
	const atoms, samples = 400, 4096
	for _, phi := range []float64{0, 0.5, 0.9} {
		for _, chains := range []int{1, 4} {
			x := autoregressive(source(int(10*phi), chains), chains, samples, atoms, phi)
			got, _, batches := verdicts(x)
			n := float64(chains * samples)
			want := n * (1 - phi) / (1 + phi)
			inverse, rHats := 0.0, 0
			for _, v := range got {
				inverse += 0.01 / (v.Error * v.Error) / atoms // variance over squared error, an estimate of n/ess
				if v.RHat > 1.02 {
					rHats++
				}
			}
			// The mean of d/chi-square(d) is d/(d-2); its standard deviation over the atoms is about sqrt(2/d).
			d := float64(batches*chains - 1)
			effective := inverse * (d - 2) / d
			slack := 5*math.Sqrt(2/d/atoms) + 2*phi/(1-phi)/samples*32 // chance, and correlated batches
			if math.Abs(effective/want-1) > slack {
				t.Errorf("phi %v, %d chains: got %.0f effective samples, want %.0f within %.1f%%", phi, chains, effective, want, 100*slack)
			}
			if phi < 0.9 && rHats > 0 {
				t.Errorf("phi %v, %d chains: got %d R-hats above 1.02", phi, chains, rHats)
			}
		}
	}
}

// The error covers the mean: about as many means lie within two errors as under a normal distribution.
func TestConvergence_ErrorCovers(t *testing.T) {
	t.Parallel()
	const atoms = 2000
	x := autoregressive(source(3, 0), 2, 1000, atoms, 0.6)
	got, _, _ := verdicts(x)
	inside := 0
	for _, v := range got {
		if math.Abs(v.Mean-0.5) < 2*v.Error {
			inside++
		}
	}
	if share := float64(inside) / atoms; share < 0.92 || share > 0.965 {
		t.Errorf("got %.3f of the means within two errors, want about 0.95", share)
	}
}

// Chains stuck in different modes have a large R-hat, a matching error, and few effective samples.
func TestConvergence_FarModes(t *testing.T) {
	t.Parallel()
	x := autoregressive(source(4, 0), 4, 500, 1, 0)
	for c := range x {
		for _, s := range x[c] {
			s[0] = 0.05*s[0] + float64(c%2)*0.5
		}
	}
	got, _, _ := verdicts(x)
	// The four chains have two values one half apart: the variance of their mean is a third of a quarter of 1/4, less the margin for
	// chance.
	if v, want := got[0], math.Sqrt(0.25/3/4/diagnostics.Chance(3)); v.RHat < 10 || v.ESS > 15 || v.Error < 0.9*want || v.Error > 1.1*want {
		t.Errorf("got %+v, want R-hat above 10, at most 10 effective samples, an error of about %v", v, want)
	}
}

// Independent samples, however few and of however many variables, disagree in about 1 of 100 comparisons; a chain that is elsewhere is
// always found.
func TestConvergence_Apart(t *testing.T) {
	t.Parallel()
	r := source(1, 77)
	apart := func(chains [][][]float64) (vars []int) {
		compare(chains).Apart(func(i int) { vars = append(vars, i) })
		return vars
	}
	const runs, atoms = 100, 300
	for _, samples := range []int{16, 38} {
		disagree := 0
		for range runs {
			chains := autoregressive(r, 4, samples, atoms, 0)
			if len(apart(chains)) > 0 {
				disagree++
			}
			for _, s := range chains[1] {
				s[7] += 0.4
			}
			if !slices.Contains(apart(chains), 7) {
				t.Errorf("%d samples: a chain that is four standard deviations elsewhere is not found", samples)
			}
		}
		check.AtMost(t, disagree, 6, "%d samples, %d comparisons of independent chains disagree", samples, runs)
	}
	check.Equal(t, "limit of long chains", compare(autoregressive(r, 4, 1000, 1, 0)).RHatLimit(atoms), diagnostics.RHatLimit)
}
