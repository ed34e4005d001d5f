package mcsat

import "math"

// RHatLimit is the split R-hat above which chains, or their halves, disagree, or are too short to tell.
const RHatLimit = 1.05

// mixing compares the chains and their parts, for each sampled atom. It looks at an even number of full batches of each
// chain, of which the first half makes a half chain and the rest another; samples in none count for the marginals alone.
type mixing struct {
	atoms   []uint32
	chains  int
	samples int // over all chains
	batches int // of each chain
	length  int // samples of a batch

	total       []float64 // by sampled atom, over all chains, as is all that follows
	square      []float64 // of samples
	halfSum     []float64 // of means of halves
	halfSquare  []float64 // of squares of means of halves
	batchSum    []float64 // of means of batches
	batchSquare []float64 // of squares of means of batches
	half        []float64 // the half under way
}

func (x *mixing) reset(atoms []uint32) {
	x.atoms = atoms
	x.chains, x.samples, x.batches, x.length = 0, 0, 0, 0
	for _, s := range [...]*[]float64{
		&x.total, &x.square, &x.halfSum, &x.halfSquare, &x.batchSum, &x.batchSquare, &x.half,
	} {
		*s = zeroed(*s, len(atoms))
	}
}

// merge adds a chain, which has as many samples as those before it.
func (x *mixing) merge(r *record) {
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
		mean := s * scale
		means[i] += mean
		squares[i] += mean * mean
	}
}

func (x *mixing) marginals(dst []float64) {
	for i, a := range x.atoms {
		dst[a] = min(1, x.total[i]/float64(x.samples))
	}
}

// diagnose returns the largest split R-hat, the smallest effective sample size and the largest Monte Carlo standard
// error, NaN where they are undefined.
func (x *mixing) diagnose() (maxRHat, minESS, maxError float64) {
	maxRHat, minESS, maxError = math.NaN(), math.NaN(), math.NaN()
	if x.batches < 4 {
		return maxRHat, minESS, maxError
	}
	maxError = 0
	for i := range x.atoms {
		v, varies := x.atom(i)
		if !varies {
			continue
		}
		if !(maxRHat >= v.rHat) {
			maxRHat = v.rHat
		}
		if !(minESS <= v.ess) {
			minESS = v.ess
		}
		maxError = max(maxError, v.err)
	}
	return maxRHat, minESS, maxError
}

// verdict is what the samples say of one atom's marginal.
type verdict struct{ rHat, ess, err float64 }

// atom returns what is known of the i-th sampled atom, and whether it varies.
func (x *mixing) atom(i int) (v verdict, varies bool) {
	const (
		still = 1e-12
		apart = 7 // times as much as batches say: by chance of less than one in 10,000 in two chains, and of far less in more
	)
	half := float64(x.batches / 2 * x.length)
	halves, batches := float64(2*x.chains), float64(x.batches*x.chains)
	within := (x.square[i] - half*x.halfSquare[i]) / (halves * (half - 1))
	between := half * variance(x.halfSum[i], x.halfSquare[i], halves)
	pooled := ((half-1)*within + between) / half
	if pooled < still {
		return verdict{}, false
	}
	v.rHat = math.Sqrt(pooled / max(within, still))
	// The variance of a sum over a batch, for each sample of it: samples that depend on each other have a larger one.
	spread := float64(x.length) * variance(x.batchSum[i], x.batchSquare[i], batches)
	if v.rHat > RHatLimit && x.chains > 1 && between > apart*spread {
		spread = 2 * between // batches tell nothing: a chain is worth one draw, which both of its halves are
	}
	n := float64(x.samples)
	v.ess = n * min(1, pooled/max(spread, still))
	v.err = math.Sqrt(max(0, spread) / n)
	return v, true
}

// variance returns the sample variance of n values from their sum and that of their squares.
func variance(sum, squares, n float64) float64 { return (squares - sum*sum/n) / (n - 1) }
