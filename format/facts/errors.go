package facts

import (
	"fmt"

	"resolwe/format/lex"
	"resolwe/format/subgraph"
	"resolwe/internal/printable"
)

// InputError is an error in the text of a file, with its place: all errors of this package but [CorruptError] and those of the
// underlying reader are of this type.
type InputError = lex.Fault

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

// clip shortens a name of the input for a message.
func clip(name string) string {
	return printable.Escape(printable.Clip(name, clipLength))
}
