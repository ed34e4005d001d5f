package diagnostics

import (
	"math"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
)

// RHatLimit is the split R-hat above which long chains, or their halves, disagree; see [Convergence.RHatLimit] for short ones.
const RHatLimit = 1.05

// Convergence compares chains and their parts for each variable. It uses an even number of full batches of each chain, which it splits
// into two half chains; the remaining samples count only for the means. The zero value is ready for [Convergence.Reset], which reuses its
// memory.
type Convergence struct {
	vars    []uint32
	chains  int
	samples int // of all chains
	batches int // per chain
	length  int // samples per batch

	total  []float64 // by variable, over all chains, like the following
	square []float64 // of samples
	// Sums over chains, halves and batches of their means, and of the squares of these.
	chain, half, batch moments
	chainNow, halfNow  []float64 // sums of the current chain and half
}

// moments are, by variable, the sum of some means and the sum of their squares.
type moments struct{ sum, square []float64 }

// Reset removes all chains. vars are the places of the variables; the slice is kept.
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

// Add adds a chain of the same variables, with as many samples as the previous ones.
func (x *Convergence) Add(r *Batches) {
	x.chains++
	x.samples += r.taken
	x.batches, x.length = r.full&^1, r.length
	for b := range r.full {
		elementary.Add(x.total, r.sums[b])
		if b >= x.batches {
			continue
		}
		elementary.Add(x.halfNow, r.sums[b])
		x.batch.fold(r.sums[b], x.length)
		if b+1 == x.batches/2 || b+1 == x.batches {
			elementary.Add(x.chainNow, x.halfNow)
			x.half.fold(x.halfNow, x.batches/2*x.length)
			clear(x.halfNow)
		}
	}
	if x.batches > 0 {
		x.chain.fold(x.chainNow, x.batches*x.length)
		clear(x.chainNow)
	}
	if r.filled > 0 {
		elementary.Add(x.total, r.sums[r.full])
	}
	elementary.Add(x.square, r.square)
}

// fold adds the means of n samples, given as sums, and their squares.
func (m *moments) fold(sums []float64, n int) {
	scale := 1 / float64(n)
	for i, s := range sums {
		mean := float64(s * scale)
		m.sum[i] += mean
		m.square[i] += float64(mean * mean)
	}
}

// variance returns the sample variance of n means of the i-th variable.
func (m *moments) variance(i int, n float64) float64 {
	return (m.square[i] - m.sum[i]*m.sum[i]/n) / (n - 1)
}

// Samples returns the number of samples of all chains.
func (x *Convergence) Samples() int { return x.samples }

// Means sets the means of the variables in dst, at their places; they are probabilities, at most 1.
func (x *Convergence) Means(dst []float64) {
	for i, v := range x.vars {
		dst[v] = min(1, x.total[i]/float64(x.samples))
	}
}

// Worst returns the largest split R-hat and standard error and the smallest effective sample size over the variables that vary. The
// result is NaN if chains have fewer than four batches, or R-hat and sample size if no variable varies. Over many variables the worst
// estimate is, by chance, somewhat worse than the true value.
func (x *Convergence) Worst() Verdict {
	out := Verdict{math.NaN(), math.NaN(), math.NaN()}
	for i := 0; x.Judges() && i < len(x.vars); i++ {
		out.Worsen(x.Verdict(i))
	}
	return out
}

// RHatLimit returns the split R-hat above which chains or their halves disagree about one of n variables. It is larger than the constant if
// the samples are so few that one of n would exceed that by chance, were they independent.
func (x *Convergence) RHatLimit(n int) float64 {
	byChance := chance(float64(2*x.chains-1), Within(n)) - 1
	return max(RHatLimit, math.Sqrt(1+byChance/float64(x.batches/2*x.length)))
}

// Apart calls f with each variable whose R-hat exceeds that limit, in order.
func (x *Convergence) Apart(f func(i int)) {
	if !x.Judges() {
		return
	}
	limit := x.RHatLimit(len(x.vars))
	for i := range x.vars {
		if v, varies := x.Verdict(i); varies && v.RHat > limit {
			f(i)
		}
	}
}

// Within returns the number of standard errors within which all of n means lie with probability 99%: the largest of n normal errors
// exceeds z with a probability of at most n exp(-z^2/2).
func Within(n int) float64 { return math.Sqrt(2 * elementary.Log(100*float64(max(1, n)))) }

// Judges reports whether each chain has at least four batches; otherwise only means are known.
func (x *Convergence) Judges() bool { return x.batches >= 4 }

// Verdict describes the estimate of a mean: its split R-hat (Gelman et al., 2013), near 1 if the chains and their halves agree; the
// effective number of samples of all chains; and the Monte Carlo standard error. The last two are computed from the means of 16 to 32
// batches per chain (Flegal and Jones, 2010), or from those of chains or of their halves if these differ by more than would happen by
// chance once in twenty times, were batches independent. The error includes what n samples easily miss: events with a probability of 1/n.
// Verdicts are meant for means of probabilities; as these are bounded, ranks need not be compared.
type Verdict struct{ RHat, ESS, Error float64 }

// Worsen makes each figure the worse one of two verdicts, of which this one may be unknown, NaN. If the other variable does not vary, only its
// error counts.
func (v *Verdict) Worsen(o Verdict, varies bool) {
	if !(v.Error >= o.Error) {
		v.Error = o.Error
	}
	if varies && !(v.RHat >= o.RHat) {
		v.RHat = o.RHat
	}
	if varies && !(v.ESS <= o.ESS) {
		v.ESS = o.ESS
	}
}

// still is the variance below which a variable is constant up to rounding.
const still = 1e-12

// Verdict returns the verdict on the i-th variable, and whether it varies; if not, only its error, 1/n, is defined. It may be called only
// if Judges returns true.
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
	// The variance of a sum over a batch, per sample: it is larger if samples are correlated.
	spread := float64(x.length) * x.batch.variance(i, batches)
	spread = max(spread, between/chance(halves-1, rarely))
	if x.chains > 1 {
		spread = max(spread, 2*half*x.chain.variance(i, chains)/chance(chains-1, rarely))
	}
	v.RHat = math.Sqrt(pooled / max(within, still))
	v.ESS = n * min(1, pooled/max(spread, still))
	v.Error = math.Sqrt(spread/n + 1/float64(n*n))
	return v, true
}

// rarely is exceeded by one of 20 standard normal variables.
const rarely = 1.6448536269514722

// chance returns the factor by which a variance estimated with the given degrees of freedom exceeds the true one as rarely as a standard
// normal variable exceeds z: a quantile of chi-square divided by its degrees of freedom (Wilson and Hilferty, 1931).
func chance(freedom, z float64) float64 {
	s := 2 / (9 * freedom)
	root := 1 - s + float64(z*math.Sqrt(s))
	return float64(root * root * root)
}
