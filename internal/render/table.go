package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"resolwe/internal/printable"
)

// Table is text in columns, which the letters l and r align to the left and to the right.
type Table struct {
	columns string
	headed  bool
	rows    [][]string // the first row is the header
}

// NewTable begins a table with its header, which may be left out.
func NewTable(columns string, header ...string) *Table {
	t := &Table{columns: columns, headed: len(header) > 0}
	if t.headed {
		t.rows = append(t.rows, header)
	}
	return t
}

// Row adds a row. Floats are printed with four decimals.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		if v, ok := c.(float64); ok {
			c = Number(v)
		}
		row[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, row)
}

const (
	gap         = 2  // columns between two columns of a table
	leastText   = 32 // minimum columns of text wrapped beside the others
	belowIndent = 4  // indent of text below its row
)

// Write prints the table, without white space at the ends of lines. On a narrow screen, the widest text is wrapped under itself or
// put below its row; if the other columns are already too wide, each row becomes a list of its cells.
func (t *Table) Write(w io.Writer) error {
	columns := Columns(w)
	if columns > 0 {
		t = t.escaped()
	}
	widths, long, rest := t.measure()
	below := false // the widest text is put below its row
	switch {
	case columns == 0, rest+widths[long] <= columns:
	case t.columns[long] == 'l' && columns-rest >= leastText:
		widths[long] = columns - rest
	case t.columns[long] == 'l' && rest <= columns:
		below = true
	default:
		return t.lists(w)
	}
	grid := t
	if below {
		grid = &Table{columns: t.columns[:long] + t.columns[long+1:]}
		for _, row := range t.rows {
			grid.rows = append(grid.rows, slices.Concat(row[:long], row[long+1:]))
		}
		widths, _, _ = grid.measure()
	}
	for k, row := range grid.rows {
		heading := t.headed && k == 0
		if err := grid.line(w, row, widths, heading); err != nil {
			return err
		}
		if !below {
			continue
		}
		for _, text := range Wrap(t.rows[k][long], max(columns-belowIndent, 1)) {
			if err := writeLine(w, strings.Repeat(" ", belowIndent)+text, heading); err != nil {
				return err
			}
		}
	}
	return nil
}

// escaped returns the table with escaped text, as it will be shown, so that widths are right.
func (t *Table) escaped() *Table {
	out := &Table{columns: t.columns, headed: t.headed}
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = printable.Escape(c)
		}
		out.rows = append(out.rows, cells)
	}
	return out
}

// measure returns the widths of the columns, the widest column (of text, if there is any), and the width of the others with the
// gaps.
func (t *Table) measure() (widths []int, long, rest int) {
	widths = make([]int, len(t.columns))
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], Width(c))
		}
	}
	for i, width := range widths {
		rest += width + gap
		if d := int(t.columns[i]) - int(t.columns[long]); d < 0 || d == 0 && width > widths[long] { // l comes before r
			long = i
		}
	}
	return widths, long, rest - gap - widths[long]
}

// line prints a row, on several lines if a text is wider than its column.
func (t *Table) line(w io.Writer, row []string, widths []int, heading bool) error {
	cells, height := make([][]string, len(row)), 1
	for i, c := range row {
		cells[i] = []string{c}
		if Width(c) > widths[i] {
			cells[i] = Wrap(c, widths[i])
		}
		height = max(height, len(cells[i]))
	}
	for n := range height {
		var line strings.Builder
		for i := range row {
			c := ""
			if n < len(cells[i]) {
				c = cells[i][n]
			}
			pad := strings.Repeat(" ", max(widths[i]-Width(c), 0))
			if t.columns[i] == 'r' {
				c, pad = pad+c, ""
			}
			line.WriteString(c + pad + strings.Repeat(" ", gap))
		}
		if err := writeLine(w, strings.TrimRight(line.String(), " "), heading); err != nil {
			return err
		}
	}
	return nil
}

// writeLine writes a line, which may be a heading.
func writeLine(w io.Writer, text string, heading bool) error {
	if !heading {
		_, err := fmt.Fprintln(w, text)
		return err
	}
	if err := Heading(w, text); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// lists prints each row as lines of a column's header and the cell, with an empty line between two rows.
func (t *Table) lists(w io.Writer) error {
	header, rows := make([]string, len(t.columns)), t.rows
	if t.headed {
		header, rows = t.rows[0], t.rows[1:]
	}
	width := 0
	for _, h := range header {
		width = max(width, Width(h))
	}
	for k, row := range rows {
		if k > 0 {
			fmt.Fprintln(w)
		}
		for i, c := range row {
			if c == "" {
				continue
			}
			lead := header[i] + strings.Repeat(" ", width-Width(header[i])+gap)
			if err := Hang(w, lead, c); err != nil {
				return err
			}
		}
	}
	return nil
}
