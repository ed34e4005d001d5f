package mcsat

// maxBatches bounds the batches of a record; it is even.
const maxBatches = 32

// record keeps what one chain gives for each sampled atom, as sums over batches of equal length. When there would be more
// than maxBatches, each two become one: how many samples there will be need not be known.
type record struct {
	atoms  []uint32
	length int // samples of a batch
	full   int // batches
	filled int // samples of the batch under way
	taken  int
	sums   [maxBatches][]float64 // by batch, then by sampled atom; sums[full] is under way
	square []float64             // sum of squares over the pairs of batches that are full
	recent []float64             // over the pair under way
}

func (r *record) reset(atoms []uint32) {
	r.atoms, r.length, r.full, r.filled, r.taken = atoms, 1, 0, 0, 0
	r.square, r.recent = zeroed(r.square, len(atoms)), zeroed(r.recent, len(atoms))
}

// add takes a sample: by atom of the network, the sum of so many conditional probabilities.
func (r *record) add(sums []float64, passes int) {
	if r.full == maxBatches {
		r.halve()
	}
	if r.filled == 0 {
		r.sums[r.full] = zeroed(r.sums[r.full], len(r.atoms))
	}
	scale := 1 / float64(passes)
	dst, recent := r.sums[r.full], r.recent
	for i, a := range r.atoms {
		p := sums[a] * scale
		dst[i] += p
		recent[i] += p * p
	}
	r.taken++
	if r.filled++; r.filled == r.length {
		r.complete()
	}
}

// complete ends the batch under way.
func (r *record) complete() {
	r.filled = 0
	if r.full++; r.full%2 == 1 {
		return
	}
	addTo(r.square, r.recent)
	clear(r.recent)
}

// halve makes one batch of each two.
func (r *record) halve() {
	for b := range maxBatches / 2 {
		addTo(r.sums[2*b], r.sums[2*b+1])
		r.sums[b], r.sums[2*b] = r.sums[2*b], r.sums[b]
	}
	r.full, r.length = maxBatches/2, 2*r.length
}

// untilPaired returns how many samples it takes until the batches are full and of an even number again.
func (r *record) untilPaired() int {
	full, length := r.full, r.length
	if full == maxBatches {
		full, length = full/2, 2*length
	}
	return (2-full%2)*length - r.filled
}
