package table

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// UsageError is a table that is asked for in a wrong way: the recipe or the files' names have to change.
type UsageError interface {
	error
	Position() mln.Position // of the table in its recipe
	IsUsage() bool          // true
}

// DamageError is a file that does not hold what it should. It matches [subgraph.ErrCorrupt].
type DamageError interface {
	error
	Position() mln.Position
	Is(target error) bool
}

// SpecError is a table that cannot be.
type SpecError struct {
	Pos     mln.Position
	Table   string
	Message string
}

// Error says what is wrong.
func (e *SpecError) Error() string { return inRecipe(e.Pos, e.Table) + e.Message }

// Position returns the table's place in its recipe.
func (e *SpecError) Position() mln.Position { return e.Pos }

// IsUsage reports true.
func (e *SpecError) IsUsage() bool { return true }

// FileError is a file that does not exist, or a pattern that no file matches. It matches [fs.ErrNotExist].
type FileError struct {
	Pos   mln.Position
	Table string
	Path  string
	Hint  string // a file with a name like it, "" where there is none
}

// Error names the file.
func (e *FileError) Error() string {
	what := "there is no such file"
	if hasWildcard(e.Path) {
		what = "no file matches"
	}
	if e.Hint == "" {
		what += "; correct its name, or say in which folder the tables are"
	}
	return fmt.Sprintf("%s%s: %s%s", inRecipe(e.Pos, e.Table), e.Path, what, didYouMean(e.Hint))
}

// Position returns the table's place in its recipe.
func (e *FileError) Position() mln.Position { return e.Pos }

// IsUsage reports true.
func (e *FileError) IsUsage() bool { return true }

// Unwrap returns [fs.ErrNotExist].
func (e *FileError) Unwrap() error { return fs.ErrNotExist }

// ColumnError is a column that a file lacks, or has twice.
type ColumnError struct {
	Pos    mln.Position
	Table  string
	File   string
	Column Ref
	Twice  bool
	Hint   string   // a column with a name like it, "" where there is none
	Have   []string // the columns' names, empty for a file without a header
	Width  int      // the number of columns
}

// shownColumns is how many names of columns a message gives.
const shownColumns = 20

// Error names the column and the ones that there are.
func (e *ColumnError) Error() string {
	head := inRecipe(e.Pos, e.Table) + e.File + ": "
	if e.Twice {
		return fmt.Sprintf("%stwo columns are named %q; say #n", head, clip(e.Column.Header))
	}
	if e.Column.Header == "" {
		return fmt.Sprintf("%sthere is no column #%d; the file has %d", head, e.Column.Index, e.Width)
	}
	have := make([]string, 0, shownColumns+1)
	for _, name := range e.Have {
		if len(have) == shownColumns {
			have = append(have, "..")
			break
		}
		have = append(have, strconv.Quote(clip(name)))
	}
	return fmt.Sprintf("%sthere is no column %q%s; the file has: %s", head, e.Column.Header, didYouMean(clip(e.Hint)), strings.Join(have, ", "))
}

// Position returns the table's place in its recipe.
func (e *ColumnError) Position() mln.Position { return e.Pos }

// IsUsage reports true.
func (e *ColumnError) IsUsage() bool { return true }

// Place is where in a file the damage lies: a line and column of a text, both from 1; a row, from 1, and column 0 of a
// Parquet file. Line is 0 where it is the file as a whole.
type Place struct{ Pos mln.Position }

// Position returns the place of the damage.
func (p Place) Position() mln.Position { return p.Pos }

// Is makes damage match [subgraph.ErrCorrupt].
func (p Place) Is(target error) bool { return target == subgraph.ErrCorrupt }

func (p Place) message(format string, args ...any) string {
	head := p.Pos.File
	switch {
	case p.Pos.Column > 0:
		head += fmt.Sprintf(":%d:%d", p.Pos.Line, p.Pos.Column)
	case p.Pos.Line > 0:
		head += fmt.Sprintf(": row %d", p.Pos.Line)
	}
	return head + ": " + fmt.Sprintf(format, args...)
}

// HeaderError is an empty file that should have a header.
type HeaderError struct{ Place }

// Error says what is missing.
func (e *HeaderError) Error() string {
	return e.message("the file is empty; its first row should name the columns")
}

// RaggedError is a row with more or fewer cells than the first.
type RaggedError struct {
	Place
	Got, Want int
}

// Error gives both numbers.
func (e *RaggedError) Error() string {
	if e.Got < e.Want {
		return e.message("a row of %d cells where the first has %d; complete the row", e.Got, e.Want)
	}
	return e.message("a row of %d cells where the first has %d; is a delimiter within a cell? Put that cell in quotes, "+
		"or choose another delimiter", e.Got, e.Want)
}

// ValueError is a cell that cannot be read as its column should.
type ValueError struct {
	Place
	Column string // the column's name in its file, or #n
	Text   string // what the cell holds
	Want   string // what it should
}

// Error gives the cell, and what it should hold.
func (e *ValueError) Error() string {
	what := "the cell is empty, it should hold " + e.Want
	if e.Text != "" {
		what = fmt.Sprintf("%q is not %s", clip(e.Text), e.Want)
	}
	return e.message("column %q: %s; correct the cell or leave out the row", clip(e.Column), what)
}

// EncodingError is a text that is not UTF-8.
type EncodingError struct{ Place }

// Error says what to do.
func (e *EncodingError) Error() string {
	return e.message("the text is not UTF-8 here; convert the file, as with: iconv -f LATIN1 -t UTF-8")
}

// QuoteError is a cell whose quotes do not match.
type QuoteError struct {
	Place
	Message string
}

// Error says what is wrong.
func (e *QuoteError) Error() string { return e.message("%s", e.Message) }

// LimitError is a row that is longer or wider than any should be.
type LimitError struct {
	Place
	Message string
}

// Error says what is too long.
func (e *LimitError) Error() string { return e.message("%s", e.Message) }

// ArchiveError is a .gz, .zst, .bz2 or Parquet file that is cut off or damaged, behind the line or row that Pos gives.
type ArchiveError struct {
	Place
	Err error
}

// Error says what is wrong with the archive.
func (e *ArchiveError) Error() string {
	return e.message("the file is cut off or damaged (%v); fetch or make it again", e.Err)
}

// Unwrap returns the cause.
func (e *ArchiveError) Unwrap() error { return e.Err }

// readingError tells a damaged file from one that the system cannot read.
func readingError(p Place, err error) error {
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		return err
	}
	return &ArchiveError{p, err}
}

// inRecipe is the beginning of a message about a table.
func inRecipe(p mln.Position, table string) string {
	head := ""
	if p.File != "" {
		head = fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Column)
	}
	return head + "table " + table + ": "
}

func didYouMean(hint string) string {
	if hint == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", hint)
}

// shownBytes is how much of a text from a file a message gives.
const shownBytes = 60

// clip shortens a text from a file.
func clip(s string) string {
	if len(s) <= shownBytes {
		return s
	}
	cut := shownBytes
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + ".."
}
