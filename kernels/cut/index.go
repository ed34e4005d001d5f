package cut

import (
	"cmp"
	"slices"
	"sort"

	"resolwe/format/lex"
	"resolwe/format/recipe"
	"resolwe/kernels/bitset"
)

// pattern describes a rule's access to a relation that does not depend on the center: which rows, and which of their columns in which
// order.
type pattern struct {
	relation int
	present  []int         // columns that must have an entry
	equal    [][2]int      // columns that must be equal
	bounds   []fixedColumn // columns compared with a value
	columns  []int         // the columns bound at look-up come first
	keyed    bool          // look-ups bind the first column
}

// fixedColumn compares a column with a value.
type fixedColumn struct {
	column int
	op     lex.Comparison
	value  uint64
}

// index holds the distinct rows of a pattern, sorted. It is read-only once built.
type index struct {
	id      int
	n       int
	codes   [][]uint32 // by column; nil for the first if there are offsets
	codecs  []codec
	offsets []uint32 // by code of the first column: its first row; nil if the column is searched
	members []uint64 // bits by code of the only column, instead of both; else nil
}

// number identifies an index; it is -1 for none.
func (x *index) number() int {
	if x == nil {
		return -1
	}
	return x.id
}

// rowsOf returns the numbers of the relation's rows that match a pattern.
func (r *relation) rowsOf(p *pattern) []uint32 {
	list := make([]uint32, 0, r.n)
next:
	for i := range r.n {
		for _, c := range p.present {
			if r.empty[c](i) {
				continue next
			}
		}
		for _, e := range p.equal {
			if r.value(i, e[0]) != r.value(i, e[1]) {
				continue next
			}
		}
		for _, b := range p.bounds {
			if !b.op.HoldsFor(cmp.Compare(r.value(i, b.column), b.value)) {
				continue next
			}
		}
		list = append(list, uint32(i))
	}
	return list
}

// compareShifted compares a number with the sum of another and a shift.
func compareShifted(a, b uint64, s recipe.Shift, float bool) int {
	if float {
		return cmp.Compare(decodeFloat(a), decodeFloat(b)+s.Float)
	}
	sum := b + uint64(s.Int)
	switch {
	case s.Int > 0 && sum < b: // more than any 64-bit number
		return -1
	case s.Int < 0 && sum > b:
		return 1
	}
	return cmp.Compare(a, sum)
}

// buildIndex indexes the rows that a pattern selects.
func (r *relation) buildIndex(p *pattern, s *sorter) *index {
	from := r.rowsOf(p)
	x := &index{codes: make([][]uint32, len(p.columns)), codecs: make([]codec, len(p.columns))}
	for i, c := range p.columns {
		x.codecs[i] = r.codecs[c]
	}
	switch {
	case len(p.columns) == 0:
		x.n = min(len(from), 1)
	case p.keyed && len(p.columns) == 1 && x.codecs[0].size <= 32*uint64(len(from)):
		x.members = make([]uint64, bitset.Words(int(x.codecs[0].size))) // as small as the codes
		for _, row := range from {
			bitset.Set(x.members, r.codes[p.columns[0]][row])
		}
		x.n = bitset.Count(x.members)
	default:
		x.sort(r, p, from, s)
		if p.keyed && x.codecs[0].size <= 4*uint64(len(from))+slack {
			x.openFirst()
		}
	}
	return x
}

// sort sorts by all columns at once.
func (x *index) sort(r *relation, p *pattern, from []uint32, s *sorter) {
	all := rows{width: (len(p.columns) + 1) / 2, n: len(from)}
	all.data = make([]uint64, all.width*all.n)
	for i, row := range from {
		r.pack(all.row(i), row, p.columns)
	}
	s.normalize(&all)
	x.n = all.n
	for c := range x.codes {
		x.codes[c] = make([]uint32, all.n)
		for i := range x.codes[c] {
			x.codes[c][i] = uint32(all.row(i)[c/2] >> (32 * (1 - c%2)))
		}
	}
}

// openFirst replaces the first column by offsets.
func (x *index) openFirst() {
	x.offsets = make([]uint32, x.codecs[0].size+1)
	for _, code := range x.codes[0] {
		x.offsets[code+1]++
	}
	for i := 1; i < len(x.offsets); i++ {
		x.offsets[i] += x.offsets[i-1]
	}
	x.codes[0] = nil
}

// pack writes the codes of a row, two to a number, so that the order is preserved.
func (r *relation) pack(dst []uint64, row uint32, columns []int) {
	clear(dst)
	for i, c := range columns {
		code := uint64(r.codes[c][row])
		if i%2 == 0 {
			code <<= 32
		}
		dst[i/2] |= code
	}
}

// find returns the range of rows that begin with the values.
func (x *index) find(values []uint64) (lo, hi int) {
	hi = x.n
	for i, v := range values {
		code, ok := x.codecs[i].code(v)
		switch {
		case !ok || x.members != nil && !bitset.Has(x.members, code):
			return 0, 0
		case x.members != nil:
			return 0, 1
		case i == 0 && x.offsets != nil:
			lo, hi = int(x.offsets[code]), int(x.offsets[code+1])
		default:
			lo, hi = equalRange(x.codes[i], lo, hi, code)
		}
		if lo == hi {
			return lo, hi
		}
	}
	return lo, hi
}

// equalRange returns the range of a code in a sorted part of a column.
func equalRange(codes []uint32, lo, hi int, code uint32) (int, int) {
	part := codes[lo:hi]
	first, found := slices.BinarySearch(part, code)
	if !found {
		return lo, lo
	}
	end := first + 1
	for step := 1; end < len(part) && part[end] == code; step *= 2 { // most ranges are short
		end = min(end+step, len(part))
	}
	if part[end-1] != code {
		start := first
		end = start + sort.Search(end-start, func(i int) bool { return part[start+i] != code })
	}
	return lo + first, lo + end
}
