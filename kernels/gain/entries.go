package gain

import (
	"slices"

	"resolwe/internal/elementary"
)

// entries are the values of a column that are not 0: of ones, or of levels where levels is not nil; or, where dense is not
// nil, all its values.
type entries struct {
	rows   []uint32 // places in a list of rows, ascending
	levels []uint8
	dense  []float64
	from   int // place of the first dense value
}

// blockRows is the number of rows that a fit goes over at a time, so that what it has of them stays in the cache.
const blockRows = 2048

// blocks returns the column cut into blocks of n rows in all.
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

// moments returns the column's, without residuals and variances.
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

// support returns for how many rows the column is not 0, and the share of true ones among these.
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

// dot returns the sum of values times the column's.
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

// times sets out to values times the column's where that is not 0.
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
