package rsg

import (
	"bufio"
	"errors"
	"io"

	"resolwe/internal/input"
)

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
