package tablefile

import (
	"errors"
	"io"

	"resolwe/format/table"
)

// MaxRow is the length of the longest row.
const MaxRow = maxRow

// Scan returns the rows of a text, and the error that ended it.
func Scan(r io.Reader, delimiter rune) ([][]string, error) {
	s := newScanner(r, func(int) error { return nil }, func() bool { return delimiter != '\t' }, "f", table.Layout{Delimiter: string(delimiter)})
	var rows [][]string
	for {
		cells, err := s.next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = string(c)
		}
		rows = append(rows, row)
	}
}

// ParseFloat reads a number.
var ParseFloat = parseFloat
