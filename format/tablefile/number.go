package tablefile

import (
	"bytes"
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
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		dst, b = append(dst, b[0]), b[1:]
	}
	end := bytes.IndexByte(b, point)
	if end < 0 {
		end = len(b)
	}
	grouped := bytes.IndexByte(b[:end], group) >= 0
	for i, c := range b {
		switch separates := grouped && i < end && (end-i)%4 == 0; {
		case i == end:
			dst = append(dst, '.')
		case separates && c == group && i > 0:
		case !separates && c >= '0' && c <= '9':
			dst = append(dst, c)
		default:
			return dst, false
		}
	}
	return dst, true
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
