package reading

import (
	"math"
	"slices"
	"strings"

	"resolwe/internal/isotime"
)

// Class is what a cell alone may be.
type Class uint8

// The classes.
const (
	Text Class = iota
	Number
	Date
)

// Classifier tells what cells are.
type Classifier []Reading

// ClassOf classifies a cell.
func (ways Classifier) ClassOf(cell string) Class {
	for i, w := range ways {
		if _, ok := w.Read([]byte(cell)); !ok {
			continue
		}
		if i > 1 && w.Function == "time" {
			return Date
		}
		return Number
	}
	return Text
}

// HasValues reports whether some column has nothing but numbers and dates, except in the first row.
func (ways Classifier) HasValues(rows [][]string) bool {
	for i := range rows[0] {
		if _, pure := ways.below(rows[1:], i, ""); pure {
			return true
		}
	}
	return false
}

// IsHeader reports whether a first row names the columns of the rows below it. A header stands once: none of its cells recurs in its column
// unless the whole row does. If some are numbers or dates, all such have others below them, or
// are a series of years, dates or small numbers.
func (ways Classifier) IsHeader(first []string, rows [][]string) bool {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r []string) bool { return slices.Equal(r, first) })
	some, recurs, dates, alike, names := false, false, false, 0, 0
	var values []string
	for i, cell := range first {
		if cell == "" || IsNull([]byte(cell)) {
			continue
		}
		some = true
		below, pure := ways.below(rows, i, cell)
		recurs = recurs || below.recurs
		switch own := ways.ClassOf(cell); {
		case own == Text && pure:
			names++
		case own != Text:
			values = append(values, cell)
			dates = dates || pure && own == Date && below.class == Date
			if !pure || below.class == own {
				alike++
			}
		}
	}
	return some && !dates && (alike == 0 && (names > 0 || !recurs) || ways.IsSeries(values))
}

// below describes the cells below a first one.
type below struct {
	class  Class
	recurs bool
}

// below returns the class of the cells of a column, and whether all have it; pure is false for texts.
func (ways Classifier) below(rows [][]string, column int, first string) (b below, pure bool) {
	filled := 0
	for _, row := range rows {
		cell := row[column]
		if cell == "" || IsNull([]byte(cell)) {
			continue
		}
		b.recurs = b.recurs || cell == first
		c := ways.ClassOf(cell)
		if filled++; filled == 1 {
			b.class, pure = c, true
		}
		pure = pure && c == b.class
	}
	return b, pure && b.class != Text
}

// IsSeries reports whether cells go up or down in equal steps, as years, dates, quarters and numbered columns do.
func (ways Classifier) IsSeries(cells []string) bool {
	return len(cells) > 1 && slices.ContainsFunc(ways, func(w Reading) bool { return w.isSeries(cells) })
}

func (r *Reading) isSeries(cells []string) bool {
	if r.Function == "float" || r.Function == "time" && r.Form == "" && !strings.Contains(cells[0], "-") {
		return false
	}
	values, steps := make([]int64, len(cells)), make([]int64, len(cells)-1)
	for i, c := range cells {
		n, ok := r.Read([]byte(c))
		if !ok || n > math.MaxInt64/4 || n < math.MinInt64/4 {
			return false
		}
		if values[i] = n; i > 0 {
			steps[i-1] = n - values[i-1]
		}
	}
	lo, hi := slices.Min(steps), slices.Max(steps)
	if lo <= 0 && hi >= 0 {
		return false
	}
	if r.Function == "time" {
		return hi-lo <= 3*isotime.SecondsOfDay // months and quarters are not of one length
	}
	years := slices.Min(values) >= 1500 && slices.Max(values) < 2200 && (len(cells) > 2 || lo == 1)
	return lo == hi && (years || len(cells) > 4)
}
