package tablefile

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// unquote cuts a row into cells whose first line, which it is given, has quotes. It reads further lines where a cell
// goes over several.
func (s *scanner) unquote(line []byte) error {
	s.text, s.ends, s.starts = s.text[:0], s.ends[:0], s.starts[:0]
	c := cursor{line: line}
	for {
		s.starts = append(s.starts, start{s.line, c.column()})
		if len(s.starts) > maxColumns {
			return s.tooWide()
		}
		if err := s.unquoteCell(&c); err != nil {
			return err
		}
		s.ends = append(s.ends, len(s.text))
		if c.at == len(c.line) {
			break
		}
		c.at += len(s.delimiter)
	}
	s.starts = append(s.starts, start{s.line, c.column()})
	begin := 0
	for _, end := range s.ends {
		s.cells = append(s.cells, s.text[begin:end])
		begin = end
	}
	return nil
}

// unquoteCell appends one cell to the text. The cursor moves to the delimiter behind it, or to the end of the row.
func (s *scanner) unquoteCell(c *cursor) error {
	if rest := c.line[c.at:]; len(rest) == 0 || rest[0] != '"' {
		cell, _, _ := bytes.Cut(rest, s.delimiter)
		if quote := bytes.IndexByte(cell, '"'); quote >= 0 {
			c.at += quote
			return s.badQuote(c, "a quote within a cell that does not begin with one; put the cell in quotes and double those in it")
		}
		s.text = append(s.text, cell...)
		c.at += len(cell)
		return nil
	}
	opening := s.starts[len(s.starts)-1]
	c.at++
	for {
		rest := c.line[c.at:]
		quote := bytes.IndexByte(rest, '"')
		if quote < 0 {
			s.text = append(append(s.text, rest...), '\n')
			if err := s.nextLine(c, opening); err != nil {
				return err
			}
			continue
		}
		s.text = append(s.text, rest[:quote]...)
		c.at += quote + 1
		switch rest = c.line[c.at:]; {
		case len(rest) == 0 || bytes.HasPrefix(rest, s.delimiter):
			return nil
		case rest[0] != '"':
			return s.badQuote(c, "text behind a closing quote; double the quotes within a cell")
		}
		s.text = append(s.text, '"')
		c.at++
	}
}

// nextLine moves the cursor to the next line of a quoted cell.
func (s *scanner) nextLine(c *cursor, opening start) error {
	if len(s.text) > maxRow {
		return s.tooLong(opening.line)
	}
	line, err := s.readLine()
	if errors.Is(err, io.EOF) {
		return s.place(opening.line, opening.column).fault("a quote that nothing closes; close it, or double the quotes within a cell")
	}
	*c = cursor{line: line}
	return err
}

func (s *scanner) badQuote(c *cursor, message string) error {
	return s.place(s.line, c.column()).fault("%s", message)
}

// cursor is a place in a line.
type cursor struct {
	line    []byte
	at      int // bytes before it
	runes   int // code points before counted
	counted int
}

// column returns the column of code points, from 1.
func (c *cursor) column() int {
	c.runes += utf8.RuneCount(c.line[c.counted:c.at])
	c.counted = c.at
	return 1 + c.runes
}
