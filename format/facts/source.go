package facts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"resolwe/internal/input"
)

const (
	bufferSize = 64 << 10
	maxLine    = 64 << 20
)

var (
	errLineTooLong = errors.New("line too long")
	byteOrderMark  = []byte("\xef\xbb\xbf")
)

// source splits a text, plain or in an archive, into lines.
type source struct {
	path    string
	raw     *input.Counter
	in      *bufio.Reader // the file as it is
	text    *bufio.Reader // what it says; in itself for plain text
	maxLine int           // bytes of a line, its end left out
}

func newSource(r io.Reader, path string) (*source, error) {
	raw := &input.Counter{R: r}
	in := bufio.NewReaderSize(raw, bufferSize)
	s := &source{path: path, raw: raw, in: in, text: in, maxLine: maxLine}
	unpacked, err := input.Unpack(in)
	if err != nil {
		return nil, s.failure(err)
	}
	if unpacked != nil {
		s.text = bufio.NewReaderSize(unpacked, bufferSize)
	}
	if mark, err := s.text.Peek(len(byteOrderMark)); err == nil && bytes.Equal(mark, byteOrderMark) {
		_, err = s.text.Discard(len(byteOrderMark))
		return s, err
	}
	return s, nil // an error of Peek comes again with the first line
}

// line returns the next line without its end, valid until the next call, and io.EOF after the last one. A line that is
// too long comes with errLineTooLong and its beginning.
func (s *source) line() ([]byte, error) {
	line, err := s.text.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = s.longLine(bytes.Clone(line))
	}
	switch {
	case errors.Is(err, errLineTooLong):
		return line, err
	case errors.Is(err, io.EOF) && len(line) == 0:
		return nil, io.EOF
	case err != nil && !errors.Is(err, io.EOF):
		return nil, s.failure(err)
	}
	return withoutEnd(line), nil
}

func withoutEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// longLine reads on where a line does not fit the buffer.
func (s *source) longLine(line []byte) ([]byte, error) {
	for {
		part, err := s.text.ReadSlice('\n')
		line = append(line, part...)
		if len(withoutEnd(line)) > s.maxLine {
			return line, errLineTooLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// failure tells damage of an archive from a file that cannot be read.
func (s *source) failure(err error) error {
	if err := s.raw.Err(); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return &CorruptError{Path: s.path, Section: "archive", Offset: s.raw.N - int64(s.in.Buffered()), Err: err}
}

// blame returns the damage of an archive whose text is wrong, where there is any: the archive's checksums, which stand
// behind the text, tell.
func (s *source) blame(err error) error {
	if _, ok := errors.AsType[InputError](err); !ok || s.text == s.in {
		return err
	}
	if _, damage := io.Copy(io.Discard, s.text); damage != nil {
		return s.failure(damage)
	}
	return err
}
