package mediawiki

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"resolwe/internal/input"
	"resolwe/internal/printable"
)

const (
	windowSize = 256 << 10
	readSize   = 64 << 10
	stepSize   = 1 << 20 // of the progress
	shownBytes = 80      // of a text from a file in a message
)

// source is the text of a dump, plain or in an archive, seen through a window that moves over it. What is read in one piece has
// to fit the window.
type source struct {
	path  string
	raw   *input.Counter
	in    *bufio.Reader // the file as it is
	text  io.Reader     // what it says; in itself for plain text
	err   error         // what ended the text
	check func() error  // says when to stop
	told  func(what string, bytes int64)
	last  int64 // what it heard

	buffer [windowSize]byte
	window []byte // of buffer
	at     int    // in window; what comes next
	base   int64  // offset in the text of the window
}

// newSource starts at the head of a text, behind its byte order mark. An error of r comes with the first byte. Told, which may be
// nil, hears now and then how much of the file has been read.
func newSource(r io.Reader, path string, check func() error, told func(what string, bytes int64)) *source {
	s := &source{path: path, raw: &input.Counter{R: r}, check: check, told: told}
	s.in = bufio.NewReaderSize(s.raw, readSize)
	s.text = s.in
	unpacked, err := input.Unpack(s.in)
	switch {
	case errors.Is(err, io.EOF):
		s.err = s.failure(io.ErrUnexpectedEOF)
	case err != nil:
		s.err = s.failure(err)
	case unpacked != nil:
		s.text = unpacked
	}
	s.accept("\ufeff")
	return s
}

// readFile opens a dump for a function.
func readFile(path string, check func() error, told func(what string, bytes int64), read func(*source)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	s := newSource(file, path, check, told)
	err = reading(func() { read(s) })
	if told != nil && s.raw.N > s.last {
		told(path, s.raw.N)
	}
	return err
}

// fill reads more of the text behind what is left of the window. It returns io.EOF at the end of the text.
func (s *source) fill() error {
	if s.err == nil {
		s.err = s.check()
	}
	if s.err != nil {
		return s.err
	}
	s.base += int64(s.at)
	kept := copy(s.buffer[:], s.window[s.at:])
	if s.at = 0; kept == windowSize {
		return &CorruptError{Path: s.path, Offset: s.base, Err: errTooLong}
	}
	n, err := io.ReadAtLeast(s.text, s.buffer[kept:], 1)
	if s.window = s.buffer[:kept+n]; err != nil {
		s.err = s.failure(err)
	}
	if s.told != nil && s.raw.N-s.last >= stepSize {
		s.last = s.raw.N
		s.told(s.path, s.last)
	}
	return s.err
}

// more is fill within a piece of the text, which has to go on.
func (s *source) more() {
	err := s.fill()
	if errors.Is(err, io.EOF) {
		err = &CorruptError{Path: s.path, Offset: s.base + int64(len(s.window)), Err: io.ErrUnexpectedEOF}
	}
	stopAt(err)
}

// stopped is a panic that ends the reading of a file.
type stopped struct{ err error }

// stopAt ends the reading of a file where there is an error.
func stopAt(err error) {
	if err != nil {
		panic(stopped{err})
	}
}

// reading runs a function that reads a file, and returns the error that stopped it.
func reading(read func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stopped:
			err = r.err
		default:
			panic(r)
		}
	}()
	read()
	return nil
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

// malformed stops at an offset of the text.
func (s *source) malformed(offset int64, format string, args ...any) {
	stopAt(&CorruptError{Path: s.path, Offset: offset, Err: fmt.Errorf(format, args...)})
}

func (s *source) tooLong(offset int64) {
	stopAt(&CorruptError{Path: s.path, Offset: offset, Err: errTooLong})
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

// must returns the byte that comes next, which there has to be, and passes over it.
func (s *source) must() byte {
	if s.at == len(s.window) {
		s.more()
	}
	s.at++
	return s.window[s.at-1]
}

// accept passes over a short text if it comes next. An error comes again with the next call.
func (s *source) accept(text string) bool {
	for len(s.window)-s.at < len(text) {
		if s.fill() != nil {
			return false
		}
	}
	if string(s.window[s.at:s.at+len(text)]) != text {
		return false
	}
	s.at += len(text)
	return true
}

// expect passes over a short text that has to come next.
func (s *source) expect(text string) {
	if s.accept(text) {
		return
	}
	if s.err != nil && len(s.window)-s.at < len(text) {
		s.at = len(s.window)
		s.more()
	}
	s.malformed(s.offset(), "expected %s", strings.TrimSpace(text))
}

// skipBehind goes behind the next occurrence of a short text, which there has to be.
func (s *source) skipBehind(end string) {
	for !s.accept(end) {
		s.must()
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// quoted puts a text in quotes, with escapes for what is not plain, and without what would not fit a line.
func quoted(b []byte) string { return strconv.Quote(printable.Clip(string(b), shownBytes)) }

// shown is a text without quotes.
func shown(b []byte) string { return printable.Escape(printable.Clip(string(b), shownBytes)) }
