package rsg

import (
	"errors"
	"fmt"

	"resolwe/format/subgraph"
)

// Errors of a damaged stream. Each also matches [subgraph.ErrCorrupt].
var (
	ErrMagic          error = damageError("not an .rsg stream")
	ErrVersion        error = damageError("written by a newer version")
	ErrChecksum       error = damageError("checksum mismatch")
	ErrTruncated      error = damageError("truncated")
	ErrChanged        error = damageError("changed while it was read")
	ErrFormat         error = damageError("malformed")
	ErrForeign        error = damageError("the digest differs: a record, or the index, is from another stream or another place")
	ErrLostNames      error = damageError("needs names that were lost with a damaged record")
	ErrLostBackground error = damageError("needs shared relations that were lost with a damaged record")
)

type damageError string

func (e damageError) Error() string { return string(e) }

// Is makes every kind of damage match subgraph.ErrCorrupt.
func (e damageError) Is(target error) bool { return target == subgraph.ErrCorrupt }

// CorruptError reports the place of damage in a stream.
type CorruptError = subgraph.CorruptError

// DuplicateError reports that a stream would hold two subgraphs with one name.
type DuplicateError struct{ Name string }

// Error names the subgraph.
func (e *DuplicateError) Error() string {
	return "two subgraphs are named " + subgraph.Shown(e.Name)
}

// damage places an error in a section. Callers that know the path and the record add them with locate.
func damage(section string, offset int64, err error) *CorruptError {
	return &CorruptError{Record: -1, Section: section, Offset: offset, Err: err}
}

// locate completes the place of damage; other errors are prefixed with the path.
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
