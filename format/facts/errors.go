package facts

import (
	"resolwe/format/lex"
	"resolwe/format/subgraph"
	"resolwe/internal/printable"
)

// InputError is an error in the text of a file, with its position. Except for [CorruptError] and errors of the underlying reader, all
// errors of this package are of this type.
type InputError = lex.Fault

// CorruptError reports a gzip or zstd archive that is damaged or truncated.
type CorruptError = subgraph.CorruptError

const clipLength = 80 // bytes of a name in a message

// clip shortens a name from the input for a message.
func clip(name string) string {
	return printable.Escape(printable.Clip(name, clipLength))
}
