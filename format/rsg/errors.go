package rsg

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"resolwe/format/subgraph"
	"resolwe/internal/printable"
)

// What can be wrong with a stream. Each matches [subgraph.ErrCorrupt] too.
var (
	ErrMagic          error = damageError("not an .rsg stream")
	ErrVersion        error = damageError("written by a newer version")
	ErrChecksum       error = damageError("checksum mismatch")
	ErrTruncated      error = damageError("truncated")
	ErrChanged        error = damageError("changed while it was read")
	ErrFormat         error = damageError("malformed")
	ErrLostNames      error = damageError("needs names that were lost with a damaged record")
	ErrLostBackground error = damageError("needs shared relations that were lost with a damaged record")
)

type damageError string

func (e damageError) Error() string { return string(e) }

// Is makes every kind of damage match subgraph.ErrCorrupt.
func (e damageError) Is(target error) bool { return target == subgraph.ErrCorrupt }

// CorruptError says where a stream is damaged.
type CorruptError struct {
	Path    string
	Record  int    // position of the record in the stream from 0, -1 for the head and the tail
	Name    string // subgraph's name, "" where it is not known
	Section string // tag of the frame or section
	Offset  int64  // in bytes from the start of the stream, of the section or of the bytes at fault
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
			fmt.Fprintf(&b, " (%s)", shown(e.Name))
		}
		b.WriteString(", ")
	}
	fmt.Fprintf(&b, "%s at byte %d: %v", shown(e.Section), e.Offset, e.Err)
	return b.String()
}

// Unwrap returns the kind of damage.
func (e *CorruptError) Unwrap() error { return e.Err }

// Is makes the error match subgraph.ErrCorrupt whatever it wraps.
func (e *CorruptError) Is(target error) bool { return target == subgraph.ErrCorrupt }

// DuplicateError says that a stream would hold two subgraphs of one name.
type DuplicateError struct{ Name string }

// Error gives the name.
func (e *DuplicateError) Error() string {
	return "two subgraphs are named " + shown(e.Name)
}

// damage places an error in a section. Who knows the path and the record adds them with locate.
func damage(section string, offset int64, err error) *CorruptError {
	return &CorruptError{Record: -1, Section: section, Offset: offset, Err: err}
}

// locate completes the place of a damage; other errors get the path in front.
func locate(err error, path string, record int, name string) error {
	if err == nil {
		return nil
	}
	var c *CorruptError
	if !errors.As(err, &c) {
		return fmt.Errorf("%s: %w", path, err)
	}
	c.Path, c.Record, c.Name = path, record, name
	return c
}

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// shown is a name for a message, in quotes where it is not plain.
func shown(s string) string {
	s = printable.Clip(s, shownBytes)
	plain := func(r rune) bool {
		return r == ' ' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	for _, r := range s {
		if !plain(r) {
			return strconv.Quote(s)
		}
	}
	return s
}

// shownBytes is how much of a name a message gives.
const shownBytes = 80
