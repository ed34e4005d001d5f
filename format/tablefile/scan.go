package tablefile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"resolwe/format/mln"
)

const (
	maxRow     = 16 << 20 // bytes
	maxColumns = 1 << 16
)

// scanner splits a delimited text into rows of cells, as RFC 4180 has it. Lines end with \n or \r\n; empty ones are
// passed over.
type scanner struct {
	in        *bufio.Reader
	file      string
	delimiter []byte
	quotes    bool // cells may be quoted

	line  int      // number of the last line read, from 1
	long  []byte   // a line that does not fit the reader's buffer
	cells [][]byte // of the row

	first  int     // the line at which the row begins
	quoted bool    // the rest is of a row with quotes
	text   []byte  // the cells without their quotes
	ends   []int   // of the cells in text
	starts []start // where the cells begin, and where the row ends
}

// start is a line, from 1, and a column of code points, from 1.
type start struct{ line, column int }

func newScanner(r io.Reader, file string, delimiter rune) *scanner {
	s := &scanner{
		in: bufio.NewReaderSize(r, readSize), file: file,
		delimiter: utf8.AppendRune(nil, delimiter), quotes: delimiter != '\t',
	}
	if mark, _ := s.in.Peek(3); string(mark) == "\xef\xbb\xbf" { // an error of Peek comes again with the first line
		_, _ = s.in.Discard(len(mark))
	}
	return s
}

// next returns the cells of the next row, valid until the next call, and io.EOF behind the last one.
func (s *scanner) next() ([][]byte, error) {
	var line []byte
	for len(line) == 0 {
		var err error
		if line, err = s.readLine(); err != nil {
			return nil, err
		}
	}
	s.first, s.cells = s.line, s.cells[:0]
	s.quoted = s.quotes && bytes.IndexByte(line, '"') >= 0
	split := s.split
	if s.quoted {
		split = s.unquote
	}
	if err := split(line); err != nil {
		return nil, err
	}
	return s.cells, nil
}

// split cuts a line without quotes into cells.
func (s *scanner) split(line []byte) error {
	if len(s.delimiter) > 1 {
		s.cells = bytes.SplitN(line, s.delimiter, maxColumns+1)
		if len(s.cells) > maxColumns {
			return s.tooWide()
		}
		return nil
	}
	begin, d := 0, s.delimiter[0]
	for i, c := range line {
		if c != d {
			continue
		}
		if len(s.cells) == maxColumns-1 {
			return s.tooWide()
		}
		s.cells = append(s.cells, line[begin:i])
		begin = i + 1
	}
	s.cells = append(s.cells, line[begin:])
	return nil
}

// readLine returns the next line without its end, valid until the next call.
func (s *scanner) readLine() ([]byte, error) {
	line, err := s.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = s.readLong(line)
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return nil, s.ending(err)
	}
	s.line++
	line = bytes.TrimSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if !utf8.Valid(line) {
		return nil, encodingError(s.place(s.line, 1+validRunes(line)), sayEncoding)
	}
	if nul := bytes.IndexByte(line, 0); nul >= 0 {
		return nil, nulError(s.place(s.line, 1+utf8.RuneCount(line[:nul])), sayUTF16)
	}
	return line, nil
}

// readLong reads on where a line does not fit the reader's buffer.
func (s *scanner) readLong(part []byte) ([]byte, error) {
	s.long = append(s.long[:0], part...)
	for {
		part, err := s.in.ReadSlice('\n')
		s.long = append(s.long, part...)
		if len(s.long) > maxRow {
			s.line++
			return nil, s.tooLong(s.line)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return s.long, err
		}
	}
}

// ending returns what ended the text: io.EOF where it is the end.
func (s *scanner) ending(err error) error {
	_, long := errors.AsType[*DamageError](err)
	if long || errors.Is(err, io.EOF) {
		return err
	}
	return readingError(s.place(s.line+1, 1), err)
}

// validRunes counts the code points before the first byte that is not UTF-8.
func validRunes(b []byte) int {
	n := 0
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			break
		}
		b = b[size:]
		n++
	}
	return n
}

// at returns the place of a cell of the last row, of the row's end for a cell that it lacks.
func (s *scanner) at(cell int) Place {
	if s.quoted {
		p := s.starts[min(cell, len(s.starts)-1)]
		return s.place(p.line, p.column)
	}
	before := 0
	for _, c := range s.cells[:min(cell, len(s.cells))] {
		before += utf8.RuneCount(c) + 1
	}
	if cell >= len(s.cells) {
		before-- // no delimiter behind the last one
	}
	return s.place(s.first, 1+before)
}

func (s *scanner) place(line, column int) Place {
	return Place{mln.Position{File: s.file, Line: line, Column: column}}
}

func (s *scanner) tooLong(line int) error {
	return s.place(line, 1).fault("a row of more than %d MiB; is a quote not closed, or is this no table?", maxRow>>20)
}

func (s *scanner) tooWide() error {
	return s.place(s.first, 1).fault("a row of more than %d cells; is this no table?", maxColumns)
}
