package join

// Partition says what one of several scratches does of the work on a subgraph. All of them make the same calls of Pairs
// on a node, in the same order, and each call is divided into parts. What else there is to do is divided into strides.
// The zero value has everything.
type Partition struct {
	Of int // how many scratches the work is divided among
	// Backwards says to begin with what is last. Of two neighbours one should, so that each makes preparations of its own,
	// and keeps rows of its own, until they meet.
	Backwards bool
	// Next returns which of the n parts of a step is to be done, from the last on where so asked, and n where none is left
	// to this scratch. The steps of a line are numbered from 1 in the order in which every scratch comes to them. The caller
	// decides who does what; each part must be done once. Of use where Of is 2 or more.
	Next func(line int, step uint32, n int, last bool) int
}

// Stride has those rows, or other things, that are Index modulo Of. The zero value has all.
type Stride struct{ Index, Of int }

// Has reports whether the stride has the i-th of some things.
func (l Stride) Has(i int) bool { return l.Of <= 1 || i%l.Of == l.Index }

// Mask returns the members of the i-th word of a set that the stride has.
func (l Stride) Mask(i int) uint64 {
	if l.Of <= 1 {
		return ^uint64(0)
	}
	mask := uint64(0)
	for at := (l.Index - i*64%l.Of + l.Of) % l.Of; at < 64; at += l.Of {
		mask |= 1 << at
	}
	return mask
}

// Stride returns the next stride that is to be done; false where none is left. There are Of of them, on line 0.
func (h Partition) Stride() (Stride, bool) {
	i := h.Next(0, 1, h.Of, h.Backwards)
	return Stride{Index: i, Of: h.Of}, i < h.Of
}

// Order returns the i-th of n things that are done in order.
func (h Partition) Order(i, n int) int {
	if h.Backwards {
		return n - 1 - i
	}
	return i
}

// The runs of rows, side by side, that are a part: a power of two of them, leastRuns for each
// scratch unless they are of one row.
const (
	longestRun = 64
	leastRuns  = 16
)

// run returns the length of the runs of n rows.
func (h Partition) run(n int) int {
	run := longestRun
	for h.Of > 1 && run > 1 && run*leastRuns*h.Of > n {
		run /= 2
	}
	return run
}
