package tablewrite

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"
)

// csvWriter writes CSV (RFC 4180, lines end with \n).
type csvWriter struct {
	out  *bufio.Writer
	line []byte
}

func newCSV(w io.Writer, columns []Column) (*csvWriter, error) {
	c := &csvWriter{out: bufio.NewWriter(w)}
	cells := make([]Cell, len(columns))
	for i, column := range columns {
		if cells[i] = TextCell(column.Title); column.Title == "" {
			cells[i] = TextCell(column.Name)
		}
	}
	return c, c.row(cells)
}

func (c *csvWriter) row(cells []Cell) error {
	c.line = c.line[:0]
	for i, cell := range cells {
		if i > 0 {
			c.line = append(c.line, ',')
		}
		switch cell.kind {
		case Text:
			c.line = appendQuoted(c.line, inert(cell.text))
		case Real:
			c.line = appendReal(c.line, cell.real)
		case Day, Moment:
			c.line = append(c.line, cell.iso()...)
		case Whole, Truth:
			c.line = strconv.AppendInt(c.line, cell.whole, 10)
		}
	}
	if len(cells) == 1 && len(c.line) == 0 { // else the line would be blank
		c.line = append(c.line, `""`...)
	}
	c.line = append(c.line, '\n')
	_, err := c.out.Write(c.line)
	return err
}

func (c *csvWriter) close() error { return c.out.Flush() }

// inert returns text with an apostrophe in front where a spreadsheet would run it as a formula, or it has one there: to take the first
// apostrophe away gives the text back.
func inert(s string) string {
	if s == "" || strings.IndexByte("=+-@\t\r'", s[0]) < 0 {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}

// appendQuoted appends text, in quotes where it needs them.
func appendQuoted(dst []byte, s string) []byte {
	if !strings.ContainsAny(s, "\",\r\n") && strings.TrimSpace(s) == s {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(s, `"`, `""`)...)
	return append(dst, '"')
}

// appendReal appends a number, whole ones without an exponent as far as they are exact.
func appendReal(dst []byte, v float64) []byte {
	if math.Abs(v) < 1<<53 && v == math.Trunc(v) {
		return strconv.AppendInt(dst, int64(v), 10)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}
