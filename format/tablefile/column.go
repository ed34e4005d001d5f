package tablefile

import (
	"fmt"
	"slices"
	"strconv"

	"resolwe/format/table"
	"resolwe/internal/isotime"
)

// columnReader fills one column of a table.
type columnReader struct {
	spec    *table.ColumnSpec
	read    func(cells [][]byte) (bad int, ok bool) // bad is which of the cells is wrong
	column  *table.Column
	columns []int    // of the file
	names   []string // of those columns
	wants   string   // what a cell should hold, for errors

	dict   *table.Dict
	prefix int    // bytes of name that stay
	name   []byte // of the entity
	last   []byte // the cell before, of the same file
	lastID uint32
	row    *int64 // of the table, from 1
}

func newColumnReader(u *table.Universe, c *table.ColumnSpec, typ int, column *table.Column) *columnReader {
	r := &columnReader{spec: c, column: column}
	if typ >= 0 {
		r.column.Kind, r.column.Type, r.dict = table.KindEntity, typ, u.Dicts[typ]
		if r.read, r.wants = r.entity, "a name"; c.Row {
			r.read = r.rowNumber
		}
		return r
	}
	r.column.Kind = table.Kinds[c.Func]
	switch {
	case r.column.Kind == table.KindInt:
		r.read, r.wants = r.number(readNumber(c.Form, parseInt)), "a whole number"
	case r.column.Kind == table.KindFloat:
		r.read, r.wants = r.float(readNumber(c.Form, parseFloat)), "a number"
	case r.column.Kind == table.KindTime:
		r.read, r.wants = r.number(isotime.Form(c.Form).ParseTime), "a time (as in 2009-04-01T19:30:12Z, or seconds since 1970)"
	case len(c.Refs) == 3:
		r.read, r.wants = r.date, "part of a valid date"
	default:
		r.read, r.wants = r.number(isotime.Form(c.Form).ParseDay), "a date (as in 2009-04-01)"
	}
	if c.Form != "" {
		r.wants += fmt.Sprintf(" of the form %q", c.Form)
	}
	return r
}

// add reads one entry. Which of the column's cells is wrong it returns where one is, and whether none is.
func (r *columnReader) add(cells [][]byte) (bad int, ok bool) {
	if r.spec.Optional && r.isEmpty(cells) {
		r.column.AddEmpty()
		return 0, true
	}
	return r.read(cells)
}

// isEmpty reports whether one of the column's cells is empty.
func (r *columnReader) isEmpty(cells [][]byte) bool {
	return slices.ContainsFunc(r.columns, func(c int) bool { return len(cells[c]) == 0 })
}

// resolve finds the columns of a file.
func (r *columnReader) resolve(s *spec, file string, names []string, width int) error {
	r.columns, r.names = r.columns[:0], r.names[:0]
	for _, ref := range r.spec.Refs {
		column, err := s.column(file, ref, names, width)
		if err != nil {
			return err
		}
		r.columns, r.names = append(r.columns, column), append(r.names, ref.String())
	}
	return nil
}

// wrong is the error of a cell that the column cannot hold.
func (r *columnReader) wrong(src source, cells [][]byte, bad int) error {
	column := r.columns[bad]
	p, name := src.at(column), r.names[bad]
	if len(cells[column]) == 0 {
		return emptyError(p, name, r.wants, r.spec)
	}
	return valueError(p, name, string(cells[column]), r.wants)
}

func (r *columnReader) setPrefix(s string) {
	r.name = append(append(r.name[:0], s...), ':')
	r.prefix, r.last = len(r.name), nil
}

// entity reads a name.
func (r *columnReader) entity(cells [][]byte) (int, bool) {
	cell := cells[r.columns[0]]
	if len(cell) == 0 {
		return 0, false
	}
	if string(cell) != string(r.last) {
		r.last = append(r.last[:0], cell...)
		r.name = append(r.name[:r.prefix], cell...)
		r.lastID = r.dict.Intern(r.name)
	}
	r.column.IDs = append(r.column.IDs, r.lastID)
	return 0, true
}

// rowNumber makes a name of the number of the row.
func (r *columnReader) rowNumber([][]byte) (int, bool) {
	r.name = strconv.AppendInt(r.name[:r.prefix], *r.row, 10)
	r.column.IDs = append(r.column.IDs, r.dict.Intern(r.name))
	return 0, true
}

// number reads what a function makes a whole number of.
func (r *columnReader) number(parse func([]byte) (int64, bool)) func([][]byte) (int, bool) {
	return func(cells [][]byte) (int, bool) {
		n, ok := parse(cells[r.columns[0]])
		if ok {
			r.column.Nums = append(r.column.Nums, n)
		}
		return 0, ok
	}
}

func (r *columnReader) float(parse func([]byte) (float64, bool)) func([][]byte) (int, bool) {
	return func(cells [][]byte) (int, bool) {
		x, ok := parse(cells[r.columns[0]])
		if ok {
			r.column.Floats = append(r.column.Floats, x)
		}
		return 0, ok
	}
}

// date reads a year, month and day.
func (r *columnReader) date(cells [][]byte) (int, bool) {
	var parts [3]int64
	for i, c := range r.columns {
		n, ok := parseInt(cells[c])
		if !ok {
			return i, false
		}
		parts[i] = n
	}
	day, ok := isotime.DayOf(parts[0], parts[1], parts[2])
	if ok {
		r.column.Nums = append(r.column.Nums, day)
	}
	return 2, ok
}
