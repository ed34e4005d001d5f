package tableinit

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"resolwe/format/tablefile"
	"resolwe/internal/isotime"
)

// lives is what the rows of a table with a key are like over time, as a sample of them tells.
type lives struct {
	table   *tabular
	columns []*column        // numbers and dates
	refers  []*column        // of any table: hold keys of this one
	things  map[uint64]*life // by hash of the key
	late    map[*column]bool // later than the row in some row
}

// life is a thing.
type life struct {
	values      []float64 // by column, NaN for none
	rows        []int     // by referring column
	first, last int64     // times of the rows that refer to it
	dated       bool      // there are some
}

// findLives reads the tables for what becomes of things, by table.
func (d *draft) findLives(ctx context.Context) ([]*lives, error) {
	all := make([]*lives, len(d.tables))
	for i, t := range d.tables {
		l := &lives{table: t, things: map[uint64]*life{}, late: map[*column]bool{}}
		all[i] = l
		for _, c := range t.columns {
			if c.kind == kindWhole || c.kind == kindNumber || c.kind == kindTime {
				l.columns = append(l.columns, c)
			}
		}
		if t.key != nil {
			l.refers = slices.DeleteFunc(slices.Clone(t.key.typ.columns), func(c *column) bool { return c == c.table.key })
		}
		if len(l.columns) == 0 {
			continue
		}
		if err := l.read(ctx); err != nil {
			return nil, err
		}
	}
	for _, r := range d.tables {
		if err := count(ctx, all, r); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// read reads the rows.
func (l *lives) read(ctx context.Context) error {
	t := l.table
	numbers := make([]func([]byte) (float64, bool), len(l.columns))
	for i, c := range l.columns {
		numbers[i] = tablefile.ReadNumber(c.form)
	}
	values := make([]float64, len(l.columns))
	return t.each(ctx, func(cells [][]byte) {
		for i, c := range l.columns {
			values[i] = math.NaN()
			if c.kind == kindTime {
				if at, ok := c.at(cells); ok {
					values[i] = float64(at)
				}
			} else if n, ok := numbers[i](c.cell(cells)); ok {
				values[i] = n
			}
		}
		if t.time != nil {
			l.compare(values)
		}
		if t.key == nil {
			return
		}
		hash := hashOf(t.key.cell(cells))
		if _, sampled := t.key.values[hash]; sampled {
			l.things[hash] = &life{values: slices.Clone(values), rows: make([]int, len(l.refers))}
		}
	})
}

// compare notes the dates of a row that are later than the row.
func (l *lives) compare(values []float64) {
	born := values[slices.Index(l.columns, l.table.time)]
	for i, c := range l.columns {
		if c.kind == kindTime && isLater(values[i], born, c.hasClock() && l.table.time.hasClock()) {
			l.late[c] = true
		}
	}
}

// isLater reports whether a time is later than another, by the day where one of them has no clock. No time is neither.
func isLater(a, b float64, clock bool) bool {
	if !clock {
		a, b = math.Floor(a/isotime.SecondsOfDay), math.Floor(b/isotime.SecondsOfDay)
	}
	return a > b
}

// count counts the rows of a table that refer to things.
func count(ctx context.Context, all []*lives, r *tabular) error {
	type reference struct {
		*lives
		column int
	}
	var references []reference
	for _, l := range all {
		for i, c := range l.refers {
			if c.table == r && len(l.things) > 0 {
				references = append(references, reference{l, i})
			}
		}
	}
	if len(references) == 0 {
		return nil
	}
	return r.each(ctx, func(cells [][]byte) {
		at, dated := int64(0), false
		if r.time != nil {
			at, dated = r.time.at(cells)
		}
		for _, f := range references {
			x := f.things[hashOf(f.refers[f.column].cell(cells))]
			if x == nil {
				continue
			}
			x.rows[f.column]++
			switch {
			case dated && !x.dated:
				x.first, x.last, x.dated = at, at, true
			case dated:
				x.first, x.last = min(x.first, at), max(x.last, at)
			}
		}
	})
}

// seldom is which part of the things may be otherwise.
const seldom = .05

// dates returns how many of the dated things have rows that refer to them a day before they came to be, or a day after.
func (l *lives) dates() (n, before, after int) {
	i := slices.Index(l.columns, l.table.time)
	if i < 0 {
		return 0, 0, 0
	}
	for _, x := range l.things {
		if born := x.values[i]; !math.IsNaN(born) {
			n++
			if x.dated && float64(x.first) < born-isotime.SecondsOfDay {
				before++
			}
			if x.dated && float64(x.last) > born+isotime.SecondsOfDay {
				after++
			}
		}
	}
	return n, before, after
}

// goOn reports whether later rows refer to those of the table: its rows are things, not events.
func (l *lives) goOn() bool {
	n, _, after := l.dates()
	return float64(after) > seldom*float64(n)
}

// long reports whether they do so for long: the mean time from a row to the last that refers to it is a large part of all time.
func (l *lives) long() bool {
	i := slices.Index(l.columns, l.table.time)
	if i < 0 {
		return false
	}
	lo, hi, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
	for _, x := range l.things {
		if born := x.values[i]; !math.IsNaN(born) {
			last := born
			if x.dated {
				last = max(born, float64(x.last))
			}
			lo, hi, n = min(lo, born), max(hi, last), n+1
			sum += last - born // whole seconds: exact in any order
		}
	}
	return n > 0 && sum > longLived*float64(n)*(hi-lo)
}

// bornLate reports whether earlier rows refer to those of the table: its time is not when they came to be.
func (l *lives) bornLate() bool {
	n, before, _ := l.dates()
	return float64(before) > seldom*float64(n)
}

// isLate reports whether a date is later than its row, or, where that has none, than a row that refers to it.
func (l *lives) isLate(c *column) bool {
	i := slices.Index(l.columns, c)
	if i < 0 || l.table.time != nil {
		return l.late[c]
	}
	for _, x := range l.things {
		if x.dated && isLater(x.values[i], float64(x.first), true) {
			return true
		}
	}
	return false
}

// How close the values of a column and the numbers of rows have to be: rank correlation, and how many standard errors it is.
const (
	closely   = .5
	beyondAll = 3.3
)

// follows returns the referring column by the number of whose rows the values of a column go, nil for none.
func (l *lives) follows(c *column) *column {
	k := slices.Index(l.columns, c)
	if k < 0 || c.kind == kindTime {
		return nil
	}
	var things []*life
	for _, hash := range slices.Sorted(maps.Keys(l.things)) {
		if x := l.things[hash]; !math.IsNaN(x.values[k]) {
			things = append(things, x)
		}
	}
	values, rows := make([]float64, len(things)), make([]float64, len(things))
	for i, f := range l.refers {
		for j, x := range things {
			values[j], rows[j] = x.values[k], float64(x.rows[i])
		}
		r := math.Abs(rankCorrelation(values, rows))
		if f != c && r > closely && r*math.Sqrt(float64(len(things)-1)) > beyondAll {
			return f
		}
	}
	return nil
}

// rankCorrelation is Spearman's, 0 where one of both is always the same.
func rankCorrelation(a, b []float64) float64 {
	x, y := ranks(a), ranks(b)
	middle := float64(float64(len(a)+1) * .5)
	var xx, yy, xy float64
	for i := range x {
		dx, dy := x[i]-middle, y[i]-middle
		xx, yy, xy = xx+float64(dx*dx), yy+float64(dy*dy), xy+float64(dx*dy)
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(float64(xx*yy))
}

// ranks returns the ranks of values from 1 on; equal ones share their mean.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			out[k] = float64(i+1+j) / 2
		}
		i = j
	}
	return out
}
