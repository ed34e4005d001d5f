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

// entries returns the values of a column.
func (v *view) entries(c *column) entries {
	if c.log {
		k := &v.cells[c.literals[0].candidate]
		return entries{rows: k.places, levels: k.levels}
	}
	set := v.everywhere()
	for l := range c.literals {
		set = v.and(set, &c.literals[l])
	}
	return entries{rows: set.places()}
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
func (v *view) and(s set, l *literal) set {
	holds := make(set, len(s))
	if l.lo < l.hi {
		from, k := v.level[l.lo], &v.cells[l.candidate]
		for i, at := range k.places {
			if k.levels[i] >= from {
				holds[at/64] |= 1 << (at % 64)
			}
		}
	}
	for w := range s {
		if l.negated {
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
