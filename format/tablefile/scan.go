package tablefile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/internal/input"
	"resolwe/internal/printable"
)

const (
	readSize   = 256 << 10 // bytes
	maxRow     = 16 << 20  // bytes
	maxColumns = 1 << 16
)

// scanner splits delimited text into rows of cells, as in RFC 4180. Lines end with \n or \r\n, or all with \r; empty lines are skipped.
type scanner struct {
	table.Layout
	in        *bufio.Reader
	spend     func(items int) error // see [archive.Reader.Spend]; or the error of a context
	file      string
	delimiter []byte
	blanks    bool        // runs of blanks and tabs are between cells
	quotes    func() bool // reports whether cells may be quoted, once there are quotes

	line   int          // number of the last line read, from 1
	first  int          // number of the line on which the row begins
	row    []byte       // its text, with \n between its lines
	quoted bool         // the row has quotes
	needed table.Layout // see [Rows.Needed]
	starts []int        // offsets in the row at which cells begin, and at which one more would
	cells  [][]byte     // without their quotes

	long, lines, text []byte // memory for a long line, a row of several lines, and cells with doubled quotes
}

func newScanner(r io.Reader, spend func(int) error, quotes func() bool, file string, layout table.Layout) *scanner {
	s := &scanner{
		Layout: layout, in: bufio.NewReaderSize(r, readSize), spend: spend, file: file,
		delimiter: []byte(layout.Delimiter), blanks: layout.Delimiter == table.Blanks, quotes: quotes,
	}
	s.Trim = s.Trim || s.blanks
	if mark, _ := s.in.Peek(3); string(mark) == "\xef\xbb\xbf" { // reading the first line repeats an error of Peek
		_, _ = s.in.Discard(len(mark))
	}
	if start, _ := s.in.Peek(readSize); bytes.IndexByte(start, '\n') < 0 && bytes.IndexByte(start, '\r') >= 0 {
		s.in = bufio.NewReaderSize(&returns{s.in}, readSize)
	}
	return s
}

// returns is a text whose lines end with \r, as on old Macs, with \n for these.
type returns struct{ in io.Reader }

func (r *returns) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// next returns the cells of the next row, valid until the next call, or io.EOF after the last row.
func (s *scanner) next() (cells [][]byte, err error) {
	for s.row = nil; len(s.row) == 0; {
		if s.row, err = s.readLine(); err != nil {
			return nil, err
		}
		if s.passes(s.row) {
			s.row = nil
		}
	}
	s.first, s.starts, s.cells, s.lines, s.text = s.line, s.starts[:0], s.cells[:0], s.lines[:0], s.text[:0]
	s.quoted = bytes.IndexByte(s.row, '"') >= 0 && s.quotes()
	if s.quoted || s.blanks || len(s.delimiter) > 1 {
		err = s.splitQuoted()
	} else {
		err = s.split()
	}
	if err != nil {
		return nil, err
	}
	return s.cells, s.count(len(s.cells))
}

// split splits a row without quotes at a delimiter of one byte.
func (s *scanner) split() error {
	delimiter := s.delimiter[0]
	for at, end := 0, 0; end >= 0; at += end + 1 {
		if s.starts = append(s.starts, at); len(s.starts) > maxColumns {
			return s.tooWide()
		}
		cell := s.row[at:]
		if end = bytes.IndexByte(cell, delimiter); end >= 0 {
			cell = cell[:end]
		}
		if s.Trim {
			cell = s.unquoted(cell)
		}
		s.cells = append(s.cells, cell)
	}
	s.starts = append(s.starts, len(s.row)+1)
	return nil
}

// splitQuoted splits any row.
func (s *scanner) splitQuoted() (err error) {
	at := 0
	if s.blanks {
		s.row = bytes.TrimRight(s.row, " \t")
		at = s.passBlanks(0)
	}
	for at <= len(s.row) {
		if s.starts = append(s.starts, at); len(s.starts) > maxColumns {
			return s.tooWide()
		}
		if at, err = s.end(at); err != nil {
			return err
		}
		if at += len(s.delimiter); s.blanks {
			at = s.passBlanks(at)
		}
	}
	s.starts = append(s.starts, len(s.row)+len(s.delimiter))
	for i, begin := range s.starts[:len(s.starts)-1] {
		s.cells = append(s.cells, s.unquoted(s.row[begin:s.starts[i+1]-len(s.delimiter)]))
	}
	return nil
}

