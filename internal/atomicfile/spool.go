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
}

// Write appends p.
func (s *Spool) Write(p []byte) (int, error) {
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

// Reader returns a reader of everything written. Nothing may be written after it.
func (s *Spool) Reader() (io.Reader, error) {
	if s.file == nil {
		return bytes.NewReader(s.memory.Bytes()), nil
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return io.MultiReader(bytes.NewReader(s.memory.Bytes()), s.file), err
}

// Close discards the contents. It may be called more than once.
func (s *Spool) Close() error {
	s.memory = bytes.Buffer{}
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
