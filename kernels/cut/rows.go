package cut

import (
	"math/bits"
	"slices"
	"sort"
)

// rows is a list of tuples of one width, one after the other.
type rows struct {
	width int
	n     int
	data  []uint64
	heads numbered // of arranged rows: those that begin with a number
}

func (r *rows) reset(width int) { r.width, r.n, r.data, r.heads.used = width, 0, r.data[:0], 0 }

// row returns a view of tuple i.
func (r *rows) row(i int) []uint64 { return r.data[i*r.width : (i+1)*r.width] }

// addAll appends the tuples of s.
func (r *rows) addAll(s *rows) {
	r.data = append(r.data, s.data...)
	r.n += s.n
}

// toFloat makes floats of the whole numbers in a column, from a tuple on.
func (r *rows) toFloat(column, first int) {
	for i := first*r.width + column; i < len(r.data); i += r.width {
		r.data[i] = encodeFloat(float64(decodeInt(r.data[i])))
	}
}

// number notes where sorted rows begin with which number.
func (r *rows) number() {
	r.heads.reset()
	for lo := 0; lo < r.n && r.width > 0; {
		v := r.row(lo)[0]
		hi := r.end(lo, r.n, 0, v)
		r.heads.put(r.heads.at(v), place{v, uint32(lo), uint32(hi)})
		lo = hi
	}
}

// find returns which of sorted rows begin with the values.
func (r *rows) find(values []uint64) (lo, hi int) {
	hi = r.n
	if len(values) > 0 && r.heads.used > 0 {
		p := r.heads.at(values[0])
		if lo, hi = int(p.lo), int(p.hi); hi == 0 {
			return 0, 0
		}
	}
	for c, v := range values {
		if c > 0 || r.heads.used == 0 {
			lo += sort.Search(hi-lo, func(i int) bool { return r.row(lo + i)[c] >= v })
			hi = r.end(lo, hi, c, v)
		}
	}
	return lo, hi
}

// end returns the first of sorted rows from lo on, below hi, whose column does not hold a value.
func (r *rows) end(lo, hi, column int, v uint64) int {
	last := lo
	for step := 1; last < hi && r.row(last)[column] == v; step *= 2 { // most are short
		lo, last = last+1, min(last+step, hi)
	}
	return lo + sort.Search(last-lo, func(i int) bool { return r.row(lo + i)[column] != v })
}

// sorter is scratch memory to sort with.
type sorter struct {
	data   []uint64
	keys   []uint64  // rows as numbers
	packed []packing // by column
	counts [1 << digit]uint32
}

const (
	digit   = 11  // bits
	fewRows = 256 // up to which comparisons do
)

// normalize sorts the rows and drops repetitions.
func (s *sorter) normalize(r *rows) {
	switch sorted, distinct := r.order(); {
	case sorted && distinct: // not written to: others may read it
		return
	case r.width == 0:
		r.n = 1
		return
	case sorted:
	default:
		s.radixSort(r)
		return
	}
	r.compact()
}

// order reports whether the rows are in order, and whether they then ascend strictly.
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

// compact drops rows that are equal to the one before.
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

// radixSort sorts rows and drops repetitions: as numbers that hold the varying bits of all columns, where these fit, else by
// the digits of the columns, the last first, without digits that all rows share.
func (s *sorter) radixSort(r *rows) {
	if inOrder, ok := s.pack(r); ok {
		keys := rows{width: 1, n: r.n, data: s.keys}
		if r.n <= fewRows {
			slices.Sort(keys.data)
		} else {
			s.byDigits(&keys, inOrder)
		}
		keys.compact()
		s.keys = keys.data
		s.unpack(r)
		return
	}
	s.byDigits(r, 0)
	r.compact()
}

// byDigits sorts rows that are in order by the lowest bits of each column, as many as inOrder says.
func (s *sorter) byDigits(r *rows, inOrder int) {
	for c := r.width - 1; c >= 0; c-- {
		varying := r.varying(c) &^ (1<<inOrder - 1)
		for varying != 0 {
			shift := bits.TrailingZeros64(varying)
			s.pass(r, c, shift)
			varying &^= (1<<digit - 1) << shift
		}
	}
}

// packing is how a column becomes a part of a number.
type packing struct {
	least uint64
	width int // bits
}

// pack makes a number of each row, ordered as the rows are. It returns by how many of their lowest bits the numbers are in order,
// and whether the columns fit.
func (s *sorter) pack(r *rows) (inOrder int, ok bool) {
	s.packed = s.packed[:0]
	total := 0
	for c := range r.width {
		least, most, last, falls := r.data[c], r.data[c], r.data[c], false
		for i := c; i < len(r.data); i += r.width {
			v := r.data[i]
			least, most, falls, last = min(least, v), max(most, v), falls || v < last, v
		}
		p := packing{least, bits.Len64(most - least)}
		if total += p.width; total > 64 {
			return 0, false
		}
		if inOrder = p.width; falls {
			inOrder = 0
		}
		s.packed = append(s.packed, p)
	}
	s.keys = slices.Grow(s.keys[:0], r.n)[:r.n]
	data := r.data
	for i := range s.keys {
		key := uint64(0)
		for c, p := range s.packed {
			key = key<<p.width | (data[c] - p.least)
		}
		s.keys[i], data = key, data[r.width:]
	}
	return inOrder, true
}

// unpack writes the numbers back as rows.
func (s *sorter) unpack(r *rows) {
	r.n, r.data = len(s.keys), r.data[:len(s.keys)*r.width]
	for c, shift := r.width-1, 0; c >= 0; c-- {
		p := s.packed[c]
		mask := uint64(1)<<p.width - 1
		for i, key := range s.keys {
			r.data[i*r.width+c] = key>>shift&mask + p.least
		}
		shift += p.width
	}
}

// varying returns the bits in which column c is not the same everywhere.
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
	s.data = slices.Grow(s.data[:0], len(r.data))[:len(r.data)]
	src, dst := r.data, s.data
	for len(src) >= width {
		d := src[c] >> shift & mask
		to := dst[int(counts[d])*width:]
		counts[d]++
		switch width { // short copies are dear
		case 1:
			to[0] = src[0]
		case 2:
			to[0], to[1] = src[0], src[1]
		case 3:
			to[0], to[1], to[2] = src[0], src[1], src[2]
		default:
			copy(to[:width], src)
		}
		src = src[width:]
	}
	s.data, r.data = r.data, s.data
}
