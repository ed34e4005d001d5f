package diagnostics

import (
	"resolwe/internal/elementary"
	"resolwe/internal/grow"
)

// maxBatches is the maximum number of batches of a chain; it is even.
const maxBatches = 32

// Batches are the sufficient statistics of one chain: for each variable, sums over batches of equal length. When there are maxBatches and
// another starts, adjacent ones are merged; so the number of samples need not be known in advance. The zero value is ready for
// [Batches.Reset], which reuses its memory.
type Batches struct {
	vars   []uint32
	length int // samples per batch
	full   int // number of full batches
	filled int // samples in the current batch
	taken  int
	sums   [maxBatches][]float64 // by batch, then by variable; sums[full] is the current batch
	square []float64             // sums of squares over the pairs of full batches
	recent []float64             // sums of squares over the current pair
}

// Reset starts a chain. vars are the places of its variables in a sample; the slice is kept.
func (r *Batches) Reset(vars []uint32) {
	r.vars, r.length, r.full, r.filled, r.taken = vars, 1, 0, 0, 0
	r.square, r.recent = grow.Zeroed(r.square, len(vars)), grow.Zeroed(r.recent, len(vars))
}

// Add adds a sample: the means of n numbers each, given as sums.
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

// complete completes the current batch.
func (r *Batches) complete() {
	r.filled = 0
	if r.full++; r.full%2 == 1 {
		return
	}
	elementary.Add(r.square, r.recent)
	clear(r.recent)
}

// halve merges adjacent batches.
func (r *Batches) halve() {
	for b := range maxBatches / 2 {
		elementary.Add(r.sums[2*b], r.sums[2*b+1])
		r.sums[b], r.sums[2*b] = r.sums[2*b], r.sums[b]
	}
	r.full, r.length = maxBatches/2, 2*r.length
}

// Samples returns the number of samples.
func (r *Batches) Samples() int { return r.taken }

// Paired reports whether all samples are in full batches of an even number; [Convergence] then uses all of them.
func (r *Batches) Paired() bool { return r.filled == 0 && r.full%2 == 0 }

// UntilPaired returns the number of samples until they are paired again.
func (r *Batches) UntilPaired() int {
	full, length := r.full, r.length
	if full == maxBatches {
		full, length = full/2, 2*length
	}
	return (2-full%2)*length - r.filled
}
