package derive

import (
	"math"
	"slices"

	"resolwe/format/mln"
)

// accumulate computes an atom's values from its rows.
func (m *Measurer) accumulate(atom int, values [][]float64) error {
	g, w := m.group, max(1, len(m.group.outputs)-m.group.bound)
	if err := m.mask(w); err != nil {
		return err
	}
	for lo := 0; lo < len(g.columns); {
		hi := lo + 1
		for hi < len(g.columns) && g.columns[hi].value == g.columns[lo].value && g.columns[hi].windows == g.columns[lo].windows {
			hi++
		}
		c := &g.columns[lo]
		if lo == 0 || g.columns[lo-1].value != c.value {
			if err := m.gather(c, w); err != nil {
				return err
			}
		}
		if err := m.set(g.columns[lo:hi], atom, w, values); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// mask determines the windows that contain each row.
func (m *Measurer) mask(width int) error {
	m.masks = m.masks[:0]
	windows := m.group.windows
	for row := range slices.Chunk(m.rows, width) {
		in := uint64(0)
		var numbers []float64
		for k := range windows {
			if k == 0 || windows[k].number != windows[k-1].number {
				var err error
				if numbers, err = m.look(&windows[k].number, row); err != nil {
					return err
				}
			}
			if slices.ContainsFunc(numbers, windows[k].holds) {
				in |= 1 << k
			}
		}
		m.masks = append(m.masks, in)
	}
	return nil
}

func (w *window) holds(v float64) bool {
	for _, t := range w.tests {
		if !t.op.Holds(v, t.bound) {
			return false
		}
	}
	return true
}

// gather collects the numbers of the rows; for a count, a 0 for each row.
func (m *Measurer) gather(c *column, width int) error {
	m.values, m.within = m.values[:0], m.within[:0]
	i := 0
	for row := range slices.Chunk(m.rows, width) {
		numbers := []float64{0}
		if c.kind != mln.AggregateCount {
			var err error
			if numbers, err = m.look(&c.value, row); err != nil {
				return err
			}
		}
		for _, v := range numbers {
			m.values, m.within = append(m.values, v), append(m.within, m.masks[i])
		}
		i++
	}
	return nil
}

// sum returns the sum or average of a total, rounded once.
func (m *Measurer) sum(t *total, c *column) (float64, error) {
	if !t.exact {
		return m.rounded(c)
	}
	if c.kind != mln.AggregateSum {
		return t.sum / float64(t.n), nil
	}
	return t.sum, nil
}

// rounded returns the correctly rounded sum or average of values whose float sum is not exact.
func (m *Measurer) rounded(c *column) (float64, error) {
	m.exact.Reset()
	for i, in := range m.within {
		if in&c.windows == c.windows {
			m.exact.Add(m.values[i])
		}
	}
	v := m.exact.Value()
	if c.kind != mln.AggregateSum {
		v = m.exact.Mean()
	}
	if math.IsInf(v, 0) {
		return 0, &OverflowError{Aggregate: c.text}
	}
	return v, nil
}

// set sets the values of columns that differ only in kind.
func (m *Measurer) set(columns []column, atom, width int, values [][]float64) error {
	t := m.total(columns[0].windows)
	for i := range columns {
		c := &columns[i]
		if c.kind == mln.AggregateCount {
			values[c.item][atom] = float64(t.n)
			continue
		}
		if t.n == 0 {
			continue // NaN
		}
		v, err := t.min, error(nil)
		switch c.kind {
		case mln.AggregateAvg, mln.AggregateSum, mln.AggregateShare:
			v, err = m.sum(&t, c)
		case mln.AggregateMax:
			v = t.max
		case mln.AggregateLast:
			v, err = m.last(c, width)
		case mln.AggregateTrend:
			v, err = m.trend(c, width)
		case mln.AggregateMin, mln.AggregateCount:
		}
		if err != nil {
			return err
		}
		values[c.item][atom] = v
	}
	return nil
}

// total summarizes the values in some windows.
type total struct {
	n        int
	sum      float64
	exact    bool // whether sum is exact
	min, max float64
}

// total summarizes the values in windows. A sum is exact as long as no addition rounds (Knuth's test).
func (m *Measurer) total(windows uint64) total {
	t := total{min: math.Inf(1), max: math.Inf(-1)}
	lost := 0.0
	for i, in := range m.within {
		if in&windows != windows {
			continue
		}
		v := m.values[i]
		sum := t.sum + v
		back := sum - t.sum
		lost += math.Abs((t.sum - (sum - back)) + (v - back))
		t.sum = sum
		t.n++
		t.min, t.max = min(t.min, v), max(t.max, v)
	}
	t.exact = lost == 0
	return t
}

// last returns the number with the largest ordering number, the largest one in a tie.
func (m *Measurer) last(c *column, width int) (last float64, _ error) {
	best := math.Inf(-1)
	i := 0
	for row := range slices.Chunk(m.rows, width) {
		in := m.masks[i]
		i++
		if in&c.windows != c.windows {
			continue
		}
		var numbers [2]float64
		for k, l := range [...]*lookup{&c.value, &c.by} {
			some, err := m.look(l, row)
			if err != nil {
				return 0, err
			}
			if len(some) > 0 {
				numbers[k] = some[len(some)-1]
			}
		}
		v, by := numbers[0], numbers[1]
		if by > best || by == best && v > last {
			best, last = by, v
		}
	}
	return last, nil
}

// trend returns the last number less the mean of the others, each rounded once; NaN without others.
func (m *Measurer) trend(c *column, width int) (float64, error) {
	last, err := m.last(c, width)
	if err != nil {
		return 0, err
	}
	m.exact.Reset()
	left := true // the last number, wherever it stands
	for i, in := range m.within {
		switch v := m.values[i]; {
		case in&c.windows != c.windows:
		case left && v == last:
			left = false
		default:
			m.exact.Add(v)
		}
	}
	if m.exact.Len() == 0 {
		return math.NaN(), nil
	}
	v := last - m.exact.Mean()
	if math.IsInf(v, 0) {
		return 0, &OverflowError{Aggregate: c.text}
	}
	return v, nil
}
