package tablefile

import (
	"context"
	"errors"
	"io"

	"resolwe/format/mln"
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
	// Needed returns which allowances of the layout have mattered so far: Trim and Ragged.
	Needed() table.Layout
	// At returns the place of a cell of the last row.
	At(column int) mln.Position
	Close() error
}

// OpenRows opens a file as it is. Of the spec only Layout, Nulls and the folders of Glob count. Errors are those of [Reader.Load],
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

// Lines returns the first lines of a text file, n at most and about size bytes, of which each may be of 16 MiB. Errors are those of [Reader.Load].
func (r *Reader) Lines(ctx context.Context, path string, of *table.Spec, n, size int) (text []string, err error) {
	f, err := r.open(path, (*spec)(of))
	if err != nil {
		return nil, err
	}
	l, err := newLines(ctx, f, table.Layout{Delimiter: ",", Encoding: of.Encoding}, nil)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	for len(text) < n && size > 0 {
		line, err := l.readLine()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return text, err
		}
		text, size = append(text, string(line)), size-len(line)
	}
	return text, nil
}
