package tablefile

import (
	"bufio"
	"errors"
	"io"
	"os"

	"resolwe/format/mln"
	"resolwe/internal/input"
)

const readSize = 256 << 10

var (
	errNoArchive = errors.New("not an archive of the kind that its name says")
	errSurrogate = errors.New("half a character of UTF-16")
)

// openText opens the text of a file, plain or in an archive, whose errors come from Read. Close closes the file.
func openText(f *os.File) (io.ReadCloser, error) {
	in := bufio.NewReaderSize(f, readSize)
	text, err := unpacked(in, f.Name())
	if err != nil {
		start := mln.Position{File: f.Name(), Line: 1, Column: 1}
		return nil, errors.Join(readingError(start, err), f.Close())
	}
	if text == nil {
		text = in
	}
	return struct {
		io.Reader
		io.Closer
	}{text, f}, nil
}

// unpacked returns a reader of the text in an archive, nil where in is none and its name does not say so.
func unpacked(in *bufio.Reader, path string) (io.Reader, error) {
	text, err := input.Unpack(in)
	if text != nil || err != nil || input.Packing(path) == "" {
		return text, err
	}
	if _, err := in.Peek(1); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return nil, errNoArchive
}
