// Package archive reads a file that may be a gzip, zstd or bzip2 archive of one file, recognised by its first bytes, not its name.
package archive

import (
	"bufio"
	"errors"
	"io"

	"resolwe/format/subgraph"
	"resolwe/internal/input"
)

// bufferSize is the number of bytes read at once.
const bufferSize = 64 << 10

// Reader reads the content of a file, decompressing archives. It need not be closed.
type Reader struct {
	*bufio.Reader
	Packed bool // the file is an archive
}

// NewReader starts reading a file; if r is a *Reader it returns r. The error, here or from Read, is a *subgraph.CorruptError with the path
// and the offset in the archive if that is damaged, otherwise that of r.
func NewReader(r io.Reader, path string) (*Reader, error) {
	if known, ok := r.(*Reader); ok {
		return known, nil
	}
	u := &unpacker{path: path, raw: input.Counter{R: r}}
	u.in = bufio.NewReaderSize(&u.raw, bufferSize)
	var err error
	if u.text, err = input.Unpack(u.in); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, u.damage(err)
	}
	if u.text == nil {
		return &Reader{u.in, false}, nil
	}
	return &Reader{bufio.NewReaderSize(u, bufferSize), true}, nil
}

// unpacker distinguishes damage of an archive from errors of reading the file.
type unpacker struct {
	path string
	raw  input.Counter
	in   *bufio.Reader // the file as stored
	text io.Reader     // its content
}

// Read reads the content of the archive.
func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.text.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // one that is wrapped tells of damage
		err = u.damage(err)
	}
	return n, err
}

func (u *unpacker) damage(err error) error {
	if raw := u.raw.Err(); raw != nil {
		return raw
	}
	return &subgraph.CorruptError{Path: u.path, Record: -1, Section: "archive", Offset: u.raw.N - int64(u.in.Buffered()), Err: err}
}
