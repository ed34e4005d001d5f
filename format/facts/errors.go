package facts

import (
	"fmt"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/printable"
)

// InputError is an error in the text of a file: all errors of this package but [CorruptError] and those of the
// underlying reader are of this kind.
type InputError interface {
	error
	// Position returns the place at which the error lies.
	Position() mln.Position
	// IsInput reports true.
	IsInput() bool
}

// Place is where an error lies, with the line as it is shown below the message.
type Place struct {
	Pos    mln.Position
	Source string // the line; the neighbourhood of Pos where it is long. Control characters are escaped
	Caret  int    // code points of Source before Pos
}

// Position returns the place at which the error lies.
func (p *Place) Position() mln.Position { return p.Pos }

// IsInput reports true: what was read is wrong, not the reading.
func (p *Place) IsInput() bool { return true }

// message puts the position before a message, and the line with a caret below it.
func (p *Place) message(format string, args ...any) string {
	var b strings.Builder
	b.WriteString(position(p.Pos) + ": ")
	fmt.Fprintf(&b, format, args...)
	b.WriteString("\n" + p.Source + "\n" + printable.Caret(p.Source, p.Caret))
	return b.String()
}

func position(p mln.Position) string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// SyntaxError is a line that is not of the language.
type SyntaxError struct {
	Place
	Message string
}

// Error gives the position, what was expected, and the line.
func (e *SyntaxError) Error() string { return e.message("%s", e.Message) }

// UnknownNameError is a fact of a predicate, or an entity of a type, that the schema lacks.
type UnknownNameError struct {
	Place
	Kind string // predicate or type
	Name string
	Hint string // a name like it, "" where there is none
}

// Error gives the position, the name and the hint, and the line.
func (e *UnknownNameError) Error() string {
	return e.message("unknown %s %s%s", e.Kind, clip(e.Name), didYouMean(e.Hint))
}

// NumberError is an entity of type number whose name is no finite number.
type NumberError struct {
	Place
	Name string
}

// Error gives the position and the name, and the line.
func (e *NumberError) Error() string {
	return e.message("%q is no finite number", clip(e.Name))
}

func didYouMean(hint string) string {
	if hint == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", hint)
}

// ArityError is a fact with too few or too many arguments.
type ArityError struct {
	Place
	Predicate string
	Got, Want int
}

// Error gives the position, both numbers of arguments, and the line.
func (e *ArityError) Error() string {
	noun := "arguments"
	if e.Want == 1 {
		noun = "argument"
	}
	return e.message("%s takes %d %s, not %d", clip(e.Predicate), e.Want, noun, e.Got)
}

// UnknownOnEvidenceError is an atom of an evidence predicate whose truth is left open.
type UnknownOnEvidenceError struct {
	Place
	Predicate string
}

// Error gives the position, the predicate, and the line.
func (e *UnknownOnEvidenceError) Error() string {
	return e.message("? on %s, an evidence predicate: only atoms of target predicates can be unknown", clip(e.Predicate))
}

// ConflictError is an atom that one subgraph states with two truth values. Its place is the later statement, its
// source that statement without what else stands on the line.
type ConflictError struct {
	Place
	Atom       string
	Truth      subgraph.Truth
	First      mln.Position // of the earlier statement
	FirstTruth subgraph.Truth
}

// Error gives both positions and both truth values.
func (e *ConflictError) Error() string {
	return e.message("%s is stated %v, but %v at %s", e.Atom, e.Truth, e.FirstTruth, position(e.First))
}

// DuplicateNameError is a subgraph with the name of an earlier one of the file.
type DuplicateNameError struct {
	Place
	Name  string
	First mln.Position // of the earlier name
}

// Error gives the name and both positions, and the line.
func (e *DuplicateNameError) Error() string {
	return e.message("there is a subgraph %s already, at %s", clip(e.Name), position(e.First))
}

// CorruptError is a gzip or zstd archive that is damaged or truncated. It matches [subgraph.ErrCorrupt].
type CorruptError struct {
	Path   string
	Record int   // position in the file of the subgraph that was being read, from 0
	Offset int64 // bytes of the archive that had been read
	Err    error
}

// Error gives the path, the record, the offset and the cause.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s: record %d, archive at byte %d: %v", e.Path, e.Record, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

// Is makes the error match subgraph.ErrCorrupt whatever it wraps.
func (e *CorruptError) Is(target error) bool { return target == subgraph.ErrCorrupt }

const clipLength = 80 // bytes of a name in a message

// newPlace returns a position as the place of a byte offset in its line.
func newPlace(pos mln.Position, line []byte, offset int) Place {
	p := Place{Pos: pos}
	p.Source, p.Caret = printable.Excerpt(string(line), offset)
	return p
}

// clip shortens a name of the input for a message.
func clip(name string) string {
	return printable.Escape(printable.Clip(name, clipLength))
}
