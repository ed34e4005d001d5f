// Package diagnostics says how far the means of several chains are to be trusted: split R-hat, effective sample size and Monte
// Carlo standard error, by batch means.
package diagnostics

import (
	"math"

	"resolwe/internal/grow"
)

// RHatLimit is the split R-hat above which chains, or their halves, disagree, or are too short to tell.
const RHatLimit = 1.05

// Convergence compares the chains and their parts, for each variable. It looks at an even number of full batches of each
// chain, of which the first half makes a half chain and the rest another; samples in none count for the means alone. The
// zero value is ready for [Convergence.Reset], which reuses its memory.
type Convergence struct {
	vars    []uint32
	chains  int
	samples int // over all chains
	batches int // of each chain
	length  int // samples of a batch

	total       []float64 // by variable, over all chains, as is all that follows
	square      []float64 // of samples
	halfSum     []float64 // of means of halves
	halfSquare  []float64 // of squares of means of halves
	batchSum    []float64 // of means of batches
	batchSquare []float64 // of squares of means of batches
	half        []float64 // the half under way
}

// Reset forgets the chains. vars are the places of the variables; the slice is kept.
func (x *Convergence) Reset(vars []uint32) {
	x.vars = vars
	x.chains, x.samples, x.batches, x.length = 0, 0, 0, 0
	for _, s := range [...]*[]float64{
		&x.total, &x.square, &x.halfSum, &x.halfSquare, &x.batchSum, &x.batchSquare, &x.half,
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
		addTo(x.half, r.sums[b])
		fold(r.sums[b], x.batchSum, x.batchSquare, x.length)
		if b+1 == x.batches/2 || b+1 == x.batches {
			fold(x.half, x.halfSum, x.halfSquare, x.batches/2*x.length)
			clear(x.half)
		}
	}
	if r.filled > 0 {
		addTo(x.total, r.sums[r.full])
	}
	addTo(x.square, r.square)
}

// fold adds the means of n samples, whose sums it is given, and their squares.
func fold(sums, means, squares []float64, n int) {
	scale := 1 / float64(n)
	for i, s := range sums {
		mean := float64(s * scale)
		means[i] += mean
		squares[i] += float64(mean * mean)
	}
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
// NaN where chains have fewer than four batches. Of many variables, the worst one is by chance estimated somewhat worse than it
// is.
func (x *Convergence) Worst() Verdict {
	out := Verdict{math.NaN(), math.NaN(), math.NaN()}
	if x.batches < 4 {
		return out
	}
	out.Error = 0
	for i := range x.vars {
		v, varies := x.Verdict(i)
		if !varies {
			continue
		}
		if !(out.RHat >= v.RHat) {
			out.RHat = v.RHat
		}
		if !(out.ESS <= v.ESS) {
			out.ESS = v.ESS
		}
		out.Error = max(out.Error, v.Error)
	}
	return out
}

// Verdict is what the samples say of a mean: its split R-hat (Gelman et al., 2013), near 1 where the chains and their halves
// agree; the effective number of samples over all chains; and the Monte Carlo standard error. The last two come from the means
// of 16 to 32 batches of each chain (Flegal and Jones, 2010), and from those of whole chains where these stay apart. They are
// meant for means of probabilities, which are bounded: there is no need to compare ranks.
type Verdict struct{ RHat, ESS, Error float64 }

// Verdict returns what is known of the i-th variable, and whether it varies. There must be four batches of each chain.
func (x *Convergence) Verdict(i int) (v Verdict, varies bool) {
	const (
		still = 1e-12
		apart = 7 // times as much as batches say: by chance of less than one in 10,000 in two chains, and of far less in more
	)
	half := float64(x.batches / 2 * x.length)
	halves, batches := float64(2*x.chains), float64(x.batches*x.chains)
	within := (x.square[i] - float64(half*x.halfSquare[i])) / (halves * (half - 1))
	between := float64(half * variance(x.halfSum[i], x.halfSquare[i], halves))
	pooled := (float64((half-1)*within) + between) / half
	if pooled < still {
		return Verdict{}, false
	}
	v.RHat = math.Sqrt(pooled / max(within, still))
	// The variance of a sum over a batch, for each sample of it: samples that depend on each other have a larger one.
	spread := float64(x.length) * variance(x.batchSum[i], x.batchSquare[i], batches)
	if v.RHat > RHatLimit && x.chains > 1 && between > apart*spread {
		spread = 2 * between // batches tell nothing: a chain is worth one draw, which both of its halves are
	}
	n := float64(x.samples)
	v.ESS = n * min(1, pooled/max(spread, still))
	v.Error = math.Sqrt(max(0, spread) / n)
	return v, true
}

// variance returns the sample variance of n values from their sum and that of their squares.
func variance(sum, squares, n float64) float64 { return (squares - sum*sum/n) / (n - 1) }
