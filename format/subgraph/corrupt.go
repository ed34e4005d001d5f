package subgraph

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"resolwe/internal/printable"
)

// ErrCorrupt matches every error that reports damaged data: a stream, an archive, a table, a dump.
var ErrCorrupt = errors.New("damaged stream")

// CorruptError says where a stream of subgraphs is damaged. It matches [ErrCorrupt].
type CorruptError struct {
	Path    string
	Record  int    // position of the subgraph in the stream from 0, -1 for damage outside subgraphs
	Name    string // subgraph's name, "" if not known
	Section string // tag of the frame or section of a binary stream, or "archive"
	Offset  int64  // in bytes from the start of the stream or archive, to the section or the damaged bytes
	Err     error
}

// Error names the record, section and offset.
func (e *CorruptError) Error() string {
	var b strings.Builder
	if e.Path != "" {
		fmt.Fprintf(&b, "%s: ", e.Path)
	}
	if e.Record >= 0 {
		fmt.Fprintf(&b, "record %d", e.Record)
		if e.Name != "" {
			fmt.Fprintf(&b, " (%s)", Shown(e.Name))
		}
		b.WriteString(", ")
	}
	fmt.Fprintf(&b, "%s at byte %d: %v", Shown(e.Section), e.Offset, e.Err)
	return b.String()
}

// Unwrap returns the kind of damage.
func (e *CorruptError) Unwrap() error { return e.Err }

// Is makes the error match ErrCorrupt whatever it wraps.
func (e *CorruptError) Is(target error) bool { return target == ErrCorrupt }

// Shown returns a name for a message, quoted if it has special characters.
func Shown(s string) string {
	s = printable.Clip(s, shownBytes)
	plain := func(r rune) bool {
		return r == ' ' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// shownBytes is the longest part of a name that a message shows.
const shownBytes = 80
