package cut

import (
	"resolwe/format/table"
)

// relation is tuples that are the same for all centers: a table, or what rules without @center define.
type relation struct {
	n      int
	codes  [][]uint32 // by column
	codecs []codec
	stats  []*columnStats
}

// fromTable returns a table as a relation, which shares the memory of its entities.
func fromTable(t *table.Table, u *table.Universe) *relation {
	r := newRelation(t.Rows, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		size := 0
		if c.Kind == table.KindEntity {
			size = u.Dicts[c.Type].Len()
		}
		r.codes[i], r.codecs[i] = codesOf(c, size)
	}
	return r
}

// fromRows returns rows as a relation; sizes holds how many entities there are of each column, -1 for values.
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
	return &relation{n: n, codes: make([][]uint32, width), codecs: make([]codec, width), stats: make([]*columnStats, width)}
}

// value returns an entry.
func (r *relation) value(row, column int) uint64 { return r.codecs[column].value(r.codes[column][row]) }

// columnStats is what the planner knows of a column.
type columnStats struct {
	distinct float64 // different entries
	fan      float64 // expected number of rows that share the entry of a random row
}

const (
	slack      = 1024    // of arrays by code beside four times the rows
	sampleSize = 1 << 16 // rows that stand for a column without such an array
)

// isDense reports whether arrays by the codes of a column are not much larger than n rows.
func (c *codec) isDense(n int) bool { return c.size <= 4*uint64(n)+slack }

// columnStats measures a column, or a sample of its rows where its codes are wide.
func (r *relation) columnStats(column int) *columnStats {
	if r.stats[column] != nil {
		return r.stats[column]
	}
	codes, step := r.codes[column], 1
	s := &columnStats{distinct: 1, fan: 1}
	r.stats[column] = s
	if r.n == 0 {
		return s
	}
	var distinct, squares float64
	if r.codecs[column].isDense(r.n) {
		counts := make([]uint32, r.codecs[column].size)
		for _, c := range codes {
			counts[c]++
		}
		for _, n := range counts {
			distinct += float64(min(n, 1))
			squares += float64(n) * float64(n)
		}
	} else {
		step = max(1, r.n/sampleSize)
		counts := map[uint32]int{}
		for i := 0; i < r.n; i += step {
			counts[codes[i]]++
		}
		distinct = float64(len(counts))
		for _, n := range counts {
			squares += float64(n) * float64(n)
		}
	}
	s.distinct = distinct
	s.fan = max(squares*float64(step)/float64(r.n), float64(r.n)/(distinct*float64(step)), 1)
	return s
}
