// Package archive reads a file that may be a gzip, zstd or bzip2 archive of one file, recognised by its first bytes, not its name.
package archive

import (
	"bufio"
	"cmp"
	"errors"
	"io"

	"resolwe/format/subgraph"
	"resolwe/internal/input"
)

const (
	bufferSize = 64 << 10 // bytes read at once

	// An archive may unpack to, and cause, this much work, and for each of its bytes as much again.
	freeWork    = 1 << 30 // bytes
	workPerByte = 1 << 10
	workOfItem  = 32
)

// ErrBomb reports an archive that unpacks to more than real data would.
var ErrBomb = errors.New("the archive unpacks to more than 1 GiB and 1,024 times its size, which real data never do; unpack it first to read it anyway")

// Reader reads the content of a file, decompressing archives. It need not be closed.
type Reader struct {
	*bufio.Reader
	Packed bool // the file is an archive
	from   *unpacker
}

// Spend notes that n items, such as lines or cells, were found in the content, each of which counts as 32 bytes of it however short it is. The
// error, which wraps [ErrBomb], is that of an archive that unpacks to more than 1 GiB and 1,024 times its size; Read returns it too.
func (r *Reader) Spend(n int) error {
	if !r.Packed {
		return nil
	}
	return r.from.spend(int64(n) * workOfItem)
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
		return &Reader{u.in, false, u}, nil
	}
	return &Reader{bufio.NewReaderSize(u, bufferSize), true, u}, nil
}

// unpacker distinguishes damage of an archive from errors of reading the file.
type unpacker struct {
	path string
	raw  input.Counter
	in   *bufio.Reader // the file as stored
	text io.Reader     // its content
	work int64         // bytes of the content so far, and those that Spend adds
}

func (u *unpacker) spend(n int64) error {
	if u.work += n; u.work > freeWork && u.work/workPerByte > u.raw.N {
		return u.damage(ErrBomb)
	}
	return nil
}

// Read reads the content of the archive.
func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.text.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // one that is wrapped tells of damage
		err = u.damage(err)
	}
	return n, cmp.Or(u.spend(int64(n)), err)
}

func (u *unpacker) damage(err error) error {
	if raw := u.raw.Err(); raw != nil {
		return raw
	}
	return &subgraph.CorruptError{Path: u.path, Record: -1, Section: "archive", Offset: u.raw.N - int64(u.in.Buffered()), Err: err}
}
