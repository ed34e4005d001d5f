package cut

import (
	"math/bits"
	"slices"
	"sort"

	"resolwe/internal/grow"
)

// rows is a list of tuples of equal width, stored consecutively.
type rows struct {
	width int
	n     int
	data  []uint64
}

func (r *rows) reset(width int) { r.width, r.n, r.data = width, 0, r.data[:0] }

// row returns a view of tuple i.
func (r *rows) row(i int) []uint64 { return r.data[i*r.width : (i+1)*r.width] }

// toFloat converts the whole numbers of a column to floats, from tuple first on.
func (r *rows) toFloat(column, first int) {
	for i := first*r.width + column; i < len(r.data); i += r.width {
		r.data[i] = encodeFloat(float64(decodeInt(r.data[i])))
	}
}

// find returns the range of sorted rows that begin with the values.
func (r *rows) find(values []uint64) (lo, hi int) {
	hi = r.n
	for c, v := range values {
		lo += sort.Search(hi-lo, func(i int) bool { return r.row(lo + i)[c] >= v })
		hi = r.end(lo, hi, c, v)
	}
	return lo, hi
}

// end returns the first of the sorted rows from lo to hi whose column differs from v.
func (r *rows) end(lo, hi, column int, v uint64) int {
	last := lo
	for step := 1; last < hi && r.row(last)[column] == v; step *= 2 { // most ranges are short
		lo, last = last+1, min(last+step, hi)
	}
	return lo + sort.Search(last-lo, func(i int) bool { return r.row(lo + i)[column] != v })
}

// sorter is scratch memory to sort with.
type sorter struct {
	data   []uint64
	counts [1 << digit]uint32
}

const digit = 11 // bits

// normalize sorts the rows and removes repetitions.
func (s *sorter) normalize(r *rows) {
	sorted, distinct := r.order()
	switch {
	case sorted && distinct: // not written to: others may read it
		return
	case r.width == 0:
		r.n = 1
		return
	case !sorted:
		s.radixSort(r)
	}
	r.compact()
}

// order reports whether the rows are sorted, and whether they are also distinct.
func (r *rows) order() (sorted, distinct bool) {
	distinct = true
	if r.width == 0 {
		return true, r.n <= 1
	}
next:
	for i := r.width; i < len(r.data); i += r.width {
		row, before := r.data[i:i+r.width], r.data[i-r.width:i]
		for c, v := range row {
			switch w := before[c]; {
			case v > w:
				continue next
			case v < w:
				return false, false
			}
		}
		distinct = false
	}
	return true, distinct
}

// compact removes rows equal to the preceding one.
func (r *rows) compact() {
	k := 0
	for i := range r.n {
		if i > 0 && slices.Equal(r.row(i), r.row(k-1)) {
			continue
		}
		if i != k {
			copy(r.row(k), r.row(i))
		}
		k++
	}
	r.n, r.data = k, r.data[:k*r.width]
}

// radixSort sorts rows by the digits of the columns, the last column first, skipping digits that all rows share.
func (s *sorter) radixSort(r *rows) {
	for c := r.width - 1; c >= 0; c-- {
		for varying := r.varying(c); varying != 0; {
			shift := bits.TrailingZeros64(varying)
			s.pass(r, c, shift)
			varying &^= (1<<digit - 1) << shift
		}
	}
}

// varying returns the bits that differ among the values of column c.
func (r *rows) varying(c int) (v uint64) {
	first := r.data[c]
	for i := c; i < len(r.data); i += r.width {
		v |= r.data[i] ^ first
	}
	return v
}

// pass sorts stably by one digit of column c.
func (s *sorter) pass(r *rows, c, shift int) {
	mask, width := uint64(1)<<digit-1, r.width
	counts := &s.counts
	clear(counts[:])
	for i := c; i < len(r.data); i += r.width {
		counts[r.data[i]>>shift&mask]++
	}
	next := uint32(0)
	for d, n := range counts {
		counts[d] = next
		next += n
	}
	s.data = grow.To(s.data, len(r.data))
	src, dst := r.data, s.data
	for len(src) >= width {
		d := src[c] >> shift & mask
		to := dst[int(counts[d])*width:]
		counts[d]++
		for k, v := range src[:width] { //nolint:staticcheck // calls of copy are dear where rows are short
			to[k] = v
		}
		src = src[width:]
	}
	s.data, r.data = r.data, s.data
}
