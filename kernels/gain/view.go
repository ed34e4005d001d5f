package gain

import (
	"slices"

	"resolwe/kernels/bitset"
	"resolwe/kernels/features"
)

// view is a subset of the rows of a matrix, by candidate.
type view struct {
	*Matrix
	rows  []uint32          // of the matrix, ascending
	cells []features.Column // by candidate
}

// view returns a view of rows. If they are the first ones, it shares the memory of the matrix.
func (m *Matrix) view(rows []uint32) *view {
	v, n, most := &view{Matrix: m, rows: rows, cells: make([]features.Column, len(m.Columns))}, 0, 0
	if len(rows) > 0 {
		n = int(rows[len(rows)-1]) + 1
	}
	for c := range v.cells {
		v.cells[c] = m.Columns[c].Before(n)
		most = max(most, len(v.cells[c].Rows))
	}
	if n == len(rows) {
		return v
	}
	place := make([]uint32, n) // plus 1; 0 for none
	for at, i := range rows {
		place[i] = uint32(at + 1) // #nosec G115 -- an index of rows
	}
	some := features.Column{Rows: make([]uint32, most), Levels: make([]uint8, most)}
	for c := range v.cells {
		n, k := 0, v.cells[c]
		for i, row := range k.Rows {
			at := place[row]
			some.Rows[n], some.Levels[n] = at-1, k.Levels[i]
			n += int(min(at, 1))
		}
		v.cells[c] = features.Column{Rows: slices.Clone(some.Rows[:n]), Levels: slices.Clone(some.Levels[:n])}
	}
	return v
}

// pick returns the values at some places; nil of nil.
func pick[T any, I int | int32 | uint32](values []T, at []I) []T {
	if values == nil {
		return nil
	}
	some := make([]T, len(at))
	for k, i := range at {
		some[k] = values[i]
	}
	return some
}

// observed returns what a fit of the rows explains.
func (v *view) observed() features.Observed {
	return features.Observed{Truth: pick(v.Truth, v.rows), Offset: pick(v.Offset, v.rows)}
}

// fit returns a fit of the intercept alone.
func (v *view) fit(opt *Options) *features.Fit { return intercept(v.observed(), opt) }

func intercept(of features.Observed, opt *Options) *features.Fit {
	return features.NewFit(of, []features.Column{features.Ones(len(of.Truth))}, []float64{of.BaseLogOdds()}, opt.work())
}

// columns returns the values of the intercept, and of a model's columns.
func (v *view) columns(m *Model) []features.Column {
	all := make([]features.Column, 1+len(m.Columns))
	all[0] = features.Ones(len(v.rows))
	for i := range m.Columns {
		all[1+i] = v.values(&m.Columns[i])
	}
	return all
}

// values returns the values of a column.
func (v *view) values(c *Column) features.Column {
	switch c.Kind {
	case KindLog:
		return v.cells[c.Literals[0].Candidate]
	case KindExtra:
		return v.extra(c.Extra, v.rows)
	case KindValue:
		return features.Column{Rows: v.cells[c.Literals[0].Candidate].Rows}
	case KindRank:
		return v.rankColumn(c)
	case KindRelative:
		return v.relativeColumn(c, v.means(c.Literals[0].Candidate))
	case KindRule:
	}
	set := v.everywhere()
	for l := range c.Literals {
		set = v.and(set, &c.Literals[l])
	}
	return features.Column{Rows: places(set)}
}

// extra returns the values of an extra column on rows; they may share the column's memory.
func (m *Matrix) extra(i int, rows []uint32) features.Column {
	of := m.extras[i]
	if len(rows) < len(of) {
		of = pick(of, rows)
	}
	return features.Dense(of)
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
	for i, at := range k.Rows {
		if l.holds(k.Levels[i]) {
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
