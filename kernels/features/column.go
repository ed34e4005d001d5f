package features

import (
	"slices"

	"resolwe/internal/elementary"
)

// Column is a feature: its values on the rows listed, and 0 on all others. The value of a row is 1; with Levels, the logarithm of its level
// ([Logs]); with Values, any number. A column of [Ones] or [Dense] lists no rows, but has a value for each.
type Column struct {
	Rows   []uint32  // ascending
	Levels []uint8   // by row listed
	Values []float64 // by row listed, finite

	from, n int // a column with a value for each row: the first of its rows, and their number
}

// Ones returns the column that is 1 on each of n rows.
func Ones(n int) Column { return Column{n: n} }

// Dense returns the column with these values, by row. It keeps them.
func Dense(values []float64) Column { return Column{Values: values, n: len(values)} }

// Add appends a row with a level. The rows of a column ascend.
func (c *Column) Add(row int, level uint8) {
	c.Rows, c.Levels = append(c.Rows, uint32(row)), append(c.Levels, level) // #nosec G115 -- a number of rows
}

// Clone returns a copy that shares no memory.
func (c *Column) Clone() Column {
	return Column{slices.Clone(c.Rows), slices.Clone(c.Levels), slices.Clone(c.Values), c.from, c.n}
}

// Before returns the part of a column of listed rows that are below n.
func (c *Column) Before(n int) Column {
	at, _ := slices.BinarySearch(c.Rows, uint32(n)) // #nosec G115 -- a number of rows
	return c.part(0, at)
}

// part returns the rows listed from one place to another.
func (c *Column) part(lo, hi int) Column {
	out := Column{Rows: c.Rows[lo:hi]}
	if c.Levels != nil {
		out.Levels = c.Levels[lo:hi]
	}
	if c.Values != nil {
		out.Values = c.Values[lo:hi]
	}
	return out
}

// blockRows is the number of rows that a fit processes at a time, so that their data stays in the cache.
const blockRows = 2048

// blocks splits the column into blocks, for n rows in all.
func (c *Column) blocks(n int) (all []Column) {
	at := 0
	for lo := 0; lo < n; lo += blockRows {
		hi := min(lo+blockRows, n)
		if c.n > 0 {
			b := Column{from: lo, n: hi - lo}
			if c.Values != nil {
				b.Values = c.Values[lo:hi]
			}
			all = append(all, b)
			continue
		}
		first := at
		for at < len(c.Rows) && int(c.Rows[at]) < hi {
			at++
		}
		all = append(all, c.part(first, at))
	}
	return all
}

// Sums returns the sum of the values, and of their squares.
func (c *Column) Sums() (sum, squares float64) {
	if c.Levels == nil && c.Values == nil {
		n := float64(len(c.Rows) + c.n)
		return n, n
	}
	for _, l := range c.Levels {
		v := Logs[l]
		sum += v
		squares += float64(v * v)
	}
	for _, v := range c.Values {
		sum += v
		squares += float64(v * v)
	}
	return sum, squares
}

// Varies reports whether the column has more than one value on n rows.
func (c *Column) Varies(n int) bool {
	switch {
	case c.n == 0 && len(c.Rows) < n:
		return len(c.Rows) > 0
	case c.Levels != nil:
		return slices.ContainsFunc(c.Levels, func(l uint8) bool { return l != c.Levels[0] })
	}
	return slices.ContainsFunc(c.Values, func(v float64) bool { return v != c.Values[0] })
}

// Alike reports whether two columns say the same of n rows: they list the same values, or each is 1 where the other is 0.
func (c *Column) Alike(o *Column, n int) bool {
	if slices.Equal(c.Rows, o.Rows) && slices.Equal(c.Levels, o.Levels) && slices.Equal(c.Values, o.Values) {
		return true
	}
	if len(c.Rows)+len(o.Rows) != n || !c.isSet() || !o.isSet() {
		return false
	}
	k := 0
	for _, row := range c.Rows {
		for ; k < len(o.Rows) && o.Rows[k] < row; k++ {
		}
		if k < len(o.Rows) && o.Rows[k] == row {
			return false
		}
	}
	return true
}

