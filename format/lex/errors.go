package lex

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"resolwe/internal/printable"
)

// maxErrors is the most errors that one run reports.
const maxErrors = 10

// Diagnostic is a message about a position in a source file.
type Diagnostic struct {
	Pos  Position
	Line string // text of the source line, "" if there is none
	Msg  string
	Hint string // a name that may have been meant, "" if none is near
}

// String returns "file:line:column: message", then the source line with a caret under the column.
func (d Diagnostic) String() string {
	var b strings.Builder
	b.WriteString(d.Pos.String())
	if d.Pos != (Position{}) {
		b.WriteString(": ")
	}
	b.WriteString(d.Msg)
	if d.Hint != "" {
		fmt.Fprintf(&b, "; did you mean %q?", d.Hint)
	}
	if d.Line == "" || d.Pos.Column < 1 {
		return b.String()
	}
	text, before := printable.Excerpt(d.Line, offset(d.Line, d.Pos.Column-1))
	b.WriteString("\n" + text + "\n" + printable.Caret(text, before))
	return b.String()
}

// offset returns the length in bytes of a line's first n characters.
func offset(line string, n int) int {
	for i := range line {
		if n == 0 {
			return i
		}
		n--
	}
	return len(line)
}

// Error is an error in a source. Every error of a parser is one, or an [ErrorList] of them.
type Error interface {
	error
	At() Diagnostic // the position and the message
}

// ErrorList holds the errors of a source, at least one and at most ten, sorted by position.
type ErrorList []Error //nolint:errname // a list, named as in go/scanner

// Error returns the errors, one after the other.
func (l ErrorList) Error() string {
	return errors.Join(l.Unwrap()...).Error()
}

// Unwrap returns the single errors.
func (l ErrorList) Unwrap() []error {
	out := make([]error, len(l))
	for i, e := range l {
		out[i] = e
	}
	return out
}

// Fault is the common part of error types, which embed it.
type Fault struct { //nolint:errname // a part of errors, which carry the names
	Diagnostic
	Err error // the cause, such as a file that cannot be read; or nil
}

// Error returns the message with its position, the source line and a caret.
func (f Fault) Error() string { return f.String() }

// Unwrap returns the cause.
func (f Fault) Unwrap() error { return f.Err }

// At returns the position and the message.
func (f Fault) At() Diagnostic { return f.Diagnostic }

// SyntaxError reports text that does not follow the grammar.
type SyntaxError struct{ Fault }

// Sources keeps the lines of the files read, for diagnostics.
type Sources map[string][]string

// Add keeps the text of a file.
func (s Sources) Add(file, text string) { s[file] = strings.Split(text, "\n") }

// maxQuoted is how many bytes of a name or token a message quotes.
const maxQuoted = 200

// At returns a message about a position; if an argument is an error, that is its cause. Long names are clipped.
func (s Sources) At(pos Position, format string, args ...any) Fault {
	f := Fault{Diagnostic: Diagnostic{Pos: pos, Line: s.line(pos)}}
	args = slices.Clone(args)
	for i, a := range args {
		switch a := a.(type) {
		case error:
			f.Err = a
		case string:
			args[i] = printable.Clip(a, maxQuoted)
		case fmt.Stringer:
			args[i] = printable.Clip(a.String(), maxQuoted)
		}
	}
	f.Msg = fmt.Sprintf(format, args...)
	return f
}

// Near is At with a hint: the name of among that is nearest to name.
func (s Sources) Near(name string, among []string, pos Position, format string, args ...any) Fault {
	f := s.At(pos, format, args...)
	f.Hint = Suggest(name, among)
	return f
}

// Syntax returns a syntax error at a position.
func (s Sources) Syntax(pos Position, format string, args ...any) *SyntaxError {
	return &SyntaxError{s.At(pos, format, args...)}
}

// line returns the source line of a position.
func (s Sources) line(pos Position) string {
	lines := s[pos.File]
	if pos.Line < 1 || pos.Line > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[pos.Line-1], "\r")
}

// Collector gathers the errors of a run without duplicates. The zero value is empty.
type Collector struct {
	list []Error
	seen map[string]bool
}

// Add keeps an error unless it is a duplicate or there are enough.
func (c *Collector) Add(e Error) {
	d := e.At()
	key := d.Pos.String() + "\x00" + d.Msg
	if c.seen[key] || c.Full() {
		return
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[key] = true
	c.list = append(c.list, e)
}

// Len returns the number of errors.
func (c *Collector) Len() int { return len(c.list) }

// Full reports whether there are more errors than will be reported.
func (c *Collector) Full() bool { return len(c.list) >= 4*maxErrors }

// Err returns the first errors by position as an [ErrorList], nil if there are none.
func (c *Collector) Err() error {
	if len(c.list) == 0 {
		return nil
	}
	slices.SortStableFunc(c.list, func(a, b Error) int { return a.At().Pos.Compare(b.At().Pos) })
	return ErrorList(c.list[:min(len(c.list), maxErrors)])
}
