package tablefile

import (
	"context"
	"errors"
	"io"
	"os"
)

// lines is a delimited text as a source. All its rows have as many cells as the first.
type lines struct {
	*scanner
	file    io.Closer
	names   []string
	width   int
	pending [][]byte // a first row that is no header
}

func openLines(ctx context.Context, f *os.File, delimiter rune, header bool, encoding string, quotes func() bool) (*lines, error) {
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
	l := &lines{scanner: newScanner(decoded(text.Reader, encoding), spend, quotes, f.Name(), delimiter), file: f}
	if err := l.readFirst(header); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
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
		return cells, nil
	}
	cells, err := l.next()
	if err != nil || len(cells) == l.width {
		return cells, err
	}
	remedy := "is a delimiter within a cell? Put that cell in quotes, or choose another delimiter"
	if len(cells) < l.width {
		remedy = "complete the row"
	}
	return nil, fault(l.at(min(len(cells), l.width)), "a row of %d cells where the first has %d; %s", len(cells), l.width, remedy)
}

// Close closes the file.
func (l *lines) Close() error { return l.file.Close() }
