package gain

import (
	"slices"

	"resolwe/internal/elementary"
	"resolwe/kernels/bitset"
)

// entries are the nonzero values of a column: ones, or levels if levels is not nil. If dense is not nil, it holds all values.
type entries struct {
	rows   []uint32 // places in a list of rows, ascending
	levels []uint8
	dense  []float64
	from   int // place of the first dense value
}

// blockRows is the number of rows that a fit processes at a time, so that their data stays in the cache.
const blockRows = 2048

// blocks splits the column into blocks, for n rows in all.
func (e *entries) blocks(n int) []entries {
	var all []entries
	for rest, lo := *e, 0; lo < n; lo += blockRows {
		hi, k := min(lo+blockRows, n), 0
		b := entries{from: lo}
		if e.dense != nil {
			b.dense = e.dense[lo:hi]
		}
		for k < len(rest.rows) && int(rest.rows[k]) < hi {
			k++
		}
		b.rows, rest.rows = rest.rows[:k], rest.rows[k:]
		if e.levels != nil {
			b.levels, rest.levels = rest.levels[:k], rest.levels[k:]
		}
		all = append(all, b)
	}
	return all
}

// clone returns a copy.
func (e *entries) clone() entries {
	return entries{rows: slices.Clone(e.rows), levels: slices.Clone(e.levels), dense: slices.Clone(e.dense), from: e.from}
}

// moments returns the column's moments, without residuals and variances.
func (e *entries) moments() (m moments) {
	if e.dense == nil && e.levels == nil {
		n := float64(len(e.rows))
		return moments{n: n, nn: n}
	}
	for _, l := range e.levels {
		v := logs[l]
		m.n += v
		m.nn += float64(v * v)
	}
	for _, v := range e.dense {
		m.n += v
		m.nn += float64(v * v)
	}
	return m
}

// support returns the number of rows for which the column is not 0, and the share of true ones among them.
func (e *entries) support(truth []bool) (n int64, trueRate float64) {
	count := func(row int) {
		n++
		if truth[row] {
			trueRate++
		}
	}
	for _, i := range e.rows {
		count(int(i))
	}
	for i, v := range e.dense {
		if v != 0 {
			count(i)
		}
	}
	return n, trueRate / float64(n)
}

// dot returns the sum of the products of values and column.
func (e *entries) dot(values []float64) float64 {
	var a, b, c, d float64
	rows, ls := e.rows, e.levels
	switch {
	case e.dense != nil:
		return elementary.Dot(e.dense, values[e.from:])
	case ls == nil:
		for ; len(rows) >= 4; rows = rows[4:] {
			a += values[rows[0]]
			b += values[rows[1]]
			c += values[rows[2]]
			d += values[rows[3]]
		}
		for _, i := range rows {
			a += values[i]
		}
		return (a + b) + (c + d)
	}
	for ; len(rows) >= 4 && len(ls) >= 4; rows, ls = rows[4:], ls[4:] {
		a += float64(values[rows[0]] * logs[ls[0]])
		b += float64(values[rows[1]] * logs[ls[1]])
		c += float64(values[rows[2]] * logs[ls[2]])
		d += float64(values[rows[3]] * logs[ls[3]])
	}
	for at, i := range rows {
		a += float64(values[i] * logs[ls[at]])
	}
	return (a + b) + (c + d)
}

// addTo adds w times the column to values.
func (e *entries) addTo(values []float64, w float64) {
	for i, v := range e.dense {
		values[e.from+i] += float64(w * v)
	}
	if e.levels == nil {
		for _, i := range e.rows {
			values[i] += w
		}
		return
	}
	for at, i := range e.rows {
		values[i] += float64(w * logs[e.levels[at]])
	}
}

// times sets out to the products of values and column where the column is not 0.
func (e *entries) times(values, out []float64) {
	for i, v := range e.dense {
		out[e.from+i] = float64(values[e.from+i] * v)
	}
	if e.levels == nil {
		for _, i := range e.rows {
			out[i] = values[i]
		}
		return
	}
	for at, i := range e.rows {
		out[i] = float64(values[i] * logs[e.levels[at]])
	}
}

func sum(values []float64) float64 {
	var a, b, c, d float64
	for ; len(values) >= 4; values = values[4:] {
		a += values[0]
		b += values[1]
		c += values[2]
		d += values[3]
	}
	for _, v := range values {
		a += v
	}
	return (a + b) + (c + d)
}

