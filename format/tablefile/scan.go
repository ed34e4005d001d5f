package tablefile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/input"
	"resolwe/internal/printable"
)

const (
	readSize   = 256 << 10 // bytes
	maxRow     = 16 << 20  // bytes
	maxColumns = 1 << 16
)

// scanner splits delimited text into rows of cells, as in RFC 4180. Lines end with \n or \r\n; empty lines are skipped.
type scanner struct {
	in        *bufio.Reader
	spend     func(items int) error // see [archive.Reader.Spend]; or the error of a context
	file      string
	delimiter []byte
	quotes    func() bool // reports whether cells may be quoted, once there are quotes

	line   int      // number of the last line read, from 1
	first  int      // number of the line on which the row begins
	row    []byte   // its text, with \n between its lines
	quoted bool     // the row has quotes
	starts []int    // offsets in the row at which cells begin, and at which one more would
	cells  [][]byte // without their quotes

	long, lines, text []byte // memory for a long line, a row of several lines, and cells with doubled quotes
}

func newScanner(r io.Reader, spend func(int) error, quotes func() bool, file string, delimiter rune) *scanner {
	s := &scanner{
		in: bufio.NewReaderSize(r, readSize), spend: spend, file: file,
		delimiter: utf8.AppendRune(nil, delimiter), quotes: quotes,
	}
	if mark, _ := s.in.Peek(3); string(mark) == "\xef\xbb\xbf" { // reading the first line repeats an error of Peek
		_, _ = s.in.Discard(len(mark))
	}
	return s
}

// next returns the cells of the next row, valid until the next call, or io.EOF after the last row.
func (s *scanner) next() (cells [][]byte, err error) {
	for s.row = nil; len(s.row) == 0; {
		if s.row, err = s.readLine(); err != nil {
			return nil, err
		}
	}
	s.first, s.starts, s.cells, s.lines, s.text = s.line, s.starts[:0], s.cells[:0], s.lines[:0], s.text[:0]
	s.quoted = bytes.IndexByte(s.row, '"') >= 0 && s.quotes()
	for at := 0; at <= len(s.row); at += len(s.delimiter) {
		if s.starts = append(s.starts, at); len(s.starts) > maxColumns {
			return nil, fault(s.place(s.first, 1), "a row of more than %d cells; is this no table?", maxColumns)
		}
		if at, err = s.end(at); err != nil {
			return nil, err
		}
	}
	s.starts = append(s.starts, len(s.row)+len(s.delimiter))
	for i, begin := range s.starts[:len(s.starts)-1] {
		s.cells = append(s.cells, s.unquoted(s.row[begin:s.starts[i+1]-len(s.delimiter)]))
	}
	return s.cells, s.count(len(s.cells))
}

// count notes lines or cells of the last line. The error says that there are too many, or is that of the context.
func (s *scanner) count(items int) error {
	err := s.spend(items)
	if errors.Is(err, subgraph.ErrCorrupt) {
		return readingError(s.place(s.line, 1), err)
	}
	return err
}

// end returns the end of the cell that begins at an offset of the row. It reads more lines if the cell is quoted and spans them.
func (s *scanner) end(begin int) (int, error) {
	rest := s.row[begin:]
	if !s.quoted || len(rest) == 0 || rest[0] != '"' {
		end := bytes.Index(rest, s.delimiter)
		if end < 0 {
			end = len(rest)
		}
		if s.quoted {
			if quote := bytes.IndexByte(rest[:end], '"'); quote >= 0 {
				return 0, fault(s.position(begin+quote), "a quote within a cell that does not begin with one; put the cell in quotes and double those in it")
			}
		}
		return begin + end, nil
	}
	for from := begin + 1; ; {
		quote := bytes.IndexByte(s.row[from:], '"')
		if quote < 0 {
			from = len(s.row)
			if err := s.extend(begin); err != nil {
				return 0, err
			}
			continue
		}
		end := from + quote + 1
		switch rest := s.row[end:]; {
		case len(rest) == 0 || bytes.HasPrefix(rest, s.delimiter):
			return end, nil
		case rest[0] != '"':
			return 0, fault(s.position(end), "text behind a closing quote; double the quotes within a cell")
		}
		from = end + 1
	}
}

// extend adds the next line to the row, for a quoted cell that begins at an offset.
func (s *scanner) extend(begin int) error {
	if len(s.row) > maxRow {
		return s.tooLong(s.position(begin).Line)
	}
	if len(s.lines) == 0 {
		s.lines = append(s.lines, s.row...)
		s.row = s.lines // the next line may overwrite the memory of the first
	}
	line, err := s.readLine()
	if errors.Is(err, io.EOF) {
		return fault(s.position(begin), "a quote that nothing closes; close it, or double the quotes within a cell")
	}
	s.lines = append(append(s.lines, '\n'), line...)
	s.row = s.lines
	return err
}

// isQuoted reports whether a cell of the last row is in quotes.
func (s *scanner) isQuoted(cell int) bool {
	return s.quoted && bytes.HasPrefix(s.row[s.starts[cell]:], []byte{'"'})
}

// unquoted returns a cell without its quotes.
func (s *scanner) unquoted(cell []byte) []byte {
	if !s.quoted || len(cell) == 0 || cell[0] != '"' {
		return cell
	}
	if cell = cell[1 : len(cell)-1]; bytes.IndexByte(cell, '"') < 0 {
		return cell
	}
	begin := len(s.text)
	for part := range bytes.SplitSeq(cell, []byte(`""`)) {
		s.text = append(append(s.text, part...), '"')
	}
	return s.text[begin : len(s.text)-1]
}

// readLine returns the next line without its end, valid until the next call.
func (s *scanner) readLine() ([]byte, error) {
	line, err := input.Line(s.in, &s.long, maxRow)
	switch {
	case errors.Is(err, io.EOF):
		return nil, err
	case errors.Is(err, input.ErrLong):
		return nil, s.tooLong(s.line + 1)
	case err != nil:
		return nil, readingError(s.place(s.line+1, 1), err)
	}
	s.line++
	if err := s.count(1); err != nil {
		return nil, err
	}
	if !utf8.Valid(line) {
		at := s.place(s.line, 1+utf8.RuneCountInString(printable.Valid(string(line))))
		return nil, fault(at, "the text is not UTF-8 here; where it is Latin-1, write encoding \"latin1\" behind the file's name in the recipe")
	}
	if before, _, found := bytes.Cut(line, []byte{0}); found {
		return nil, fault(s.place(s.line, 1+utf8.RuneCount(before)), "the text has a NUL byte here; "+
			"remove it, or where the text is UTF-16, write encoding \"utf16le\" behind the file's name in the recipe")
	}
	return line, nil
}

// at returns the position of a cell of the last row, or of the row's end if the cell is missing.
func (s *scanner) at(cell int) mln.Position { return s.position(s.starts[min(cell, len(s.starts)-1)]) }

// position returns the position of a byte of the row, or of the row's end.
func (s *scanner) position(offset int) mln.Position {
	before := s.row[:min(offset, len(s.row))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return s.place(s.first+bytes.Count(before, []byte("\n")), 1+utf8.RuneCount(line))
}

func (s *scanner) place(line, column int) mln.Position {
	return mln.Position{File: s.file, Line: line, Column: column}
}

func (s *scanner) tooLong(line int) error {
	return fault(s.place(line, 1), "a row of more than %d MiB; is a quote not closed, or is this no table?", maxRow>>20)
}
