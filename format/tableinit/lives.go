package tableinit

import (
	"maps"
	"math"
	"slices"

	"resolwe/format/tablefile"
	"resolwe/internal/elementary"
	"resolwe/internal/isotime"
)

// lives describes how the rows of a keyed table change over time, estimated from a sample.
type lives struct {
	table   *tabular
	columns []*column        // numbers and dates
	refers  []*column        // in any table: hold keys of this one
	things  map[uint64]*life // by hash of the key
	late    []bool           // by column: some are later than their row
	// bornLate are the times that some rows that refer to the table's are before: they are not those of the creation. goOn means that later
	// rows refer to them: they are things, not events.
	bornLate map[*column]bool
	goOn     bool
}

// life is the history of one thing.
type life struct {
	values      []float64 // by column, NaN for none
	rows        []int     // by referring column
	first, last int64     // times of the rows that refer to it
	dated       bool      // some row that refers to it has a time
}

// findLives reads the tables to learn what happens to things over time, by table.
func (d *draft) findLives() []*lives {
	all := make([]*lives, len(d.tables))
	for i, t := range d.tables {
		l := &lives{table: t, things: map[uint64]*life{}}
		all[i] = l
		for _, c := range t.columns {
			if c.isValue() {
				l.columns = append(l.columns, c)
			}
		}
		if t.key != nil {
			l.refers = slices.DeleteFunc(slices.Clone(t.key.typ.columns), func(c *column) bool { return c == c.table.key })
		}
		if len(l.columns) > 0 {
			d.readLives(l)
		}
	}
	for _, r := range d.tables {
		d.countLives(all, r)
	}
	for _, l := range all {
		l.settle()
	}
	return all
}

// readLives reads the rows of a table.
func (d *draft) readLives(l *lives) {
	t := l.table
	numbers := make([]func([][]byte) (float64, bool), len(l.columns))
	for i, c := range l.columns {
		numbers[i] = c.number()
	}
	values, born := make([]float64, len(l.columns)), slices.Index(l.columns, t.time)
	l.late = make([]bool, len(l.columns))
	d.pass(t, func(cells [][]byte) {
		for i := range l.columns {
			values[i] = math.NaN()
			if n, ok := numbers[i](cells); ok {
				values[i] = n
			}
		}
		for i, c := range l.columns {
			if born >= 0 && c.kind == kindTime && isLater(values[i], values[born], c.hasClock() && t.time.hasClock()) {
				l.late[i] = true
			}
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

// number returns a function that reads a column of numbers or times, these in seconds.
func (c *column) number() func(cells [][]byte) (float64, bool) {
	if c.kind == kindTime {
		return func(cells [][]byte) (float64, bool) {
			at, ok := c.at(cells)
			return float64(at), ok
		}
	}
	read := tablefile.ReadNumber(c.form)
	return func(cells [][]byte) (float64, bool) { return read(c.cell(cells)) }
}

// isLater reports whether one time is later than another, by the day if either has no clock. A missing time is not.
func isLater(a, b float64, clock bool) bool {
	if !clock {
		a, b = math.Floor(a/isotime.SecondsOfDay), math.Floor(b/isotime.SecondsOfDay)
	}
	return a > b
}

// countLives counts a table's rows that refer to things.
func (d *draft) countLives(all []*lives, r *tabular) {
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
		return
	}
	d.pass(r, func(cells [][]byte) {
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

// seldom is the fraction of things that may be exceptions.
const seldom = .05

// settle sets bornLate, goOn and the table's long from the times at which things were created and those of rows that refer to them;
// differences below a day do not count.
func (l *lives) settle() {
	l.bornLate, l.goOn, l.table.long = map[*column]bool{}, false, false
	for _, c := range l.table.stamps {
		i := slices.Index(l.columns, c)
		lo, hi, sum, n, before, after := math.Inf(1), math.Inf(-1), 0.0, 0.0, 0.0, 0.0
		for _, x := range l.things {
			born := x.values[i]
			if math.IsNaN(born) {
				continue
			}
			last := born
			if x.dated {
				last = max(born, float64(x.last))
				if float64(x.first) < born-isotime.SecondsOfDay {
					before++
				}
				if last > born+isotime.SecondsOfDay {
					after++
				}
			}
			lo, hi, n = min(lo, born), max(hi, last), n+1
			sum += last - born // whole seconds: exact in any order
		}
		if l.bornLate[c] = before > seldom*n; c == l.table.time {
			l.goOn, l.table.long = after > seldom*n, n > 0 && sum > longLived*n*(hi-lo)
		}
	}
}

// isLate reports whether a date is later than its row or, if the row has no time, than a row that refers to it.
func (l *lives) isLate(c *column) bool {
	i := slices.Index(l.columns, c)
	if l.table.time != nil {
		return l.late[i]
	}
	for _, x := range l.things {
		if x.dated && isLater(x.values[i], float64(x.first), true) {
			return true
		}
	}
	return false
}

// How closely a column's values must agree with the numbers of rows: rank correlation, and the number of standard errors.
const (
	closely   = .5
	beyondAll = 3.3
)

// follows returns the referring column whose numbers of rows a column's values follow, nil for none.
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
		r := math.Abs(elementary.RankCorrelation(values, rows))
		if f != c && r > closely && r*math.Sqrt(float64(len(things)-1)) > beyondAll {
			return f
		}
	}
	return nil
}
