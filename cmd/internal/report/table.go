package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is text in columns. Columns are aligned as the letters say, l to the left and r to the right.
type Table struct {
	columns string
	rows    [][]string
}

// NewTable begins a table with its header.
func NewTable(columns string, header ...string) *Table {
	return &Table{columns, [][]string{header}}
}

// Row adds a row.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, row)
}

// Write prints the table, without white space at the ends of lines.
func (t *Table) Write(w io.Writer) error {
	widths := make([]int, len(t.columns))
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for _, row := range t.rows {
		var line strings.Builder
		for i, c := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if t.columns[i] == 'r' {
				c, pad = pad+c, ""
			}
			line.WriteString(c + pad + "  ")
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}
