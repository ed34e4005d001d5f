package mediawiki

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"resolwe/internal/archive"
)

const (
	windowSize = 256 << 10
	readSize   = 64 << 10
	stepSize   = 1 << 20 // of the progress
)

// source is the text of a dump, plain or in an archive, seen through a window that moves over it.
type source struct {
	path string
	file *os.File
	raw  *archive.Counter
	in   *bufio.Reader // the file as it is
	text io.Reader     // what it says; in itself for plain text

	buffer [windowSize]byte
	window []byte // of buffer
	at     int    // in window; what comes next
	base   int64  // offset in the text of the window
	err    error  // what ended the text

	check func() error      // says when to stop
	told  func(bytes int64) // hears how much of the file has been read; may be nil
	last  int64             // what it heard
}

func openSource(path string, check func() error, progress func(what string, bytes int64)) (*source, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := newSource(file, path, check)
	s.file = file
	if progress != nil {
		s.told = func(n int64) { progress(path, n) }
	}
	return s, nil
}

// newSource starts at the head of a text. An error of r comes with the first byte.
func newSource(r io.Reader, path string, check func() error) *source {
	s := &source{path: path, raw: &archive.Counter{R: r}, check: check}
	s.in = bufio.NewReaderSize(s.raw, readSize)
	s.text = s.in
	unpacked, err := archive.Reader(s.in)
	switch {
	case err != nil:
		s.err = s.failure(err)
	case unpacked != nil:
		s.text = unpacked
	}
	return s
}

// close closes the file. What was read of it is told if all of it was wanted.
func (s *source) close() error {
	if s.told != nil && s.raw.N > s.last {
		s.told(s.raw.N)
	}
	return s.file.Close()
}

// fill gets more of the text behind what is left of the window. It returns io.EOF at the end of the text, and
// errTooLong where the window is full.
func (s *source) fill() error {
	if s.err != nil {
		return s.err
	}
	if s.err = s.check(); s.err != nil {
		return s.err
	}
	s.base += int64(s.at)
	kept := copy(s.buffer[:], s.window[s.at:])
	s.at, s.window = 0, s.buffer[:kept]
	if kept == windowSize {
		return errTooLong
	}
	n, err := s.read(s.buffer[kept:])
	s.window = s.buffer[:kept+n]
	if err != nil {
		s.err = s.failure(err)
	}
	if s.told != nil && s.raw.N-s.last >= stepSize {
		s.last = s.raw.N
		s.told(s.last)
	}
	if n > 0 {
		return nil // the error comes with the next call
	}
	return s.err
}

// read reads at least a byte, or returns an error.
func (s *source) read(p []byte) (int, error) {
	for range 100 {
		if n, err := s.text.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// failure tells the end of the text and damage of an archive from a file that cannot be read.
func (s *source) failure(err error) error {
	switch {
	case s.raw.Err() != nil:
		return fmt.Errorf("%s: %w", s.path, s.raw.Err())
	case errors.Is(err, io.EOF):
		return io.EOF
	}
	return &CorruptError{Path: s.path, Offset: s.raw.N - int64(s.in.Buffered()), Archive: true, Err: err}
}

// offset returns the offset in the text of what comes next.
func (s *source) offset() int64 { return s.base + int64(s.at) }

// malformed returns an error at an offset of the text.
func (s *source) malformed(offset int64, format string, args ...any) error {
	return &CorruptError{Path: s.path, Offset: offset, Err: fmt.Errorf(format, args...)}
}

// truncated places the errors that fill gives within a token, which has to go on.
func (s *source) truncated(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return &CorruptError{Path: s.path, Offset: s.base + int64(len(s.window)), Err: io.ErrUnexpectedEOF}
	case errors.Is(err, errTooLong):
		return s.tooLong(s.offset())
	}
	return err
}

func (s *source) tooLong(offset int64) error {
	return &CorruptError{Path: s.path, Offset: offset, Err: errTooLong}
}

// peek returns the byte that comes next, io.EOF at the end of the text.
func (s *source) peek() (byte, error) {
	if s.at == len(s.window) {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	return s.window[s.at], nil
}

// follows reports whether a text comes next that fits the window.
func (s *source) follows(text string) bool {
	for len(s.window)-s.at < len(text) {
		if s.fill() != nil {
			return false // the error comes again
		}
	}
	return string(s.window[s.at:s.at+len(text)]) == text
}

// must returns the byte that comes next, which there has to be, and passes over it.
func (s *source) must() (byte, error) {
	c, err := s.peek()
	if err != nil {
		return 0, s.truncated(err)
	}
	s.at++
	return c, nil
}

// skipTo goes to the next c, or returns what fill gives where there is none.
func (s *source) skipTo(c byte) error {
	for {
		if i := bytes.IndexByte(s.window[s.at:], c); i >= 0 {
			s.at += i
			return nil
		}
		s.at = len(s.window)
		if err := s.fill(); err != nil {
			return err
		}
	}
}

// skipBehind goes behind the next occurrence of end, which there has to be.
func (s *source) skipBehind(end string) error {
	for {
		if i := bytes.Index(s.window[s.at:], []byte(end)); i >= 0 {
			s.at += i + len(end)
			return nil
		}
		s.at = max(s.at, len(s.window)-len(end)+1) // it may begin at the edge
		if err := s.fill(); err != nil {
			return s.truncated(err)
		}
	}
}

// take returns what comes before the next c and passes over both. The bytes are valid until the next call. Where there
// is no c it returns what fill gives, and passes over nothing.
func (s *source) take(c byte) ([]byte, error) {
	for seen := 0; ; {
		rest := s.window[s.at:]
		if i := bytes.IndexByte(rest[seen:], c); i >= 0 {
			s.at += seen + i + 1
			return rest[:seen+i], nil
		}
		seen = len(rest)
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}
