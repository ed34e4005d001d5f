package tablefile

import (
	"errors"
	"io"
	"os"
)

// lines is a delimited text as a source. All its rows have as many cells as the first.
type lines struct {
	*scanner
	file    *textFile
	names   []string
	width   int
	pending [][]byte // a first row that is no header
}

func openLines(file *os.File, delimiter rune, header bool, encoding string) (source, error) {
	f, err := openText(file)
	if err != nil {
		return nil, err
	}
	l := &lines{scanner: newScanner(decoded(f.Reader, encoding), file.Name(), delimiter), file: f}
	if err := l.readFirst(header); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

func (l *lines) readFirst(header bool) error {
	cells, err := l.scanner.next()
	if errors.Is(err, io.EOF) {
		if header {
			return l.place(1, 1).fault("the file is empty; its first row should name the columns")
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
	l.names = make([]string, len(cells))
	for i, c := range cells {
		l.names[i] = string(c)
	}
	return nil
}

func (l *lines) columns() ([]string, int) { return l.names, l.width }

func (l *lines) want([]int) error { return nil }

func (l *lines) next() ([][]byte, error) {
	if cells := l.pending; cells != nil {
		l.pending = nil
		return cells, nil
	}
	cells, err := l.scanner.next()
	if err == nil && len(cells) != l.width {
		return nil, raggedError(l.at(min(len(cells), l.width)), len(cells), l.width)
	}
	return cells, err
}

func (l *lines) Close() error { return l.file.Close() }
