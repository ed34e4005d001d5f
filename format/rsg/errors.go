package rsg

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"resolwe/format/subgraph"
	"resolwe/internal/input"
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
type CorruptError = subgraph.CorruptError

// DuplicateError says that a stream would hold two subgraphs of one name.
type DuplicateError struct{ Name string }

// Error gives the name.
func (e *DuplicateError) Error() string {
	return "two subgraphs are named " + subgraph.Shown(e.Name)
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

// Unpack returns a reader of the stream in a gzip, zstd or bzip2 archive, or of in itself where that is no archive. Damage
// of an archive is a *CorruptError, here or from Read. There is nothing to close.
func Unpack(in *bufio.Reader, path string) (io.Reader, error) {
	r, err := input.Unpack(in)
	switch {
	case err != nil:
		return nil, archiveError(path, err)
	case r == nil:
		return in, nil
	}
	return &unpacker{r, path}, nil
}

// unpacker marks the errors of an archive as damage.
type unpacker struct {
	r    io.Reader
	path string
}

func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = archiveError(u.path, err)
	}
	return n, err
}

func archiveError(path string, err error) error {
	return &CorruptError{Path: path, Record: -1, Section: "archive", Err: err}
}
