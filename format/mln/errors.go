package mln

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxErrors is how many errors one run reports.
const maxErrors = 10

// Diagnostic is a message about a place in a source file.
type Diagnostic struct {
	Pos  Position
	Line string // text of the source line, "" where there is none
	Msg  string
	Hint string // a name that may have been meant, "" where none is near
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
	fmt.Fprintf(&b, "\n%s\n%s^", d.Line, blank(d.Line, d.Pos.Column-1))
	return b.String()
}

// blank returns white space as wide as the first n characters of the line, which keeps its tabs.
func blank(line string, n int) string {
	var b strings.Builder
	for _, r := range line {
		if n--; n < 0 {
			break
		}
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String() + strings.Repeat(" ", max(n, 0))
}

// String returns "file:line:column", without the parts that are not known.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// compare orders positions by file, line and column.
func (p Position) compare(q Position) int {
	return cmp.Or(strings.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Error is what is wrong with a model. Every error of this package is one, or an [ErrorList] of them.
type Error interface {
	error
	At() Diagnostic // the place and the message
}

// ErrorList holds the errors of a model, sorted by position: at least one and at most ten.
type ErrorList []Error //nolint:errname // a list, named as in go/scanner

// Error returns the errors, one after the other.
func (l ErrorList) Error() string {
	parts := make([]string, len(l))
	for i, e := range l {
		parts[i] = e.Error()
	}
	return strings.Join(parts, "\n")
}

// Unwrap returns the single errors.
func (l ErrorList) Unwrap() []error {
	out := make([]error, len(l))
	for i, e := range l {
		out[i] = e
	}
	return out
}

// modelError is what all errors of a model share.
type modelError struct{ Diagnostic }

// Error returns the message with its place, the source line and a caret.
func (e modelError) Error() string { return e.String() }

// At returns the place and the message.
func (e modelError) At() Diagnostic { return e.Diagnostic }

type (
	// SyntaxError is a text that is not of the language. Expected says what could have stood there, "" where that says nothing.
	SyntaxError struct {
		modelError
		Expected string
	}
	// UnknownPredicateError is a formula's predicate, or template, that nothing declares.
	UnknownPredicateError struct {
		modelError
		Name string
	}
	// ArityError is a predicate or template with more or fewer arguments than declared.
	ArityError struct {
		modelError
		Name      string
		Got, Want int
	}
	// TypeConflictError is a variable with two types, or a comparison of two types.
	TypeConflictError struct {
		modelError
		Variable string
		First    Position // where the first type comes from
	}
	// UnboundVariableError is a variable that no atom mentions, so that it has no type.
	UnboundVariableError struct {
		modelError
		Variable string
	}
	// DeclarationError is a declaration that contradicts an earlier one.
	DeclarationError struct {
		modelError
		Name     string
		Previous Position
	}
	// TemplateRecursionError is a template that uses itself.
	TemplateRecursionError struct {
		modelError
		Cycle []string // from the template back to itself
	}
	// TemplateUseError is a template in a head or under a negation.
	TemplateUseError struct {
		modelError
		Name string
	}
	// WeightPeriodError is a formula with both a weight and a final period.
	WeightPeriodError struct{ modelError }
	// FunctionError is a function, which the language does not have.
	FunctionError struct{ modelError }
	// StarError is Alchemy's * before a literal, which the language does not have.
	StarError struct{ modelError }
	// ExclusiveError is Alchemy's ! after a variable of a declaration, which the language does not have.
	ExclusiveError struct{ modelError }
	// PlusError is a + before a variable that has no constants to stand for.
	PlusError struct {
		modelError
		Variable string
	}
	// UnknownTypeError is a + before a variable whose type no type line describes.
	UnknownTypeError struct {
		modelError
		Type string
	}
	// TargetError is a named target that is no predicate, or a model that marks its targets itself.
	TargetError struct {
		modelError
		Name string
	}
	// RangeError is a number beyond its range.
	RangeError struct{ modelError }
	// LimitError is a model beyond the limits of size, which guard against runaway expansion.
	LimitError struct{ modelError }
	// IncludeError is a file that cannot be included.
	IncludeError struct {
		modelError
		Err error
	}
	// HeadError is an evidence literal in the head of a candidate.
	HeadError struct {
		modelError
		Literal string
	}
	// NoTargetError is a candidate without a target literal.
	NoTargetError struct{ modelError }
	// ShapeError is an unweighted formula that is neither a conjunction nor an implication between conjunctions.
	ShapeError struct{ modelError }
)

// Unwrap returns why the file cannot be read.
func (e *IncludeError) Unwrap() error { return e.Err }

// sources keeps the lines of the files that were read, for diagnostics.
type sources map[string][]string

// at returns a message about a place.
func (s sources) at(pos Position, format string, args ...any) modelError {
	return modelError{Diagnostic{Pos: pos, Line: s.line(pos), Msg: fmt.Sprintf(format, args...)}}
}

// near is at with the name of among that is near to name as its hint.
func (s sources) near(name string, among []string, pos Position, format string, args ...any) modelError {
	e := s.at(pos, format, args...)
	e.Hint = Suggest(name, among)
	return e
}

// line returns the text of a place's line.
func (s sources) line(pos Position) string {
	lines := s[pos.File]
	if pos.Line < 1 || pos.Line > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[pos.Line-1], "\r")
}

// collector gathers the errors of a run, each once.
type collector struct {
	list []Error
	seen map[string]bool
}

func (c *collector) add(e Error) {
	d := e.At()
	key := d.Pos.String() + "\x00" + d.Msg
	if c.seen[key] || c.full() {
		return
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[key] = true
	c.list = append(c.list, e)
}

// full reports whether there are more errors than will be reported.
func (c *collector) full() bool { return len(c.list) >= 4*maxErrors }

// err returns the first errors by position, nil where there are none.
func (c *collector) err() error {
	if len(c.list) == 0 {
		return nil
	}
	slices.SortStableFunc(c.list, func(a, b Error) int { return a.At().Pos.compare(b.At().Pos) })
	return ErrorList(c.list[:min(len(c.list), maxErrors)])
}
