package mediawiki

import (
	"errors"
	"fmt"
	"io"

	"resolwe/format/subgraph"
)

// CorruptError reports a dump that is damaged, truncated, or not of the expected kind. It matches [subgraph.ErrCorrupt].
type CorruptError struct {
	Path    string
	Offset  int64 // in bytes, in the unpacked text or in the archive
	Archive bool  // the archive cannot be unpacked
	Err     error // [io.ErrUnexpectedEOF] if it is truncated
}

// Error gives the path, the offset and the cause, and advises on a file that did not arrive whole.
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

// OptionError says that options conflict, or that an SQL dump lacks the table or a column that is needed.
type OptionError struct{ Message string }

// Error says what is wrong and what was found.
func (e *OptionError) Error() string { return e.Message }

// IsUsage reports that the user must give other files.
func (e *OptionError) IsUsage() bool { return true }

// errTooLong says that a tag, a text or a value is longer than any in a dump.
var errTooLong = errors.New("too long for a dump of MediaWiki")
