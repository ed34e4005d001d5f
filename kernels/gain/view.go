package gain

import "math/bits"

// view is some rows of a matrix, by candidate.
type view struct {
	*Matrix
	rows  []int32 // of the matrix, ascending
	cells []cells // by candidate
}

// cells are the counts of a candidate that are not 0.
type cells struct {
	places []int32 // in a view's rows, ascending
	levels []uint8
}

// view returns a view of rows.
func (m *Matrix) view(rows []int32) *view {
	n, all := make([]int, len(m.spans)), 0
	for _, i := range rows {
		for at := m.first[i]; at < m.first[i+1]; at++ {
			n[m.owner[m.cell(at)]]++
		}
		all += m.first[i+1] - m.first[i]
	}
	v := &view{Matrix: m, rows: rows, cells: make([]cells, len(m.spans))}
	places, levels := make([]int32, all), make([]uint8, all)
	for c, k := range n {
		v.cells[c] = cells{places[:0:k], levels[:0:k]}
		places, levels = places[k:], levels[k:]
	}
	for place, i := range rows {
		for at := m.first[i]; at < m.first[i+1]; at++ {
			slot := m.cell(at)
			c := &v.cells[m.owner[slot]]
			c.places = append(c.places, int32(place)) // #nosec G115 -- an index of rows
			c.levels = append(c.levels, m.level[slot])
		}
	}
	return v
}

// truths returns those of the rows.
func (v *view) truths() []bool {
	t := make([]bool, len(v.rows))
	for at, i := range v.rows {
		t[at] = v.truth[i]
	}
	return t
}

// offsets returns those of the rows, nil for zeros.
func (v *view) offsets() []float64 {
	if v.offset == nil {
		return nil
	}
	o := make([]float64, len(v.rows))
	for at, i := range v.rows {
		o[at] = v.offset[i]
	}
	return o
}

// fit returns one of the intercept alone.
func (v *view) fit() *fit { return newFit(v.truths(), v.offsets()) }

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
	return entries{rows: set.places()}
}

// extra returns the values of an extra column on rows, which may be the column's own.
func (m *Matrix) extra(i int, rows []int32) entries {
	of := m.extras[i]
	if len(rows) == len(of) {
		return entries{dense: of}
	}
	values := make([]float64, len(rows))
	for at, i := range rows {
		values[at] = of[i]
	}
	return entries{dense: values}
}

// set is a set of places, by bit.
type set []uint64

// everywhere returns all places.
func (v *view) everywhere() set {
	s := make(set, (len(v.rows)+63)/64)
	for w := range s {
		s[w] = ^uint64(0)
	}
	if tail := len(v.rows) % 64; tail > 0 {
		s[len(s)-1] = 1<<tail - 1
	}
	return s
}

// and returns those places of s for which the literal holds.
func (v *view) and(s set, l *Literal) set {
	holds, from, k := make(set, len(s)), level(l.AtLeast), &v.cells[l.Candidate]
	for i, at := range k.places {
		if k.levels[i] >= from {
			holds[at/64] |= 1 << (at % 64)
		}
	}
	for w := range s {
		if l.Negated {
			holds[w] = ^holds[w]
		}
		holds[w] &= s[w]
	}
	return holds
}

// has tells whether a place is in the set.
func (s set) has(at int32) bool { return s[at/64]>>(at%64)&1 != 0 }

// places returns the set's, ascending.
func (s set) places() []int32 {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	places := make([]int32, 0, n)
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			places = append(places, int32(w*64+bits.TrailingZeros64(word))) // #nosec G115 -- an index of rows
		}
	}
	return places
}
