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

// textFile reads the text of a file, plain or in an archive. Errors of an archive come from Read.
type textFile struct {
	io.Reader
	file   *os.File
	unpack *io.PipeReader // nil for plain text
	done   chan struct{}  // closed once nothing unpacks any more
}

// openText opens the text of a file. An archive is unpacked in a goroutine of its own, a block ahead.
func openText(f *os.File) (*textFile, error) {
	in := bufio.NewReaderSize(f, readSize)
	text, err := unpacked(in, f.Name())
	if err != nil {
		start := Place{mln.Position{File: f.Name(), Line: 1, Column: 1}}
		return nil, errors.Join(readingError(start, err), f.Close())
	}
	if text == nil {
		return &textFile{Reader: in, file: f}, nil
	}
	out, to := io.Pipe()
	t := &textFile{Reader: bufio.NewReaderSize(out, readSize), file: f, unpack: out, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		_, err := io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{text}, make([]byte, readSize))
		_ = to.CloseWithError(err) // never fails
	}()
	return t, nil
}

// Close stops reading and closes the file.
func (t *textFile) Close() error {
	if t.unpack != nil {
		_ = t.unpack.Close() // never fails
		<-t.done
	}
	return t.file.Close()
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
