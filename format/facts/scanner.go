package facts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"resolwe/format/archive"
	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/internal/input"
)

// scanner reads a text line by line, and the tokens of a line.
type scanner struct {
	path    string
	in      *archive.Reader
	maxLine int    // longest line in bytes, without its end
	long    []byte // memory for a line that does not fit the buffer of in

	text []byte      // the line
	pos  int         // offset in text of the next byte
	row  int         // number of the line, from 1
	open *InputError // set to the block comment that this line does not close
	name []byte      // scratch of quoted
}

// newScanner starts reading a text, plain or in an archive, after its byte order mark.
func newScanner(r io.Reader, path string) (*scanner, error) {
	in, err := archive.NewReader(r, path)
	s := &scanner{path: path, in: in, maxLine: 64 << 20}
	if err != nil {
		return nil, s.failure(err)
	}
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" { // an error of Peek is returned again with the first line
		_, _ = in.Discard(len(mark))
	}
	head, _ := in.Peek(in.Buffered()) // no more, as a pipe may wait
	if wrong := lex.Misread(head); wrong != "" {
		s.row = 1
		return nil, s.fault(0, "%s", wrong)
	}
	return s, nil
}

// failure adds the path to an error of reading the file.
func (s *scanner) failure(err error) error {
	if errors.As(err, new(*CorruptError)) {
		return err
	}
	return fmt.Errorf("%s: %w", s.path, err)
}

// blame checks a malformed text for damage of its archive, using the checksums after the text, and returns that damage if it finds any.
func (s *scanner) blame(err error) error {
	if errors.As(err, new(InputError)) && s.in.Packed {
		if _, damage := io.Copy(io.Discard, s.in); damage != nil {
			return s.failure(damage)
		}
	}
	return err
}

// mark is a position in the file; line and column count from 1.
type mark struct{ line, column int }

func (s *scanner) position(m mark) mln.Position {
	return mln.Position{File: s.path, Line: m.line, Column: m.column}
}

// load moves to the next line that holds more than blanks and comments. It returns io.EOF after the last line.
func (s *scanner) load() error {
	for {
		if err := s.nextLine(); err != nil {
			return err
		}
		if err := s.in.Spend(1); err != nil {
			return s.failure(err)
		}
		if s.skip(); !s.end() {
			return nil
		}
	}
}

func (s *scanner) nextLine() error {
	line, err := input.Line(s.in.Reader, &s.long, s.maxLine)
	switch long := errors.Is(err, input.ErrLong); {
	case errors.Is(err, io.EOF) && s.open != nil:
		return *s.open
	case errors.Is(err, io.EOF):
		return io.EOF
	case err != nil && !long:
		return s.failure(err)
	default:
		s.text, s.pos = line, 0
		if s.row++; long {
			return s.fault(0, "a line of more than %d bytes", s.maxLine)
		}
	}
	if s.open != nil {
		s.closeComment()
	}
	return nil
}

// skip skips blanks and comments. A comment that continues on the next line ends this one.
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

// comment skips a comment, and reports whether there was one.
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

// closeComment moves past the end of a block comment, or to the end of the line if the comment continues.
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

// take consumes byte c, and reports whether it came next.
func (s *scanner) take(c byte) bool {
	if !s.at(c) {
		return false
	}
	s.pos++
	return true
}

// word consumes a name, or other letters, digits and underscores. The result may be empty.
func (s *scanner) word() []byte {
	start := s.pos
	s.pos += lex.NameLen(s.text[start:])
	return s.text[start:s.pos]
}

func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

func isLetter(c byte) bool { return isUpper(c) || c >= 'a' && c <= 'z' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// constant consumes the name of an entity and returns it unquoted; the bytes are valid until the next call.
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

// number consumes a number and returns its name unquoted; the bytes are valid until the next call.
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

// delimited reports whether the next byte can follow a name.
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

// quoted consumes a quoted name and returns it unescaped.
func (s *scanner) quoted() ([]byte, error) {
	start := s.pos
	name, n, closed := lex.AppendUnquoted(s.name[:0], s.text[start:])
	s.name, s.pos = name, start+n
	switch {
	case !closed && !s.end():
		return nil, s.fault(s.pos, "a backslash that begins no escape; there are %s", lex.Escapes)
	case !closed:
		return nil, s.fault(start, `the name is not closed: expected " on the same line`)
	case !utf8.Valid(s.text[start:s.pos]):
		return nil, s.fault(start, "the name is not UTF-8")
	case !s.delimited():
		return nil, s.expected("a blank, a comma or a bracket behind the name")
	}
	return name, nil
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

// unknown returns the error for a name that is not among the known ones of its kind.
func (s *scanner) unknown(offset int, kind, name string, among []string) InputError {
	f := s.fault(offset, "unknown %s %s", kind, clip(name))
	f.Hint = lex.Suggest(name, among)
	return f
}

// expected returns an error that says what should come next and what does.
func (s *scanner) expected(what string) error {
	return s.fault(s.pos, "expected %s, found %s", what, s.found())
}

// lineEnd returns an error unless the line ends here.
func (s *scanner) lineEnd() error {
	if s.skip(); !s.end() {
		return s.expected("the end of the line")
	}
	return nil
}

// found describes what comes next.
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
