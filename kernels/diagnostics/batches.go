package diagnostics

import "resolwe/internal/grow"

// maxBatches bounds the batches of a chain; it is even.
const maxBatches = 32

// Batches are the sufficient statistics of one chain: for each of its variables, sums over batches of equal length. When there
// would be more than maxBatches, each two become one: how many samples there will be need not be known. The zero value is
// ready for [Batches.Reset], which reuses its memory.
type Batches struct {
	vars   []uint32
	length int // samples of a batch
	full   int // batches
	filled int // samples of the batch under way
	taken  int
	sums   [maxBatches][]float64 // by batch, then by variable; sums[full] is under way
	square []float64             // sum of squares over the pairs of batches that are full
	recent []float64             // over the pair under way
}

// Reset begins a chain. vars are the places of its variables in a sample; the slice is kept.
func (r *Batches) Reset(vars []uint32) {
	r.vars, r.length, r.full, r.filled, r.taken = vars, 1, 0, 0, 0
	r.square, r.recent = grow.Zeroed(r.square, len(vars)), grow.Zeroed(r.recent, len(vars))
}

// Add takes a sample: the means of n numbers each, given by their sums.
func (r *Batches) Add(sums []float64, n int) {
	if r.full == maxBatches {
		r.halve()
	}
	if r.filled == 0 {
		r.sums[r.full] = grow.Zeroed(r.sums[r.full], len(r.vars))
	}
	scale := 1 / float64(n)
	dst, recent := r.sums[r.full], r.recent
	for i, a := range r.vars {
		p := float64(sums[a] * scale)
		dst[i] += p
		recent[i] += float64(p * p)
	}
	r.taken++
	if r.filled++; r.filled == r.length {
		r.complete()
	}
}

// complete ends the batch under way.
func (r *Batches) complete() {
	r.filled = 0
	if r.full++; r.full%2 == 1 {
		return
	}
	addTo(r.square, r.recent)
	clear(r.recent)
}

// halve makes one batch of each two.
func (r *Batches) halve() {
	for b := range maxBatches / 2 {
		addTo(r.sums[2*b], r.sums[2*b+1])
		r.sums[b], r.sums[2*b] = r.sums[2*b], r.sums[b]
	}
	r.full, r.length = maxBatches/2, 2*r.length
}

// Samples returns how many samples there are.
func (r *Batches) Samples() int { return r.taken }

// Paired reports whether all samples are in batches, whose number is even: [Convergence] then looks at all of them.
func (r *Batches) Paired() bool { return r.filled == 0 && r.full%2 == 0 }

// UntilPaired returns how many samples it takes until they are paired again.
func (r *Batches) UntilPaired() int {
	full, length := r.full, r.length
	if full == maxBatches {
		full, length = full/2, 2*length
	}
	return (2-full%2)*length - r.filled
}

func addTo(dst, src []float64) {
	for i, v := range src {
		dst[i] += v
	}
}
