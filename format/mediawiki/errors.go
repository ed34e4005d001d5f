package mediawiki

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"resolwe/format/subgraph"
)

// CorruptError is a dump that is damaged or truncated, or is not what it should be. It matches [subgraph.ErrCorrupt].
type CorruptError struct {
	Path    string
	Offset  int64 // in bytes: of the unpacked text, or of the archive
	Archive bool  // the archive cannot be unpacked
	Err     error // [io.ErrUnexpectedEOF] where it is truncated
}

// Error gives the path, the offset and the cause, and says what to do about a file that did not arrive whole.
func (e *CorruptError) Error() string {
	what, remedy := "byte", ""
	if e.Archive {
		what = "archive at byte"
	}
	if e.Archive || errors.Is(e.Err, io.ErrUnexpectedEOF) {
		remedy = "; fetch the file again"
	}
	return fmt.Sprintf("%s: %s %d: %v%s", e.Path, what, e.Offset, e.Err, remedy)
}

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

// Is makes the error match subgraph.ErrCorrupt whatever it wraps.
func (e *CorruptError) Is(target error) bool { return target == subgraph.ErrCorrupt }

// SchemaError is an SQL dump without the table or a column that is read from it.
type SchemaError struct {
	Path    string
	Table   string
	Columns []string // any of these would do; empty where the table is missing
	Have    []string // the columns of the table, or the tables of the dump
}

// Error says what is missing and what is there.
func (e *SchemaError) Error() string {
	var b strings.Builder
	if len(e.Columns) == 0 {
		fmt.Fprintf(&b, "%s: no table %s in this dump", e.Path, e.Table)
	} else {
		fmt.Fprintf(&b, "%s: table %s has no column %s", e.Path, e.Table, strings.Join(e.Columns, " or "))
	}
	if len(e.Have) > 0 {
		fmt.Fprintf(&b, "; there is %s", strings.Join(e.Have, ", "))
	}
	return b.String()
}

// IsUsage reports true: another file has to be given.
func (e *SchemaError) IsUsage() bool { return true }

// OptionError says that options do not fit together.
type OptionError struct{ Message string }

// Error says what to do.
func (e *OptionError) Error() string { return e.Message }

// IsUsage reports true.
func (e *OptionError) IsUsage() bool { return true }

// errTooLong says that a tag, a text or a value is longer than any in a dump.
var errTooLong = errors.New("too long for a dump of MediaWiki")
