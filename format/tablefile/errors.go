package tablefile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"resolwe/format/archive"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/printable"
)

// UsageError is a table that is asked for in a wrong way: the recipe or the files' names have to change.
type UsageError struct {
	Pos     mln.Position // of the table in its recipe
	Table   string
	Message string
	Err     error // [fs.ErrNotExist] where there is no such file
}

// Error says what is wrong.
func (e *UsageError) Error() string {
	head := ""
	if p := e.Pos; p.File != "" {
		head = fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Column)
	}
	return head + "table " + e.Table + ": " + e.Message
}

// IsUsage reports true.
func (e *UsageError) IsUsage() bool { return true }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// missing is a file that does not exist, or a pattern that no file matches; hint is a file with a name like it.
func (s *spec) missing(path, hint string) error {
	what := "there is no such file"
	if hasWildcard(path) {
		what = "no file matches"
	}
	if hint == "" {
		what += "; correct its name, or say in which folder the tables are"
	}
	return &UsageError{s.Pos, s.Name, path + ": " + what + didYouMean(hint), fs.ErrNotExist}
}

// unread is a column whose values are not read.
func (s *spec) unread(file, name, typ string) error {
	remedy := "write it as numbers, strings, dates or timestamps"
	if strings.EqualFold(typ, "list") {
		remedy = fmt.Sprintf("make a table with a row for each element, in DuckDB: COPY (SELECT KEY, unnest(%q) AS element FROM '%s') TO 'elements.parquet', "+
			"where KEY is the column that names the row", clip(name), filepath.Base(file))
	}
	return s.fault("%s: column %q is of type %s, which is not read; %s", file, clip(name), typ, remedy)
}

// shownColumns is how many names of columns a message gives.
const shownColumns = 20

// listed quotes the names of columns.
func listed(names []string) string {
	have := make([]string, 0, shownColumns+1)
	for _, name := range names[:min(len(names), shownColumns)] {
		have = append(have, strconv.Quote(clip(name)))
	}
	if len(names) > shownColumns {
		have = append(have, "..")
	}
	return strings.Join(have, ", ")
}

// DamageError is a file that does not hold what it should. It matches [subgraph.ErrCorrupt].
type DamageError struct {
	// Pos is where the damage lies: a line and column of a text, both from 1; a row, from 1, and column 0 of a Parquet file. Line is 0
	// where it is the file as a whole.
	Pos     mln.Position
	Message string
	Err     error // [ErrChanged], or what is wrong with an archive; else nil
}

// ErrChanged is a file that was written to, replaced or removed while it was read.
var ErrChanged = errors.New("the file changed while it was read; run this again once nothing writes to it")

// Error says where the damage is, what it is, and what to do.
func (e *DamageError) Error() string { return Place(e.Pos) + ": " + e.Message }

// Place returns a place in a table as messages have it: file.csv:3:5, or file.parquet: row 3 where there are no columns of a text.
func Place(at mln.Position) string {
	switch {
	case at.Column > 0:
		return fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Column)
	case at.Line > 0:
		return fmt.Sprintf("%s: row %d", at.File, at.Line)
	}
	return at.File
}

// Unwrap returns the cause.
func (e *DamageError) Unwrap() error { return e.Err }

// Is makes damage match [subgraph.ErrCorrupt].
func (e *DamageError) Is(target error) bool { return target == subgraph.ErrCorrupt }

func fault(at mln.Position, format string, args ...any) error {
	return &DamageError{Pos: at, Message: fmt.Sprintf(format, args...)}
}

// readingError tells a damaged file from one that the system cannot read.
func readingError(at mln.Position, err error) error {
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		return err
	}
	if c, ok := errors.AsType[*subgraph.CorruptError](err); ok {
		err = c.Err // at is the place in the text
	}
	if errors.Is(err, archive.ErrBomb) {
		return &DamageError{at, err.Error(), err}
	}
	return &DamageError{at, fmt.Sprintf("the file is cut off or damaged (%v); fetch or make it again", err), err}
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
