package tablefile

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/internal/printable"
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

// Asked is where a table is asked for.
type Asked struct {
	Pos   mln.Position // in its recipe
	Table string
}

// Position returns the table's place in its recipe.
func (a *Asked) Position() mln.Position { return a.Pos }

// IsUsage reports true.
func (a *Asked) IsUsage() bool { return true }

// SpecError is a table that cannot be.
type SpecError struct {
	Asked
	Message string
}

// Error says what is wrong.
func (e *SpecError) Error() string { return inRecipe(e.Pos, e.Table) + e.Message }

// FileError is a file that does not exist, or a pattern that no file matches. It matches [fs.ErrNotExist].
type FileError struct {
	Asked
	Path string
	Hint string // a file with a name like it, "" where there is none
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

// Unwrap returns [fs.ErrNotExist].
func (e *FileError) Unwrap() error { return fs.ErrNotExist }

// shownColumns is how many names of columns a message gives.
const shownColumns = 20

// listed quotes the names of columns.
func listed(names []string) string {
	have := make([]string, 0, shownColumns+1)
	for _, name := range names {
		if len(have) == shownColumns {
			have = append(have, "..")
			break
		}
		have = append(have, strconv.Quote(clip(name)))
	}
	return strings.Join(have, ", ")
}

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

// ContentError is a file whose text, or whose cells, are not what they should be.
type ContentError struct {
	Place
	Message string
}

// Error says what is wrong and what to do.
func (e *ContentError) Error() string { return e.message("%s", e.Message) }

// valueError is a cell of a column, named as in its file or #n, that does not hold what it should.
func valueError(p Place, column, cell, want string) error {
	return &ContentError{p, fmt.Sprintf("column %q: %q is not %s; correct the cell or leave out the row", clip(column), clip(cell), want)}
}

// emptyError is an empty cell of a column that is not optional.
func emptyError(p Place, column, want string, c *table.ColumnSpec) error {
	return &ContentError{p, fmt.Sprintf("column %q: the cell is empty, it should hold %s; where cells may be empty, write: optional %s",
		clip(column), want, written(c))}
}

// written returns a column as a recipe has it.
func written(c *table.ColumnSpec) string {
	refs := make([]string, len(c.Refs))
	for i, r := range c.Refs {
		if refs[i] = r.String(); r.Header != "" && !lex.IsName(r.Header) {
			refs[i] = strconv.Quote(r.Header)
		}
	}
	text := strings.Join(refs, ", ")
	if c.Form != "" {
		text += " as " + strconv.Quote(c.Form)
	}
	switch {
	case c.Func != "":
		return c.Func + "(" + text + ")"
	case c.Prefix != "":
		return c.Prefix + ":" + text
	}
	return text
}

// encodingError is a text that is not UTF-8.
func encodingError(p Place, remedy string) error {
	return &ContentError{p, "the text is not UTF-8 here; " + remedy}
}

const sayEncoding = "where it is Latin-1, write encoding \"latin1\" behind the file's name in the recipe"

// nulError is a text with a NUL byte, which other programs take for its end.
func nulError(p Place, remedy string) error {
	return &ContentError{p, "the text has a NUL byte here; " + remedy}
}

const sayUTF16 = "remove it, or where the text is UTF-16, write encoding \"utf16le\" behind the file's name in the recipe"

// raggedError is a row with more or fewer cells than the first.
func raggedError(p Place, got, want int) error {
	text := fmt.Sprintf("a row of %d cells where the first has %d; ", got, want)
	if got < want {
		return &ContentError{p, text + "complete the row"}
	}
	return &ContentError{p, text + "is a delimiter within a cell? Put that cell in quotes, or choose another delimiter"}
}

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

// ChangedError is a file that was written to, replaced or removed while it was read.
type ChangedError struct{ Place }

// Error says what to do.
func (e *ChangedError) Error() string {
	return e.message("the file changed while it was read; run this again once nothing writes to it")
}

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
func clip(s string) string { return printable.Clip(s, shownBytes) }