// passes reports whether a line is no row: one of the first ones that are passed over, a comment, or blank where that is empty.
func (s *scanner) passes(line []byte) bool {
	if s.line <= s.Skip || s.Comment != "" && bytes.HasPrefix(line, []byte(s.Comment)) {
		return true
	}
	blank := s.Trim && len(line) > 0 && len(bytes.TrimSpace(line)) == 0
	s.needed.Trim = s.needed.Trim || blank && !s.blanks
	return blank
}

// passBlanks returns the offset behind blanks and tabs, except a delimiter, at an offset of the row.
func (s *scanner) passBlanks(at int) int {
	for at < len(s.row) && (s.row[at] == ' ' || s.row[at] == '\t') && (s.blanks || s.row[at] != s.delimiter[0]) {
		at++
	}
	return at
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
	if s.Trim && s.quoted {
		begin = s.passBlanks(begin)
	}
	rest := s.row[begin:]
	if !s.quoted || len(rest) == 0 || rest[0] != '"' {
		end := s.indexDelimiter(rest)
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
		if s.Escape && escaped(s.row[from:end-1]) {
			from = end
			continue
		}
		stop := end
		if s.Trim {
			stop = s.passBlanks(end)
		}
		switch rest := s.row[stop:]; {
		case s.blanks && stop > end:
			return end, nil
		case len(rest) == 0 || s.indexDelimiter(rest) == 0:
			return stop, nil
		case stop > end || rest[0] != '"':
			return 0, fault(s.position(end), "text behind a closing quote; double the quotes within a cell")
		}
		from = end + 1
	}
}

// indexDelimiter returns the offset of the first delimiter in the rest of a row, or of its end.
func (s *scanner) indexDelimiter(rest []byte) int {
	var at int
	switch {
	case s.blanks:
		at = bytes.IndexAny(rest, " \t")
	case len(s.delimiter) == 1:
		at = bytes.IndexByte(rest, s.delimiter[0])
	default:
		at = bytes.Index(rest, s.delimiter)
	}
	if at < 0 {
		return len(rest)
	}
	return at
}

// escaped reports whether a text ends with a backslash that none escapes.
func escaped(text []byte) bool {
	return (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1
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

// unquoted returns a cell without its quotes, or without the blanks around it where these do not count.
func (s *scanner) unquoted(cell []byte) []byte {
	if s.Trim {
		bare := bytes.TrimSpace(cell)
		s.needed.Trim = s.needed.Trim || len(bare) < len(cell) && !s.blanks
		cell = bare
	}
	if !s.quoted || len(cell) == 0 || cell[0] != '"' {
		return cell
	}
	cell = cell[1 : len(cell)-1]
	if bytes.IndexByte(cell, '"') < 0 && (!s.Escape || bytes.IndexByte(cell, '\\') < 0) {
		return cell
	}
	begin := len(s.text)
	for i := 0; i < len(cell); i++ {
		if next := i + 1; next < len(cell) && (cell[i] == '"' || s.Escape && cell[i] == '\\') && (cell[next] == '"' || cell[next] == cell[i]) {
			i = next
		}
		s.text = append(s.text, cell[i])
	}
	return s.text[begin:]
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
	if err := s.count(1); err != nil || s.line <= s.Skip {
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

// At returns the position of a cell of the last row, or of the row's end if the cell is missing.
func (s *scanner) At(cell int) mln.Position { return s.position(s.starts[min(cell, len(s.starts)-1)]) }

// position returns the position of a byte of the row, or of the row's end.
func (s *scanner) position(offset int) mln.Position {
	before := s.row[:min(offset, len(s.row))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return s.place(s.first+bytes.Count(before, []byte("\n")), 1+utf8.RuneCount(line))
}

func (s *scanner) place(line, column int) mln.Position {
	return mln.Position{File: s.file, Line: line, Column: column}
}

func (s *scanner) tooWide() error {
	return fault(s.place(s.first, 1), "a row of more than %d cells; is this no table?", maxColumns)
}

func (s *scanner) tooLong(line int) error {
	return fault(s.place(line, 1), "a row of more than %d MiB; is a quote not closed, or is this no table?", maxRow>>20)
}
