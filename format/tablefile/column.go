package tablefile

import (
	"bytes"
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
	times   isotime.Reader
	wants   string // what a cell should hold, for errors

	lacks  bool // cells may be empty or nulls of the column
	dict   *table.Dict
	prefix int                                   // bytes of name that stay
	name   []byte                                // of the entity
	spell  func(dst, cell []byte) ([]byte, bool) // appends it
	last   []byte                                // the cell before, of the same file
	lastID uint32
	row    *int64 // of the table, from 1
}

func newColumnReader(u *table.Universe, c *table.ColumnSpec, typ int, column *table.Column) *columnReader {
	r := &columnReader{spec: c, column: column, times: isotime.Reader{Form: isotime.Form(c.Form), Zone: c.Zone}, lacks: c.Optional || c.Nulls != nil}
	if typ >= 0 {
		r.column.Kind, r.column.Type, r.dict = table.KindEntity, typ, u.Dicts[typ]
		r.read, r.wants, r.spell = r.entity, "a name", appendName
		switch {
		case c.Row:
			r.read = r.rowNumber
		case c.Func != "":
			r.wants, r.spell = "a whole number", AppendWhole
		}
		return r
	}
	r.column.Kind = table.Kinds[c.Func]
	switch {
	case r.column.Kind == table.KindInt:
		r.read, r.wants = reads(r, &column.Nums, readNumber(c.Form, parseInt)), "a whole number"
	case r.column.Kind == table.KindFloat:
		r.read, r.wants = reads(r, &column.Floats, readNumber(c.Form, parseFloat)), "a number"
	case r.column.Kind == table.KindTime:
		r.read, r.wants = reads(r, &column.Nums, r.times.Time), "a time (as in 2009-04-01T19:30:12Z, or seconds since 1970)"
	case len(c.Refs) == 3:
		r.read, r.wants = r.date, "part of a valid date"
	default:
		r.read, r.wants = reads(r, &column.Nums, r.times.Day), "a date (as in 2009-04-01)"
	}
	if c.Form != "" {
		r.wants += fmt.Sprintf(" of the form %q", c.Form)
	}
	return r
}

// add reads one entry. Which of the column's cells is wrong it returns where one is, and whether none is.
func (r *columnReader) add(cells [][]byte) (bad int, ok bool) {
	if r.lacks {
		if empty := slices.IndexFunc(r.columns, func(c int) bool { return r.isNull(cells[c]) }); empty >= 0 {
			if r.spec.Optional {
				r.column.AddEmpty()
			}
			return empty, r.spec.Optional
		}
	}
	return r.read(cells)
}

// isNull reports whether a cell of the column is empty, or one of the texts that stand for that.
func (r *columnReader) isNull(cell []byte) bool {
	return len(cell) == 0 || slices.Contains(r.spec.Nulls, string(cell))
}

// isEmpty reports whether one of the column's cells is empty.
func (r *columnReader) isEmpty(cells [][]byte) bool {
	return slices.ContainsFunc(r.columns, func(c int) bool { return r.isNull(cells[c]) })
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
	cell, at, name := cells[r.columns[bad]], src.At(r.columns[bad]), clip(r.names[bad])
	if r.isNull(cell) {
		return fault(at, "column %q: the cell is empty, it should hold %s; where cells may be empty, write: optional %s", name, r.wants, r.spec)
	}
	return fault(at, "column %q: %q is not %s; correct the cell or leave out the row", name, clip(string(cell)), r.wants)
}

// entity reads a name.
func (r *columnReader) entity(cells [][]byte) (int, bool) {
	cell := cells[r.columns[0]]
	if len(cell) == 0 {
		return 0, false
	}
	if string(cell) != string(r.last) {
		name, ok := r.spell(r.name[:r.prefix], cell)
		if !ok {
			return 0, false
		}
		r.name, r.last = name, append(r.last[:0], cell...)
		r.lastID = r.dict.Intern(r.name)
	}
	r.column.IDs = append(r.column.IDs, r.lastID)
	return 0, true
}

func appendName(dst, cell []byte) ([]byte, bool) { return append(dst, cell...), true }

// AppendWhole appends a whole number to dst in its usual spelling, 8 for 8.0 and 12 for 00012, and reports whether the cell holds one.
func AppendWhole(dst, cell []byte) (name []byte, ok bool) {
	digits, fraction, _ := bytes.Cut(cell, []byte("."))
	digits, negative := bytes.CutPrefix(digits, []byte("-"))
	if len(digits) == 0 || len(bytes.Trim(digits, "0123456789")) > 0 || len(bytes.Trim(fraction, "0")) > 0 {
		return dst, false
	}
	for len(digits) > 1 && digits[0] == '0' {
		digits = digits[1:]
	}
	if negative && string(digits) != "0" {
		dst = append(dst, '-')
	}
	return append(dst, digits...), true
}

// rowNumber makes a name of the number of the row.
func (r *columnReader) rowNumber([][]byte) (int, bool) {
	r.name = strconv.AppendInt(r.name[:r.prefix], *r.row, 10)
	r.column.IDs = append(r.column.IDs, r.dict.Intern(r.name))
	return 0, true
}

// reads appends to dst what a function makes of the cell.
func reads[T any](r *columnReader, dst *[]T, parse func([]byte) (T, bool)) func([][]byte) (int, bool) {
	return func(cells [][]byte) (int, bool) {
		v, ok := parse(cells[r.columns[0]])
		if ok {
			*dst = append(*dst, v)
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
		r.times.Local++
		r.column.Nums = append(r.column.Nums, day)
	}
	return 2, ok
}
