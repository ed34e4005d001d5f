package atomicfile

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// File is an output being written under a temporary name in the folder of its final name. It is for one goroutine at a time.
type File struct {
	file    *os.File
	buffer  *bufio.Writer
	path    string // final path; empty if it is written in place
	name    string // temporary name
	release func() // releases the temporary name; nil if it is written in place
}

// Create starts an output that [File.Commit] puts at path, replacing any existing file. It gets that file's permissions, or else
// 0o644 less the umask. A symbolic link stays, and its target is replaced, except in a folder that every user can write to, where a
// link is an error: somebody else may have put it there. Where a group can write, so is a link of another user. A device or a pipe is written to directly.
func Create(path string) (*File, error) {
	path, old, err := resolve(path)
	switch {
	case err != nil:
		return nil, err
	case old == nil:
		return create(path, 0o644)
	case !old.Mode().IsRegular():
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &File{file: file, buffer: bufio.NewWriter(file)}, nil
	}
	f, err := create(path, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.file.Chmod(old.Mode().Perm()); err != nil {
		f.Abort()
		return nil, err
	}
	return f, nil
}

var errLink = errors.New("a symbolic link in a folder that other users can write to")

// resolve returns the path of the file that an output's path leads to, and what is there, nil if nothing.
func resolve(path string) (string, fs.FileInfo, error) {
	there, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil, nil
	}
	if err != nil || there.Mode().Type() != fs.ModeSymlink {
		return path, there, err
	}
	if dir, err := os.Stat(filepath.Dir(path)); err != nil {
		return "", nil, err
	} else if perm := dir.Mode().Perm(); perm&0o002 != 0 || perm&0o020 != 0 && !isOwn(there) {
		return "", nil, &os.PathError{Op: "create", Path: path, Err: errLink}
	}
	// A dangling link is an error: OpenFile and Rename would disagree about what to create.
	if there, err = os.Stat(path); err != nil || !there.Mode().IsRegular() {
		return path, there, err
	}
	path, err = filepath.EvalSymlinks(path)
	return path, there, err
}

// create starts an output at path, which is not a link.
func create(path string, mode fs.FileMode) (*File, error) {
	var file *os.File
	name, release, err := Claim(Temporary(path), func(name string) (err error) {
		if file != nil { // another run has it
			_ = file.Close()
		}
		file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &File{file: file, buffer: bufio.NewWriterSize(file, 1<<16), path: path, name: name, release: release}, nil
}

// Temporary returns the beginning of the name under which a file or folder is written. The name is hidden, and is not that of a
// stream or table.
func Temporary(path string) string {
	base := filepath.Base(path)
	return filepath.Join(filepath.Dir(path), "."+base[:min(len(base), longestBase)]+".resolwe-tmp")
}

// longestBase leaves room for the rest of a name, which may have 255 bytes.
const longestBase = 200

// Write appends p. After an error all later calls fail too, and so does [File.Commit].
func (f *File) Write(p []byte) (int, error) {
	if f.file == nil {
		return 0, fs.ErrClosed
	}
	return f.buffer.Write(p)
}

// Commit makes the output durable and moves it to its final path. After an error, nothing of it is left and the earlier file is
// still there, unless only the last step failed, which makes the new name durable.
func (f *File) Commit() error {
	if f.file == nil {
		return fs.ErrClosed
	}
	defer f.Abort()
	if err := f.buffer.Flush(); err != nil {
		return err
	}
	if f.path == "" {
		err := f.file.Close()
		f.file = nil
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	if err := f.file.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.file.Name(), f.path); err != nil {
		return err
	}
	f.file = nil
	f.release()
	return syncDir(filepath.Dir(f.path))
}

// Discard removes what was written so far. Unlike [File.Abort], it may be called while another goroutine uses the file, in a
// program that is about to exit.
func (f *File) Discard() {
	if f.name != "" {
		_ = os.Remove(f.name)
	}
}

// Abort abandons the output and removes what was written. After [File.Commit] or another Abort it does nothing, so it can be
// deferred.
func (f *File) Abort() {
	if f.file == nil {
		return
	}
	_ = f.file.Close() // may already be closed; its contents are discarded
	if f.path != "" {
		_ = os.Remove(f.file.Name())
		f.release()
	}
	f.file = nil
}
