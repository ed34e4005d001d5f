package mcsat

import "math"

// mixing sums what the chains give for each sampled atom. A chain is split into two halves, and into batches of about
// the square root of its length; samples that fill neither count for the marginals alone.
type mixing struct {
	atoms       []uint32
	half, batch int
	chains      int
	taken       int       // samples of the present chain
	total       []float64 // by sampled atom, over all chains, as is all that follows
	samples     int
	present     []float64 // sum of the present batch
	first       []float64 // sum of the present half
	square      []float64 // of samples within full halves
	halfSum     []float64 // of means of halves
	halfSquare  []float64 // of squares of means of halves
	batchSum    []float64
	batchSquare []float64
	batches     int
}

func (x *mixing) reset(atoms []uint32, samples int) {
	n := len(atoms)
	x.atoms, x.half, x.batch = atoms, samples/2, max(1, int(math.Sqrt(float64(samples))))
	x.chains, x.samples, x.batches = 0, 0, 0
	for _, s := range [...]*[]float64{
		&x.total, &x.present, &x.first, &x.square, &x.halfSum, &x.halfSquare, &x.batchSum, &x.batchSquare,
	} {
		*s = zeroed(*s, n)
	}
}

// begin starts the next chain.
func (x *mixing) begin() {
	x.chains++
	x.taken = 0
	clear(x.present)
	clear(x.first)
}

// add takes a sample: by atom of the network, the sum of so many conditional probabilities.
func (x *mixing) add(sums []float64, passes int) {
	scale := 1 / float64(passes)
	x.taken++
	x.samples++
	halves := x.taken <= 2*x.half
	for i, a := range x.atoms {
		p := sums[a] * scale
		x.total[i] += p
		x.present[i] += p
		if halves {
			x.first[i] += p
			x.square[i] += p * p
		}
	}
	if halves && x.taken%x.half == 0 {
		fold(x.first, x.halfSum, x.halfSquare, x.half)
	}
	if x.taken%x.batch == 0 {
		fold(x.present, x.batchSum, x.batchSquare, x.batch)
		x.batches++
	}
}

// fold turns the sums of n samples into a mean each and begins them anew.
func fold(sums, means, squares []float64, n int) {
	for i, s := range sums {
		mean := s / float64(n)
		means[i] += mean
		squares[i] += mean * mean
	}
	clear(sums)
}

func (x *mixing) marginals(dst []float64) {
	for i, a := range x.atoms {
		dst[a] = min(1, x.total[i]/float64(x.samples))
	}
}

// diagnose returns the largest split R-hat and the smallest effective sample size.
func (x *mixing) diagnose() (maxRHat, minESS float64) {
	if x.half < 2 || x.batches < 2 {
		return 0, 0
	}
	for i := range x.atoms {
		rHat, ess, varies := x.atom(i)
		if !varies {
			continue
		}
		maxRHat = max(maxRHat, rHat)
		if minESS == 0 || ess < minESS {
			minESS = ess
		}
	}
	return maxRHat, minESS
}

func (x *mixing) atom(i int) (rHat, ess float64, varies bool) {
	const still = 1e-12
	n, k := float64(x.half), float64(2*x.chains)
	mean := x.halfSum[i] / k
	within := (x.square[i] - n*x.halfSquare[i]) / (k * (n - 1))
	between := n * (x.halfSquare[i] - k*mean*mean) / (k - 1)
	pooled := ((n-1)*within + between) / n
	if pooled < still {
		return 0, 0, false
	}
	rHat = math.Sqrt(pooled / max(within, still))
	b := float64(x.batches)
	mean = x.batchSum[i] / b
	spread := float64(x.batch) * (x.batchSquare[i] - b*mean*mean) / (b - 1)
	return rHat, float64(x.samples) * min(1, pooled/max(spread, still)), true
}
