package table

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"resolwe/format/mln"
)

const (
	readSize  = 256 << 10
	maxWindow = 128 << 20 // what the zstd command accepts by default too
)

var errNoArchive = errors.New("not an archive of the kind that its name says")

// textFile reads the text of a file, plain or in an archive. Errors of an archive come from Read.
type textFile struct {
	io.Reader
	file  *os.File
	ahead *ahead // nil for plain text
}

func openText(path string) (*textFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(f, readSize)
	archive, err := unpack(in, path)
	if err != nil {
		start := Place{mln.Position{File: path, Line: 1, Column: 1}}
		return nil, errors.Join(readingError(start, err), f.Close())
	}
	if archive == nil {
		return &textFile{Reader: in, file: f}, nil
	}
	a := readAhead(archive)
	return &textFile{Reader: a, file: f, ahead: a}, nil
}

// Close stops reading and closes the file.
func (t *textFile) Close() error {
	if t.ahead != nil {
		t.ahead.close()
	}
	return t.file.Close()
}

// unpack returns a reader of the text in a gzip or zstd archive, nil where in is none and its name does not say so.
func unpack(in *bufio.Reader, path string) (io.Reader, error) {
	head, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return gzip.NewReader(in)
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")), isSkippable(head):
		// One decoder works in its caller's goroutine, so that there is nothing to close.
		return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	case packing(path) == "":
		return nil, nil
	case len(head) == 0:
		return nil, io.ErrUnexpectedEOF
	}
	return nil, errNoArchive
}

// isSkippable reports whether head begins a skippable zstd frame, with which some writers open a file.
func isSkippable(head []byte) bool {
	return len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte("\x2a\x4d\x18"))
}

// packing returns the ending of an archive's name, "" for other files.
func packing(name string) string {
	for _, ending := range []string{".gz", ".zst"} {
		if strings.HasSuffix(name, ending) {
			return ending
		}
	}
	return ""
}
