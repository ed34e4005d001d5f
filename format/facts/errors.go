package facts

import (
	"resolwe/format/lex"
	"resolwe/format/subgraph"
	"resolwe/internal/printable"
)

// InputError is an error in the text of a file, with its place: all errors of this package but [CorruptError] and those of the
// underlying reader are of this type.
type InputError = lex.Fault

// CorruptError is a gzip or zstd archive that is damaged or truncated.
type CorruptError = subgraph.CorruptError

const clipLength = 80 // bytes of a name in a message

// clip shortens a name of the input for a message.
func clip(name string) string {
	return printable.Escape(printable.Clip(name, clipLength))
}
