package tablefile

import "resolwe/format/table"

// columnReader fills one column of a table.
type columnReader struct {
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
}

func newColumnReader(u *table.Universe, c *table.ColumnSpec, typ int, column *table.Column) *columnReader {
	r := &columnReader{column: column}
	if typ >= 0 {
		r.column.Kind, r.column.Type, r.dict = table.KindEntity, typ, u.Dicts[typ]
		r.read, r.wants = r.entity, "a name"
		return r
	}
	r.column.Kind = kinds[c.Func]
	switch {
	case r.column.Kind == table.KindInt:
		r.read, r.wants = r.number(parseInt), "a whole number"
	case r.column.Kind == table.KindFloat:
		r.read, r.wants = r.float, "a number"
	case r.column.Kind == table.KindTime:
		r.read, r.wants = r.number(parseTime), "a time (as in 2009-04-01T19:30:12Z, or seconds since 1970)"
	case len(c.Refs) == 3:
		r.read, r.wants = r.date, "part of a valid date"
	default:
		r.read, r.wants = r.number(parseDay), "a date (as in 2009-04-01)"
	}
	return r
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

func (r *columnReader) float(cells [][]byte) (int, bool) {
	x, ok := parseFloat(cells[r.columns[0]])
	if ok {
		r.column.Floats = append(r.column.Floats, x)
	}
	return 0, ok
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
	day, ok := dayOf(parts[0], parts[1], parts[2])
	if ok {
		r.column.Nums = append(r.column.Nums, day)
	}
	return 2, ok
}
