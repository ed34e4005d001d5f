package atomicfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// bound is how many bytes are kept in memory.
const bound = 32 << 20

// Spool holds output back until it is known to be complete, in memory or, beyond a bound, in a temporary file. The zero value is
// ready for use by one goroutine.
type Spool struct {
	memory bytes.Buffer
	file   *os.File
	size   int64
}

// Write appends p.
func (s *Spool) Write(p []byte) (n int, err error) {
	defer func() { s.size += int64(n) }()
	if s.file == nil && s.memory.Len()+len(p) > bound {
		f, err := os.CreateTemp("", "resolwe-*")
		if err != nil {
			return 0, err
		}
		s.file = f
		_ = os.Remove(f.Name()) // so that a kill leaves nothing, if open files can be removed
	}
	if s.file == nil {
		return s.memory.Write(p)
	}
	return s.file.Write(p)
}

// ReadAt implements [io.ReaderAt] on everything written so far.
func (s *Spool) ReadAt(p []byte, off int64) (n int, err error) {
	if kept := s.memory.Bytes(); off < int64(len(kept)) {
		n = copy(p, kept[off:])
	}
	switch {
	case n == len(p):
		return n, nil
	case s.file == nil:
		return n, io.EOF
	}
	more, err := s.file.ReadAt(p[n:], off+int64(n-s.memory.Len()))
	return n + more, err
}

// Reader returns a reader of everything written so far.
func (s *Spool) Reader() io.Reader { return io.NewSectionReader(s, 0, s.size) }

// Size returns how many bytes were written.
func (s *Spool) Size() int64 { return s.size }

// Close discards the contents. It may be called more than once.
func (s *Spool) Close() error {
	s.memory, s.size = bytes.Buffer{}, 0
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Remove(f.Name()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
