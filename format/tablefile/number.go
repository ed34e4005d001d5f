package tablefile

import (
	"bytes"
	"math"
	"strconv"
	"strings"

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

// numberReader takes numbers out of what a form has around them.
type numberReader struct {
	table.NumberForm
	buf []byte
}

// plain returns a number as usually written, valid until the next call, and whether it is of the form.
func (r *numberReader) plain(b []byte) ([]byte, bool) {
	if r.Bound {
		b = unbound(b)
	}
	b, negative := cutSign(b)
	if n := len(b); r.Account && !negative && n > 1 {
		switch {
		case b[0] == '(' && b[n-1] == ')':
			b, negative = b[1:n-1], true
		case b[n-1] == '-':
			b, negative = b[:n-1], true
		}
	}
	if rest, marked := bytes.CutPrefix(b, []byte(strings.TrimSpace(r.Prefix))); marked && r.Prefix != "" {
		if b = cutBlanks(rest); !negative {
			b, negative = cutSign(b)
		}
	}
	switch rest, marked := bytes.CutSuffix(b, []byte(strings.TrimSpace(r.Suffix))); {
	case marked && r.Suffix != "":
		b = cutBlanks(rest)
	case strings.Contains(r.Suffix, "%"):
		return nil, false
	}
	if len(b) == 0 || b[0] == '+' || b[0] == '-' {
		return nil, false
	}
	if r.buf = r.buf[:0]; negative {
		r.buf = append(r.buf, '-')
	}
	if r.Base == table.FormPlain {
		r.buf = append(r.buf, b...)
		return r.buf, true
	}
	if r.Base == table.FormSpace {
		b = spaced(b)
	}
	var ok bool
	r.buf, ok = ungroup(r.buf, b, r.Base)
	return r.buf, ok
}

// cutSign removes a sign, and reports whether it is a minus.
func cutSign(b []byte) (rest []byte, negative bool) {
	for _, minus := range []string{"-", "\u2212"} {
		if rest, found := bytes.CutPrefix(b, []byte(minus)); found {
			return rest, true
		}
	}
	return bytes.TrimPrefix(b, []byte("+")), false
}

// blanks are those that writers put between the parts of a number: some keep it on its line.
const blanks = " \u00a0\u202f\u2009"

func cutBlanks(b []byte) []byte { return bytes.Trim(b, blanks) }

// spaced returns a number with a plain blank for each other one.
func spaced(b []byte) []byte {
	if bytes.ContainsAny(b, blanks[1:]) {
		b = []byte(strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ").Replace(string(b)))
	}
	return b
}

// unbound returns what a bound is.
func unbound(b []byte) []byte {
	if rest := bytes.TrimLeft(b, "<>=≤≥"); len(rest) < len(b) {
		return cutBlanks(rest)
	}
	return bytes.TrimSuffix(b, []byte("+"))
}

// IsBound reports whether a form with bounds reads a text as one.
func IsBound(b []byte) bool { return len(unbound(b)) < len(b) }

// readNumber returns how a number of a form is read.
func readNumber[T any](form string, parse func([]byte) (T, bool)) func([]byte) (T, bool) {
	f, ok := table.ParseNumberForm(form)
	if !ok {
		return parse
	}
	r := &numberReader{NumberForm: f}
	return func(b []byte) (n T, ok bool) {
		if b, ok = r.plain(b); !ok {
			return n, false
		}
		return parse(b)
	}
}

// ReadValue returns how a value of a function and form is read: what a cell holds, the whole part of a float, and whether it does; nil where
// there is no such function or form. It is for one goroutine.
func ReadValue(function, form string) func(cell []byte) (int64, bool) {
	if !table.IsForm(function, form) {
		return nil
	}
	if function == "float" {
		read := ReadNumber(form)
		return func(cell []byte) (int64, bool) {
			x, ok := read(cell)
			return int64(max(math.MinInt64/2, min(x, math.MaxInt64/2))), ok
		}
	}
	c := newColumnReader(nil, &table.ColumnSpec{Func: function, Form: form, Refs: make([]table.Ref, 1)}, -1, new(table.Column))
	c.columns = []int{0}
	return func(cell []byte) (int64, bool) {
		c.column.Nums = append(c.column.Nums[:0], 0)
		_, ok := c.read([][]byte{cell})
		return c.column.Nums[len(c.column.Nums)-1], ok
	}
}

// ReadNumber returns how a number of a form is read, whole or not. It is for one goroutine.
func ReadNumber(form string) func(cell []byte) (float64, bool) { return readNumber(form, parseFloat) }
