package tableinit

import (
	"slices"
	"strings"
)

// Kinds of numbers that no column holds: days before the target, ranks of rows by time, and counts.
const (
	kindOfDays   = "days"
	kindOfLatest = "latest"
	kindOfCounts = "rows"
)

// nameKinds gives each column of numbers or dates a kind of its own, with the column's name, preceded by the table's if another table or a
// type has that name.
func (w *writer) nameKinds() {
	for _, kind := range []string{kindOfDays, kindOfLatest, kindOfCounts} {
		w.typeNames.take(kind)
	}
	var values []*column
	named := map[string]int{}
	for _, t := range w.tables {
		for _, c := range t.columns {
			if c.isValue() {
				values = append(values, c)
				named[strings.ToLower(c.plain())]++
			}
		}
	}
	for _, c := range values {
		name := c.plain()
		if named[strings.ToLower(name)] > 1 || !w.typeNames.free(name) {
			name = c.table.plain() + "_" + name
		}
		c.numbers = w.typeNames.take(name)
	}
}

// numberRows gives dated tables without a key a column of row numbers, if their rows are stated one by one.
func (w *writer) numberRows() {
	for _, t := range w.tables {
		if !w.timed || t.timeless() || t.key != nil || t.rows == 0 || len(t.columns) == 0 || w.expected(t) > mostRows {
			continue
		}
		name := strings.Join(t.stem(), "_")
		if name = plainName(name, "row"); !w.typeNames.free(name) {
			name += "_row"
		}
		c := &column{profile: newProfile(), table: t, header: t.name, kind: kindEntity, ofRow: true}
		c.rows, c.filled = t.rows, t.rows
		c.typ = &entityType{name: w.typeNames.take(name), key: c, columns: []*column{c}}
		t.key, t.columns = c, append([]*column{c}, t.columns...)
	}
}

// declare records a kind of numbers that the task uses.
func (w *writer) declare(kind string) string {
	if !slices.Contains(w.kinds, kind) {
		w.kinds = append(w.kinds, kind)
	}
	return kind
}
