package tablefile

import (
	"context"

	"resolwe/format/table"
)

// Rows are those of one file, to be read one after the other. The caller closes.
type Rows interface {
	// Columns returns the names of the columns, nil where they have none, and their number; 0 of a file without rows.
	Columns() ([]string, int)
	// Unread returns the type of a column that is not read, whose cells are empty; "" for columns of numbers, texts, dates or times.
	Unread(column int) string
	// Next returns the cells of the next row, of the wanted columns at least, valid until the next call; io.EOF behind the
	// last row.
	Next() ([][]byte, error)
	Close() error
}

// OpenRows opens a file as it is. Of the spec only Delimiter, Encoding, NoHeader and Nulls count. Errors are those of [Reader.Load],
// also later, when the context has ended.
func (r *Reader) OpenRows(ctx context.Context, path string, of *table.Spec) (Rows, error) {
	src, err := (*spec)(of).open(ctx, r, path)
	if err != nil {
		return nil, err
	}
	var wanted []int
	_, width := src.Columns()
	for i := range width {
		if src.Unread(i) == "" {
			wanted = append(wanted, i)
		}
	}
	if err := src.want(wanted); err != nil {
		_ = src.Close() // it is the first error that counts
		return nil, err
	}
	return src, nil
}
