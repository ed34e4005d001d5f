package diagnostics

import (
	"math"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
)

// RHatLimit is the split R-hat above which chains, or their halves, disagree, or are too short to tell.
const RHatLimit = 1.05

// Convergence compares the chains and their parts, for each variable. It looks at an even number of full batches of each
// chain, whose first half makes one half chain and the rest another; samples in neither count for the means alone. The
// zero value is ready for [Convergence.Reset], which reuses its memory.
type Convergence struct {
	vars    []uint32
	chains  int
	samples int // over all chains
	batches int // of each chain
	length  int // samples of a batch

	total  []float64 // by variable, over all chains, as is all that follows
	square []float64 // of samples
	// Sums of the means of chains, of their halves and of batches, and of their squares.
	chain, half, batch moments
	chainNow, halfNow  []float64 // sums of the chain and of the half under way
}

// moments are by variable the sum of some means and of their squares.
type moments struct{ sum, square []float64 }

// Reset forgets the chains. vars are the places of the variables; the slice is kept.
func (x *Convergence) Reset(vars []uint32) {
	x.vars = vars
	x.chains, x.samples, x.batches, x.length = 0, 0, 0, 0
	for _, s := range [...]*[]float64{
		&x.total, &x.square, &x.chain.sum, &x.chain.square, &x.half.sum, &x.half.square, &x.batch.sum, &x.batch.square,
		&x.chainNow, &x.halfNow,
	} {
		*s = grow.Zeroed(*s, len(vars))
	}
}

// Add adds a chain of the same variables, which has as many samples as those before it.
func (x *Convergence) Add(r *Batches) {
	x.chains++
	x.samples += r.taken
	x.batches, x.length = r.full&^1, r.length
	for b := range r.full {
		addTo(x.total, r.sums[b])
		if b >= x.batches {
			continue
		}
		addTo(x.halfNow, r.sums[b])
		x.batch.fold(r.sums[b], x.length)
		if b+1 == x.batches/2 || b+1 == x.batches {
			addTo(x.chainNow, x.halfNow)
			x.half.fold(x.halfNow, x.batches/2*x.length)
			clear(x.halfNow)
		}
	}
	if x.batches > 0 {
		x.chain.fold(x.chainNow, x.batches*x.length)
		clear(x.chainNow)
	}
	if r.filled > 0 {
		addTo(x.total, r.sums[r.full])
	}
	addTo(x.square, r.square)
}

// fold adds the means of n samples, whose sums it is given, and their squares.
func (m *moments) fold(sums []float64, n int) {
	scale := 1 / float64(n)
	for i, s := range sums {
		mean := float64(s * scale)
		m.sum[i] += mean
		m.square[i] += float64(mean * mean)
	}
}

// variance returns the sample variance of n values, of the i-th variable.
func (m *moments) variance(i int, n float64) float64 {
	return (m.square[i] - m.sum[i]*m.sum[i]/n) / (n - 1)
}

// Samples returns how many samples there are over all chains.
func (x *Convergence) Samples() int { return x.samples }

// Means sets the means of the variables in dst, each in its place; they are probabilities, at most 1.
func (x *Convergence) Means(dst []float64) {
	for i, v := range x.vars {
		dst[v] = min(1, x.total[i]/float64(x.samples))
	}
}

// Worst returns the largest split R-hat and standard error and the smallest effective sample size of the variables that vary,
// NaN where chains have fewer than four batches, or none varies. Of many variables, the worst one is by chance estimated
// somewhat worse than it is.
func (x *Convergence) Worst() Verdict {
	out := Verdict{math.NaN(), math.NaN(), math.NaN()}
	if !x.Judges() {
		return out
	}
	out.Error = 0
	for i := range x.vars {
		v, varies := x.Verdict(i)
		out.Error = max(out.Error, v.Error)
		if !varies {
			continue
		}
		if !(out.RHat >= v.RHat) {
			out.RHat = v.RHat
		}
		if !(out.ESS <= v.ESS) {
			out.ESS = v.ESS
		}
	}
	return out
}

// Apart calls f with the variables whose R-hat exceeds RHatLimit, in order.
func (x *Convergence) Apart(f func(i int)) {
	if !x.Judges() {
		return
	}
	for i := range x.vars {
		if v, varies := x.Verdict(i); varies && v.RHat > RHatLimit {
			f(i)
		}
	}
}

// Within is the number of standard errors within which all of n means lie, in 99 of 100 cases: of n errors that
// are normal the largest is beyond z with a probability of at most n exp(-z^2/2).
func Within(n int) float64 { return math.Sqrt(2 * elementary.Log(100*float64(max(1, n)))) }

// Judges reports whether there are four batches of each chain, without which nothing but means is known.
func (x *Convergence) Judges() bool { return x.batches >= 4 }

// Verdict is what the samples say of a mean: its split R-hat (Gelman et al., 2013), near 1 where the chains and their halves
// agree; the effective number of samples over all chains; and the Monte Carlo standard error. The last two come from the means
// of 16 to 32 batches of each chain (Flegal and Jones, 2010), and from those of chains or of their halves where these differ by
// more than chance would have it, once in twenty, were batches independent. To the error belongs what n samples cannot tell:
// they easily miss what has a probability of 1/n. Verdicts are meant for means of probabilities, which are bounded: there is
// no need to compare ranks.
type Verdict struct{ RHat, ESS, Error float64 }

// still is the variance of a variable that does not vary, but for rounding.
const still = 1e-12

// Verdict returns what is known of the i-th variable, and whether it varies: else only its error, which is 1/n, is defined.
// It is for use where Judges is true.
func (x *Convergence) Verdict(i int) (v Verdict, varies bool) {
	n := float64(x.samples)
	half := float64(x.batches / 2 * x.length)
	chains, halves, batches := float64(x.chains), float64(2*x.chains), float64(x.batches*x.chains)
	within := (x.square[i] - float64(half*x.half.square[i])) / (halves * (half - 1))
	between := float64(half * x.half.variance(i, halves))
	pooled := (float64((half-1)*within) + between) / half
	if pooled < still {
		return Verdict{math.NaN(), math.NaN(), 1 / n}, false
	}
	// The variance of a sum over a batch, for each sample of it: samples that depend on each other have a larger one.
	spread := float64(x.length) * x.batch.variance(i, batches)
	spread = max(spread, between/chance(halves-1))
	if x.chains > 1 {
		spread = max(spread, 2*half*x.chain.variance(i, chains)/chance(chains-1))
	}
	v.RHat = math.Sqrt(pooled / max(within, still))
	v.ESS = n * min(1, pooled/max(spread, still))
	v.Error = math.Sqrt(spread/n + 1/float64(n*n))
	return v, true
}

// chance is by how much a variance estimated with a number of degrees of freedom exceeds the true one at most, in 19 of 20 cases:
// the quantile of chi-square over its degrees of freedom (Wilson and Hilferty, 1931).
func chance(freedom float64) float64 {
	const z = 1.6448536269514722
	s := 2 / (9 * freedom)
	root := 1 - s + float64(z*math.Sqrt(s))
	return root * root * root
}
