package tablefile

import (
	"math"
	"strconv"

	"resolwe/format/table"
)

// parseInt reads a whole number.
func parseInt(b []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(b), 10, 64)
	return n, err == nil
}

// parseFloat reads a finite decimal number.
func parseFloat(b []byte) (float64, bool) {
	for _, c := range b {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false // no hexadecimal digits, no infinity
		}
	}
	x, err := strconv.ParseFloat(string(b), 64)
	return x, err == nil && !math.IsInf(x, 0)
}

// ungroup appends a number without the separators of a form, between which three digits stand, and with a point before
// its fraction. It reports whether the number is of the form.
func ungroup(dst, b []byte, form string) ([]byte, bool) {
	group, point := form[1], form[5]
	digits, grouped, fraction := 0, false, false
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9':
			digits++
			dst = append(dst, c)
			if grouped && !fraction && digits > 3 {
				return dst, false
			}
		case (c == '-' || c == '+') && i == 0:
			dst = append(dst, c)
		case c == group && !fraction && (grouped && digits == 3 || !grouped && digits > 0 && digits <= 3):
			grouped, digits = true, 0
		case c == point && !fraction && (!grouped || digits == 3):
			dst, fraction = append(dst, '.'), true
		default:
			return dst, false
		}
	}
	return dst, !grouped || fraction || digits == 3
}

// readNumber returns how a number of a form is read.
func readNumber[T any](form string, parse func([]byte) (T, bool)) func([]byte) (T, bool) {
	if form == "" {
		return parse
	}
	var buf []byte
	return func(b []byte) (n T, ok bool) {
		if buf, ok = ungroup(buf[:0], b, form); !ok {
			return n, false
		}
		return parse(buf)
	}
}

// ReadValue returns how a value of a function and form is read: what a cell holds, 0 for floats, and whether it does; nil where
// there is no such function or form. It is for one goroutine.
func ReadValue(function, form string) func(cell []byte) (int64, bool) {
	if !table.IsForm(function, form) {
		return nil
	}
	c := newColumnReader(nil, &table.ColumnSpec{Func: function, Form: form, Refs: make([]table.Ref, 1)}, -1, new(table.Column))
	c.columns = []int{0}
	return func(cell []byte) (int64, bool) {
		c.column.Nums, c.column.Floats = append(c.column.Nums[:0], 0), c.column.Floats[:0]
		_, ok := c.read([][]byte{cell})
		return c.column.Nums[len(c.column.Nums)-1], ok
	}
}

// ReadNumber returns how a number of a form is read, whole or not. It is for one goroutine.
func ReadNumber(form string) func(cell []byte) (float64, bool) { return readNumber(form, parseFloat) }
