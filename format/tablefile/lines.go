package tablefile

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"resolwe/format/table"
)

// lines is a delimited text as a source. All its rows have as many cells as the first, unless it is ragged.
type lines struct {
	*scanner
	file    io.Closer
	names   []string
	width   int
	pending [][]byte // a first row that is no header
	rows    int
	short   int   // how many rows lack cells
	ragged  error // of the first one
}

func openLines(ctx context.Context, f *os.File, layout table.Layout, quotes func() bool) (*lines, error) {
	l, err := newLines(ctx, f, layout, quotes)
	if err != nil {
		return nil, err
	}
	if err := l.readFirst(!layout.NoHeader); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// newLines returns the lines of a file, of which none is read yet.
func newLines(ctx context.Context, f *os.File, layout table.Layout, quotes func() bool) (*lines, error) {
	text, err := openText(f)
	if err != nil {
		return nil, err
	}
	spend := func(items int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return text.Spend(items)
	}
	return &lines{scanner: newScanner(decoded(text.Reader, layout.Encoding), spend, quotes, f.Name(), layout), file: f}, nil
}

func (l *lines) readFirst(header bool) error {
	cells, err := l.next()
	if errors.Is(err, io.EOF) {
		if header {
			return fault(l.place(1, 1), "the file is empty; its first row should name the columns")
		}
		return nil
	}
	if err != nil {
		return err
	}
	l.width = len(cells)
	if !header {
		l.pending = cells
		return nil
	}
	for _, c := range cells {
		l.names = append(l.names, string(c))
	}
	return nil
}

// Columns returns the cells of the header.
func (l *lines) Columns() ([]string, int) { return l.names, l.width }

// Unread returns "".
func (l *lines) Unread(int) string { return "" }

func (l *lines) want([]int) error { return nil }

// Next returns a row, which has to be as wide as the first.
func (l *lines) Next() ([][]byte, error) {
	if cells := l.pending; cells != nil {
		l.pending = nil
		l.rows++
		return cells, nil
	}
	cells, err := l.next()
	switch {
	case errors.Is(err, io.EOF) && l.isTooRagged():
		return nil, l.ragged
	case err != nil:
		return nil, err
	}
	if l.rows++; len(cells) != l.width {
		return l.fit(cells)
	}
	return cells, nil
}

// isTooRagged reports whether more rows lack cells than [table.Layout] allows.
func (l *lines) isTooRagged() bool {
	const manyRows, oneIn = 20, 100
	return l.short > l.rows/oneIn && (l.short > 1 || l.rows < manyRows)
}

// fit returns a row that is not as wide as the first as one that is, where the text may be ragged.
func (l *lines) fit(cells [][]byte) ([][]byte, error) {
	remedy := "is a delimiter within a cell? Put that cell in quotes, or choose another delimiter"
	short := len(cells) < l.width
	if short {
		remedy = "complete the row"
		l.short++
	}
	err := fault(l.At(min(len(cells), l.width)), "a row of %d cells where the first has %d; %s", len(cells), l.width, remedy)
	if !l.Ragged || !short && slices.ContainsFunc(cells[l.width:], func(c []byte) bool { return len(c) > 0 }) {
		return nil, err
	}
	if l.needed.Ragged = true; short && l.ragged == nil {
		l.ragged = err
	}
	for len(cells) < l.width {
		cells = append(cells, nil)
	}
	return cells[:l.width], nil
}

// Needed returns which allowances have mattered.
func (l *lines) Needed() table.Layout { return l.needed }

// Close closes the file.
func (l *lines) Close() error { return l.file.Close() }
