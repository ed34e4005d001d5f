package facts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"resolwe/format/lex"
	"resolwe/format/mln"
)

// scanner reads a text line by line, and the tokens of a line.
type scanner struct {
	src  *source
	text []byte      // the line
	pos  int         // offset in text of what comes next
	row  int         // number of the line, from 1
	open *InputError // at a block comment that this line does not close
	name []byte      // scratch of quoted
}

// mark is a place in the file of a scanner; both count from 1.
type mark struct{ line, column int }

func (s *scanner) position(m mark) mln.Position {
	return mln.Position{File: s.src.path, Line: m.line, Column: m.column}
}

// load goes to the next line that holds more than blanks and comments. It returns io.EOF after the last one.
func (s *scanner) load() error {
	for {
		if err := s.nextLine(); err != nil {
			return err
		}
		if s.skip(); !s.end() {
			return nil
		}
	}
}

func (s *scanner) nextLine() error {
	line, err := s.src.line()
	if errors.Is(err, io.EOF) && s.open != nil {
		return *s.open
	}
	if err != nil && !errors.Is(err, errLineTooLong) {
		return err
	}
	s.text, s.pos = line, 0
	s.row++
	if err != nil {
		return s.fault(0, "a line of more than %d bytes", s.src.maxLine)
	}
	if s.open != nil {
		s.closeComment()
	}
	return nil
}

// skip passes over blanks and comments. A comment that does not end on the line ends the line.
func (s *scanner) skip() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t':
			s.pos++
		case '/':
			if !s.comment() {
				return
			}
		default:
			return
		}
	}
}

// comment passes over a comment, and reports whether one begins here.
func (s *scanner) comment() bool {
	start := s.pos
	switch rest := s.text[start:]; {
	case bytes.HasPrefix(rest, []byte("//")):
		s.pos = len(s.text)
		return true
	case bytes.HasPrefix(rest, []byte("/*")):
		s.pos += len("/*")
		if !s.closeComment() {
			open := s.fault(start, "the comment is not closed: expected */")
			s.open = &open
		}
		return true
	}
	return false
}

// closeComment goes behind the end of a block comment, or to the end of the line that does not hold it.
func (s *scanner) closeComment() bool {
	i := bytes.Index(s.text[s.pos:], []byte("*/"))
	if i < 0 {
		s.pos = len(s.text)
		return false
	}
	s.pos += i + len("*/")
	s.open = nil
	return true
}

func (s *scanner) end() bool { return s.pos == len(s.text) }

// at reports whether byte c comes next.
func (s *scanner) at(c byte) bool { return s.pos < len(s.text) && s.text[s.pos] == c }

// take passes over byte c, and reports whether it came next.
func (s *scanner) take(c byte) bool {
	if !s.at(c) {
		return false
	}
	s.pos++
	return true
}

// word passes over letters, digits and underscores. It is empty where none comes next.
func (s *scanner) word() []byte {
	start := s.pos
	for s.pos < len(s.text) && isWord(s.text[s.pos]) {
		s.pos++
	}
	return s.text[start:s.pos]
}

func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

func isLetter(c byte) bool { return isUpper(c) || c >= 'a' && c <= 'z' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// constant passes over the name of an entity and returns it, unquoted; the bytes are valid until the next call.
func (s *scanner) constant() ([]byte, error) {
	if s.at('"') {
		return s.quoted()
	}
	start := s.pos
	word := s.word()
	if len(word) == 0 {
		return nil, s.expected("a constant (an upper-case letter or a digit first, or quoted)")
	}
	if !isUpper(word[0]) && !isDigit(word[0]) {
		return nil, s.fault(start, "%s is no constant: constants begin with an upper-case letter or a digit, or are quoted", clip(string(word)))
	}
	if !s.delimited() {
		return nil, s.fault(s.pos, "%s in a name: names with other characters than letters, digits and _ are quoted", s.found())
	}
	return word, nil
}

// number passes over the name of a number and returns it, unquoted; the bytes are valid until the next call.
func (s *scanner) number() ([]byte, error) {
	if s.at('"') {
		return s.quoted()
	}
	start := s.pos
	for !s.delimited() {
		s.pos++
	}
	if s.pos == start {
		return nil, s.expected("a number")
	}
	return s.text[start:s.pos], nil
}

// delimited reports whether what comes next can follow a name.
func (s *scanner) delimited() bool {
	if s.end() {
		return true
	}
	switch s.text[s.pos] {
	case ' ', '\t', ',', '(', ')', '=', '/':
		return true
	}
	return false
}

// maxEscape is the length of the longest escape, \U and eight digits.
const maxEscape = 10

// quoted passes over a quoted name and returns what it stands for.
func (s *scanner) quoted() ([]byte, error) {
	start := s.pos
	s.name = s.name[:0]
	for s.pos++; !s.end(); {
		switch {
		case s.take('"'):
			return s.name, s.checkQuoted(start)
		case s.at('\\'):
			text, n := lex.Unescape(string(s.text[s.pos:min(s.pos+maxEscape, len(s.text))]))
			if n == 0 {
				return nil, s.fault(s.pos, "a backslash that begins no escape; there are %s", lex.Escapes)
			}
			s.name = append(s.name, text...)
			s.pos += n
		default:
			s.name = append(s.name, s.text[s.pos])
			s.pos++
		}
	}
	return nil, s.fault(start, `the name is not closed: expected " on the same line`)
}

func (s *scanner) checkQuoted(start int) error {
	if !utf8.Valid(s.text[start:s.pos]) {
		return s.fault(start, "the name is not UTF-8")
	}
	if !s.delimited() {
		return s.expected("a blank, a comma or a bracket behind the name")
	}
	return nil
}

// mark returns the line and column of an offset in the line.
func (s *scanner) mark(offset int) mark {
	return mark{line: s.row, column: 1 + utf8.RuneCount(s.text[:offset])}
}

// fault returns an error at an offset in the line.
func (s *scanner) fault(offset int, format string, args ...any) InputError {
	pos := s.position(s.mark(offset))
	return InputError{Diagnostic: lex.Diagnostic{Pos: pos, Line: string(s.text), Msg: fmt.Sprintf(format, args...)}}
}

// unknown returns the error of a name that is not among those of its kind.
func (s *scanner) unknown(offset int, kind, name string, among []string) InputError {
	f := s.fault(offset, "unknown %s %s", kind, clip(name))
	f.Hint = lex.Suggest(name, among)
	return f
}

// expected says what should come next and what does.
func (s *scanner) expected(what string) error {
	return s.fault(s.pos, "expected %s, found %s", what, s.found())
}

// lineEnd expects the end of the line.
func (s *scanner) lineEnd() error {
	if s.skip(); !s.end() {
		return s.expected("the end of the line")
	}
	return nil
}

// found names what comes next.
func (s *scanner) found() string {
	if s.end() {
		return "the end of the line"
	}
	r, size := utf8.DecodeRune(s.text[s.pos:])
	if r == utf8.RuneError && size == 1 {
		return fmt.Sprintf("byte %#x", s.text[s.pos])
	}
	return strconv.QuoteRune(r)
}