// view is a subset of the rows of a matrix, by candidate.
type view struct {
	*Matrix
	rows  []uint32 // of the matrix, ascending
	cells []cells  // by candidate
}

// cells are the nonzero counts of a candidate.
type cells struct {
	places []uint32 // rows of a matrix, or places in a view's, ascending
	levels []uint8
}

func (k *cells) add(row int, level uint8) {
	k.places, k.levels = append(k.places, uint32(row)), append(k.levels, level) // #nosec G115 -- at most 2^22 rows
}

// before returns the cells whose places are below n.
func (k *cells) before(n int) cells {
	at, _ := slices.BinarySearch(k.places, uint32(n)) // #nosec G115 -- at most 2^22 rows
	return cells{k.places[:at], k.levels[:at]}
}

// view returns a view of rows. If they are the first ones, it shares the memory of the matrix.
func (m *Matrix) view(rows []uint32) *view {
	v, n, most := &view{Matrix: m, rows: rows, cells: make([]cells, len(m.counts))}, 0, 0
	if len(rows) > 0 {
		n = int(rows[len(rows)-1]) + 1
	}
	for c := range v.cells {
		v.cells[c] = m.counts[c].before(n)
		most = max(most, len(v.cells[c].places))
	}
	if n == len(rows) {
		return v
	}
	place := make([]uint32, n) // plus 1; 0 for none
	for at, i := range rows {
		place[i] = uint32(at + 1) // #nosec G115 -- an index of rows
	}
	some := cells{make([]uint32, most), make([]uint8, most)}
	for c := range v.cells {
		n, k := 0, v.cells[c]
		for i, row := range k.places {
			at := place[row]
			some.places[n], some.levels[n] = at-1, k.levels[i]
			n += int(min(at, 1))
		}
		v.cells[c] = cells{slices.Clone(some.places[:n]), slices.Clone(some.levels[:n])}
	}
	return v
}

// pick returns the values at some places; nil of nil.
func pick[T any, I int32 | uint32](values []T, at []I) []T {
	if values == nil {
		return nil
	}
	some := make([]T, len(at))
	for k, i := range at {
		some[k] = values[i]
	}
	return some
}

// offsets returns the offsets of the rows, nil for zeros.
func (v *view) offsets() []float64 { return pick(v.offset, v.rows) }

// fit returns a fit of the intercept alone.
func (v *view) fit(opt *Options) *fit { return newFit(pick(v.truth, v.rows), v.offsets(), opt) }

// columns returns the values of a model's columns.
func (v *view) columns(m *Model) []entries {
	all := make([]entries, len(m.Columns))
	for i := range all {
		all[i] = v.entries(&m.Columns[i])
	}
	return all
}

// entries returns the values of a column.
func (v *view) entries(c *Column) entries {
	switch c.Kind {
	case KindLog:
		k := &v.cells[c.Literals[0].Candidate]
		return entries{rows: k.places, levels: k.levels}
	case KindExtra:
		return v.extra(c.Extra, v.rows)
	case KindRule:
	}
	set := v.everywhere()
	for l := range c.Literals {
		set = v.and(set, &c.Literals[l])
	}
	return entries{rows: places(set)}
}

// extra returns the values of an extra column on rows; they may share the column's memory.
func (m *Matrix) extra(i int, rows []uint32) entries {
	of := m.extras[i]
	if len(rows) < len(of) {
		of = pick(of, rows)
	}
	return entries{dense: of}
}

// everywhere returns the set of all places.
func (v *view) everywhere() []uint64 {
	s := make([]uint64, bitset.Words(len(v.rows)))
	bitset.Fill(s, len(v.rows))
	return s
}

// and returns the places in s for which the literal holds.
func (v *view) and(s []uint64, l *Literal) []uint64 {
	holds, k := make([]uint64, len(s)), &v.cells[l.Candidate]
	for i, at := range k.places {
		if l.holds(k.levels[i]) {
			bitset.Set(holds, at)
		}
	}
	if l.Negated {
		bitset.NotInto(holds, len(v.rows))
	}
	bitset.AndInto(holds, s)
	return holds
}

// places returns the elements of a set, ascending.
func places(s []uint64) []uint32 { return bitset.AppendIDs(make([]uint32, 0, bitset.Count(s)), s) }