// isSet reports whether the value of each row listed is 1.
func (c *Column) isSet() bool {
	return c.n == 0 && c.Values == nil && !slices.ContainsFunc(c.Levels, func(l uint8) bool { return l != 1 })
}

// LeastSupport returns how many query atoms a formula must hold for unless a user says, given how many are true: 1% of these, but 5 to 20.
func LeastSupport(positives int64) int { return int(min(20, max(5, positives/100))) }

// Support returns the number of rows for which the column is not 0, and the share of true ones among them.
func (c *Column) Support(truth []bool) (n int64, trueRate float64) {
	count := func(row int) {
		n++
		if truth[row] {
			trueRate++
		}
	}
	for _, i := range c.Rows {
		count(int(i))
	}
	for i := range c.n {
		if c.Values == nil || c.Values[i] != 0 {
			count(i)
		}
	}
	return n, trueRate / float64(n)
}

// dot returns the sum of the products of values and column.
func (c *Column) dot(values []float64) float64 {
	var s, t, u, v float64
	rows, ls := c.Rows, c.Levels
	switch {
	case c.Values != nil:
		return c.dotValues(values)
	case c.n > 0:
		return Sum(values[c.from : c.from+c.n])
	case ls == nil:
		for ; len(rows) >= 4; rows = rows[4:] {
			s += values[rows[0]]
			t += values[rows[1]]
			u += values[rows[2]]
			v += values[rows[3]]
		}
		for _, i := range rows {
			s += values[i]
		}
		return (s + t) + (u + v)
	}
	for ; len(rows) >= 4 && len(ls) >= 4; rows, ls = rows[4:], ls[4:] {
		s += float64(values[rows[0]] * Logs[ls[0]])
		t += float64(values[rows[1]] * Logs[ls[1]])
		u += float64(values[rows[2]] * Logs[ls[2]])
		v += float64(values[rows[3]] * Logs[ls[3]])
	}
	for at, i := range rows {
		s += float64(values[i] * Logs[ls[at]])
	}
	return (s + t) + (u + v)
}

func (c *Column) dotValues(values []float64) (sum float64) {
	if c.n > 0 {
		return elementary.Dot(c.Values, values[c.from:])
	}
	for at, i := range c.Rows {
		sum += float64(values[i] * c.Values[at])
	}
	return sum
}

// AddTo adds w times the column to values.
func (c *Column) AddTo(values []float64, w float64) {
	switch {
	case c.n > 0 && c.Values == nil:
		for i := range values[c.from : c.from+c.n] {
			values[c.from+i] += w
		}
	case c.n > 0:
		for i, v := range c.Values {
			values[c.from+i] += float64(w * v)
		}
	case c.Values != nil:
		for at, i := range c.Rows {
			values[i] += float64(w * c.Values[at])
		}
	case c.Levels != nil:
		for at, i := range c.Rows {
			values[i] += float64(w * Logs[c.Levels[at]])
		}
	default:
		for _, i := range c.Rows {
			values[i] += w
		}
	}
}

// times sets out to the products of values and column where the column is not 0.
func (c *Column) times(values, out []float64) {
	switch {
	case c.n > 0 && c.Values == nil:
		copy(out[c.from:c.from+c.n], values[c.from:])
	case c.n > 0:
		for i, v := range c.Values {
			out[c.from+i] = float64(values[c.from+i] * v)
		}
	case c.Values != nil:
		for at, i := range c.Rows {
			out[i] = float64(values[i] * c.Values[at])
		}
	case c.Levels != nil:
		for at, i := range c.Rows {
			out[i] = float64(values[i] * Logs[c.Levels[at]])
		}
	default:
		for _, i := range c.Rows {
			out[i] = values[i]
		}
	}
}

// Sum returns the sum of values, with independent chains of additions.
func Sum(values []float64) float64 {
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
