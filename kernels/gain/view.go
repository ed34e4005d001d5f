package gain

import "resolwe/kernels/bitset"

// view is some rows of a matrix, by candidate.
type view struct {
	*Matrix
	rows  []uint32 // of the matrix, ascending
	cells []cells  // by candidate
}

// cells are the counts of a candidate that are not 0.
type cells struct {
	places []uint32 // in a view's rows, ascending
	levels []uint8
}

// view returns a view of rows.
func (m *Matrix) view(rows []uint32) *view {
	n, all := make([]int, len(m.spans)), 0
	for _, i := range rows {
		for _, slot := range m.slots[m.first[i]:m.first[i+1]] {
			n[m.owner[slot]]++
		}
		all += m.first[i+1] - m.first[i]
	}
	v := &view{Matrix: m, rows: rows, cells: make([]cells, len(m.spans))}
	places, levels := make([]uint32, all), make([]uint8, all)
	for c, k := range n {
		v.cells[c] = cells{places[:0:k], levels[:0:k]}
		places, levels = places[k:], levels[k:]
	}
	for place, i := range rows {
		for _, slot := range m.slots[m.first[i]:m.first[i+1]] {
			c := &v.cells[m.owner[slot]]
			c.places = append(c.places, uint32(place)) // #nosec G115 -- an index of rows
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
	return entries{rows: places(set)}
}

// extra returns the values of an extra column on rows, which may be the column's own.
func (m *Matrix) extra(i int, rows []uint32) entries {
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

// everywhere returns the set of all places.
func (v *view) everywhere() []uint64 {
	s := make([]uint64, bitset.Words(len(v.rows)))
	bitset.Fill(s, len(v.rows))
	return s
}

// and returns those places of s for which the literal holds.
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

// places returns a set's, ascending.
func places(s []uint64) []uint32 { return bitset.AppendIDs(make([]uint32, 0, bitset.Count(s)), s) }
