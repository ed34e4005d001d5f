package cut

import (
	"math"
	"slices"

	"resolwe/format/table"
)

// relation holds tuples that do not depend on the center: a table, or the result of rules without @center.
type relation struct {
	n      int
	codes  [][]uint32 // by column
	codecs []codec
	empty  []func(row int) bool // by column: whether a row lacks an entry; nil if none does
	stats  []*columnStats
}

// fromTable returns a table as a relation, sharing the memory of its entities.
func fromTable(t *table.Table, u *table.Universe) *relation {
	r := newRelation(t.Rows, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		size := 0
		if c.Kind == table.KindEntity {
			size = u.Dicts[c.Type].Len()
		}
		if r.codes[i], r.codecs[i] = codesOf(c, size); c.Empty != nil {
			r.empty[i] = c.IsEmpty
		}
	}
	return r
}

// fromRows returns rows as a relation; sizes holds the number of entities by column, -1 for values.
func fromRows(s *rows, sizes []int) *relation {
	r := newRelation(s.n, s.width)
	for c, size := range sizes {
		at := func(i int) uint64 { return s.data[i*s.width+c] }
		if size < 0 {
			r.codes[c], r.codecs[c] = encode(s.n, at)
			continue
		}
		r.codecs[c].size = uint64(size)
		r.codes[c] = make([]uint32, s.n)
		for i := range r.codes[c] {
			r.codes[c][i] = uint32(at(i))
		}
	}
	return r
}

func newRelation(n, width int) *relation {
	return &relation{
		n: n, codes: make([][]uint32, width), codecs: make([]codec, width),
		empty: make([]func(int) bool, width), stats: make([]*columnStats, width),
	}
}

// value returns an entry.
func (r *relation) value(row, column int) uint64 { return r.codecs[column].value(r.codes[column][row]) }

// columnStats is the planner's statistics of a column.
type columnStats struct {
	distinct float64 // different entries
	fanOut   float64 // expected number of rows that share the entry of a random row
}

const (
	slack      = 1024    // entries that arrays by code may have beyond four times the rows
	sampleSize = 1 << 16 // approximate number of sampled rows
)

// columnStats measures a column, from a sample if there are many rows.
func (r *relation) columnStats(column int) *columnStats {
	if r.stats[column] != nil {
		return r.stats[column]
	}
	s := &columnStats{distinct: 1, fanOut: 1}
	r.stats[column] = s
	if r.n == 0 {
		return s
	}
	counts, step, squares := map[uint32]int{}, max(1, r.n/sampleSize), 0
	for i := 0; i < r.n; i += step {
		counts[r.codes[column][i]]++
	}
	for _, n := range counts {
		squares += n * n
	}
	s.distinct = float64(len(counts))
	s.fanOut = max(float64(squares)*float64(step)/float64(r.n), float64(r.n)/(s.distinct*float64(step)), 1)
	return s
}

// signBit converts between the orders of signed and unsigned numbers.
const signBit = 1 << 63

// encodeInt returns a 64-bit number in the order of the integers.
func encodeInt(n int64) uint64 { return uint64(n) ^ signBit }

func decodeInt(v uint64) int64 { return int64(v ^ signBit) }

// encodeFloat returns a 64-bit number in the order of the floats. Both zeros are equal, and so are all NaNs.
func encodeFloat(f float64) uint64 {
	switch {
	case f == 0:
		return signBit
	case math.IsNaN(f):
		return math.MaxUint64
	}
	if b := math.Float64bits(f); b < signBit {
		return b | signBit
	} else {
		return ^b
	}
}

func decodeFloat(v uint64) float64 {
	if v >= signBit {
		return math.Float64frombits(v ^ signBit)
	}
	return math.Float64frombits(^v)
}

// codec maps the codes of a column to numbers, in ascending order. The zero codec is that of entities.
type codec struct {
	base   uint64   // of code 0, if the numbers are consecutive
	values []uint64 // by code; nil if consecutive
	size   uint64   // codes are below it
}

func (c *codec) value(code uint32) uint64 {
	if c.values != nil {
		return c.values[code]
	}
	return c.base + uint64(code)
}

// code returns the code of a number, if it has one.
func (c *codec) code(v uint64) (uint32, bool) {
	if c.values != nil {
		i, found := slices.BinarySearch(c.values, v)
		return uint32(i), found
	}
	v -= c.base
	return uint32(v), v < c.size
}

// codesOf returns the codes of a table's column. Those of entities are the table's own memory. Rows without an entry get a code that no
// entry has, so that sums over whole bindings distinguish them; nothing else reads it.
func codesOf(c *table.Column, size int) ([]uint32, codec) {
	if c.Kind == table.KindEntity {
		if c.Empty == nil {
			return c.IDs, codec{size: uint64(size)}
		}
		codes := slices.Clone(c.IDs)
		for row := range codes {
			if c.IsEmpty(row) {
				codes[row] = uint32(size)
			}
		}
		return codes, codec{size: uint64(size) + 1}
	}
	n, at := len(c.Nums), func(i int) uint64 { return encodeInt(c.Nums[i]) }
	if c.Kind == table.KindFloat {
		n, at = len(c.Floats), func(i int) uint64 { return encodeFloat(c.Floats[i]) }
	}
	if c.Empty == nil {
		return encode(n, at)
	}
	none := unused(n, at)
	return encode(n, func(i int) uint64 {
		if c.IsEmpty(i) {
			return none
		}
		return at(i)
	})
}

// unused returns a number not in a column: the one after the largest or, failing that, the largest unused one.
func unused(n int, at func(int) uint64) uint64 {
	used, none := map[uint64]bool{}, uint64(0)
	for i := range n {
		none = max(none, at(i))
	}
	if none < math.MaxUint64 {
		return none + 1
	}
	for i := range n {
		used[at(i)] = true
	}
	for used[none] {
		none--
	}
	return none
}

// encode returns codes for n numbers.
func encode(n int, at func(int) uint64) ([]uint32, codec) {
	lo, hi := uint64(math.MaxUint64), uint64(0)
	for i := range n {
		v := at(i)
		lo, hi = min(lo, v), max(hi, v)
	}
	codes := make([]uint32, n)
	if n == 0 {
		return codes, codec{}
	}
	if hi-lo <= math.MaxUint32 {
		for i := range codes {
			codes[i] = uint32(at(i) - lo)
		}
		return codes, codec{base: lo, size: hi - lo + 1}
	}
	values := make([]uint64, n)
	for i := range values {
		values[i] = at(i)
	}
	slices.Sort(values)
	values = slices.Clip(slices.Compact(values))
	for i := range codes {
		k, _ := slices.BinarySearch(values, at(i))
		codes[i] = uint32(k)
	}
	return codes, codec{values: values, size: uint64(len(values))}
}
