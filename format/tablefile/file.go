package tablefile

import (
	"errors"
	"io"
	"os"

	"resolwe/format/archive"
	"resolwe/format/mln"
	"resolwe/internal/input"
)

var (
	errNoArchive = errors.New("not an archive of the kind that its name says")
	errSurrogate = errors.New("half a character of UTF-16")
)

// openText returns the text of a file, plain or in an archive, whose errors come from reading it. If the error is not nil, it closes the file.
func openText(f *os.File) (*archive.Reader, error) {
	text, err := archive.NewReader(f, f.Name())
	if err == nil && !text.Packed && input.Packing(f.Name()) != "" {
		err = errNoArchive
		if _, empty := text.Peek(1); empty != nil {
			err = io.ErrUnexpectedEOF
		}
	}
	if err != nil {
		start := mln.Position{File: f.Name(), Line: 1, Column: 1}
		return nil, errors.Join(readingError(start, err), f.Close())
	}
	return text, nil
}
