package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

var (
	// ErrInUse reports an output that another run is writing.
	ErrInUse = errors.New("another run is writing it")
	// ErrShorter reports an output that lost what an earlier run had written.
	ErrShorter = errors.New("shorter than it was at the checkpoint")
)

// Appended is an output that grows during a run and can be read meanwhile. It is locked, so that no other run writes to it. A nil
// Appended discards what is written. It is for one goroutine at a time.
type Appended struct {
	file *os.File
	end  int64 // bytes written; -1 until an older file's contents are replaced
	made bool  // the file did not exist
}

// OpenAppended opens an output. If keep is set, its contents stay, and [Appended.Rewind] must say how many of them; otherwise the
// first Write replaces them. Links are treated as by [Create]. The error is an *[os.PathError], which may wrap [ErrInUse].
func OpenAppended(path string, keep bool) (*Appended, error) {
	path, old, err := resolve(path)
	if err != nil {
		return nil, err
	}
	flags := os.O_RDWR | os.O_CREATE | noFollow
	if old != nil && !old.Mode().IsRegular() {
		flags = os.O_WRONLY
	}
	f, err := os.OpenFile(path, flags, 0o644) // #nosec G302 -- as other outputs
	if err != nil {
		return nil, err
	}
	a := &Appended{file: f, end: -1, made: old == nil}
	if keep || flags == os.O_WRONLY {
		a.end = 0
	}
	if flags != os.O_WRONLY && errors.Is(lock(f), errLocked) {
		return nil, errors.Join(&os.PathError{Op: "open", Path: path, Err: ErrInUse}, f.Close())
	}
	return a, nil
}

// Write appends p whole: after an error nothing of it is left.
func (a *Appended) Write(p []byte) (int, error) {
	if a == nil {
		return len(p), nil
	}
	if a.end < 0 {
		if err := a.Rewind(0); err != nil {
			return 0, err
		}
	}
	n, err := a.file.Write(p)
	if err != nil {
		return 0, errors.Join(err, a.Rewind(a.end))
	}
	a.end += int64(n)
	return n, nil
}

// Sync makes what was written durable, and returns its length.
func (a *Appended) Sync() (int64, error) {
	if a == nil {
		return 0, nil
	}
	return max(a.end, 0), a.file.Sync()
}

// Rewind removes what was written after a length that Sync returned. The error wraps [ErrShorter] if there is less.
func (a *Appended) Rewind(length int64) error {
	if a == nil {
		return nil
	}
	info, err := a.file.Stat()
	if err == nil && info.Size() < length {
		err = fmt.Errorf("%s is %w", a.file.Name(), ErrShorter)
	}
	if err == nil {
		err = a.file.Truncate(length)
	}
	if err == nil {
		_, err = a.file.Seek(length, io.SeekStart)
	}
	if err == nil {
		a.end = length
	}
	return err
}

// Close ends the output. A file that did not exist is removed if nothing was written.
func (a *Appended) Close() error {
	if a == nil {
		return nil
	}
	var err error
	if a.made && a.end < 0 {
		err = os.Remove(a.file.Name())
	}
	if err = errors.Join(err, a.file.Close()); errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}
