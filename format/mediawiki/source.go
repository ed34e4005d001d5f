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
	stepSize   = 1 << 20 // bytes between calls of told
	shownBytes = 80      // bytes shown of a text in a message
)

// source reads the text of a dump, plain or in an archive, through a window that moves over it. Anything read in one piece must fit the
// window.
type source struct {
	path  string
	raw   *input.Counter
	in    *bufio.Reader // the file as stored
	text  io.Reader     // its unpacked text; the same as in for plain text
	err   error         // the error that ended the text
	check func() error  // returns an error to stop reading
	told  func(what string, bytes int64)
	last  int64 // the last count told

	buffer [windowSize]byte
	window []byte // part of buffer
	at     int    // position in window of the next byte
	base   int64  // offset of the window in the text
}

// newSource starts at the head of a text, after its byte order mark. An error of r is returned with the first byte. Unless nil, told is
// called now and then with the number of bytes read from the file.
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

// readFile opens a dump and calls read with it.
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

// fill adds text after the rest of the window. It returns io.EOF at the end of the text.
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

// more is fill in the middle of an item, where the text must not end.
func (s *source) more() {
	err := s.fill()
	if errors.Is(err, io.EOF) {
		err = &CorruptError{Path: s.path, Offset: s.base + int64(len(s.window)), Err: io.ErrUnexpectedEOF}
	}
	stopAt(err)
}

// stopped is a panic that ends the reading of a file.
type stopped struct{ err error }

// stopAt stops the reading of a file if there is an error.
func stopAt(err error) {
	if err != nil {
		panic(stopped{err})
	}
}

// reading calls a function that reads a file, and returns the error that stopped it.
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

// failure distinguishes truncated text and damaged archives from files that cannot be read.
func (s *source) failure(err error) error {
	switch {
	case s.raw.Err() != nil:
		return fmt.Errorf("%s: %w", s.path, s.raw.Err())
	case errors.Is(err, io.EOF):
		return io.EOF
	}
	return &CorruptError{Path: s.path, Offset: s.raw.N - int64(s.in.Buffered()), Archive: true, Err: err}
}

// offset returns the offset of the next byte in the text.
func (s *source) offset() int64 { return s.base + int64(s.at) }

// malformed stops with an error at an offset in the text.
func (s *source) malformed(offset int64, format string, args ...any) {
	stopAt(&CorruptError{Path: s.path, Offset: offset, Err: fmt.Errorf(format, args...)})
}

func (s *source) tooLong(offset int64) {
	stopAt(&CorruptError{Path: s.path, Offset: offset, Err: errTooLong})
}

// peek returns the next byte, or io.EOF at the end of the text.
func (s *source) peek() (byte, error) {
	if s.at == len(s.window) {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	return s.window[s.at], nil
}

// must consumes and returns the next byte, which must exist.
func (s *source) must() byte {
	if s.at == len(s.window) {
		s.more()
	}
	s.at++
	return s.window[s.at-1]
}

// accept consumes a short text if it comes next. An error is returned again by the next call.
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

// expect consumes a short text that must come next.
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

// skipBehind moves past the next occurrence of a short text, which must exist.
func (s *source) skipBehind(end string) {
	for !s.accept(end) {
		s.must()
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// quoted quotes a text, escapes what is not printable, and cuts it to fit a line.
func quoted(b []byte) string { return strconv.Quote(printable.Clip(string(b), shownBytes)) }

// shown is like quoted, without the quotes.
func shown(b []byte) string { return printable.Escape(printable.Clip(string(b), shownBytes)) }
