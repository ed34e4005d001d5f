package input

import (
	"errors"
	"os"
)

// ErrKind reports a path that is not a regular file.
var ErrKind = errors.New("not a regular file, but a folder, pipe, socket or device")

// State is the state of a file when it was opened.
type State struct {
	os.FileInfo
	path string
}

// Open opens a regular file, or a link to one, for reading. For others, it returns an error that wraps [ErrKind]; it never waits
// for the writer of a pipe.
func Open(path string) (*os.File, *State, error) {
	info, err := os.Stat(path) // checked first, since opening a device may have effects
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &os.PathError{Op: "open", Path: path, Err: ErrKind}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() { // a pipe took its place
		err = &os.PathError{Op: "open", Path: path, Err: ErrKind}
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, &State{info, path}, nil
}

// Now reports whether the path still leads to the file and, if so, whether the file was written to since it was opened. A file
// that was written to is found even if its time of modification was put back.
func (s *State) Now() (same, written bool) {
	now, err := os.Stat(s.path)
	same = err == nil && os.SameFile(s.FileInfo, now)
	return same, same && (!now.ModTime().Equal(s.ModTime()) || now.Size() != s.Size() || statusTime(now) != statusTime(s.FileInfo))
}
