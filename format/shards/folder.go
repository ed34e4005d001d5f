package shards

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"resolwe/format/rsg"
	"resolwe/internal/atomicfile"
)

// ErrNotEmpty says that shards cannot be written to a folder that has files.
var ErrNotEmpty = errors.New("folder is not empty")

// Folder is a folder, of shards or other files, that is being written under a temporary name beside the final one. Abort may be called from any goroutine;
// otherwise each file belongs to one goroutine.
type Folder struct {
	path    string // final path
	temp    string
	release func() // gives up the temporary name
}

// CreateFolder starts a folder that Commit moves to path, where nothing or an empty folder must be. The error is an *os.PathError, with
// ErrNotEmpty if the folder has files.
func CreateFolder(path string) (*Folder, error) {
	mode := fs.FileMode(0o750)
	info, err := os.Stat(path)
	switch {
	case err == nil:
		if err := checkEmpty(path); err != nil {
			return nil, &os.PathError{Op: "create", Path: path, Err: err}
		}
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil { // a link is kept
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	f := &Folder{path: path}
	f.temp, f.release, err = atomicfile.Claim(atomicfile.Temporary(path), func(name string) error { return os.Mkdir(name, mode) })
	return f, err
}

// checkEmpty returns an error unless path is an empty folder.
func checkEmpty(path string) error {
	entries, err := os.ReadDir(path)
	if err == nil && len(entries) > 0 {
		return ErrNotEmpty
	}
	return err
}

// Path returns the path of a file in the folder before Commit.
func (f *Folder) Path(file string) string { return filepath.Join(f.temp, file) }

// WriteShard writes n subgraphs of a stream, which must have names, from position first on, as shard i of all. It may be called
// concurrently.
func (f *Folder) WriteShard(ctx context.Context, i, all int, from *rsg.File, first, n int, opt rsg.WriterOptions) (Shard, error) {
	file := fmt.Sprintf("shard-%05d-of-%05d.rsg", i, all)
	out, err := atomicfile.Create(f.Path(file))
	if err != nil {
		return Shard{}, err
	}
	defer out.Abort()
	s, err := writeShard(ctx, out, from, first, n, opt)
	if err != nil {
		return Shard{}, err
	}
	s.File = file
	return s, out.Commit()
}

// writeShard writes n subgraphs of a stream from position first on as a stream of its own, and describes all of it but its name. Names and
// relations shared with earlier subgraphs are written again. f must have names.
func writeShard(ctx context.Context, w io.Writer, f *rsg.File, first, n int, opt rsg.WriterOptions) (Shard, error) {
	s := Shard{First: first, Subgraphs: n}
	sum := sha256.New()
	out, err := rsg.NewWriter(io.MultiWriter(w, sum), f.Schema(), opt)
	if err != nil {
		return Shard{}, err
	}
	var buf rsg.Buffer
	for i := first; i < first+n; i++ {
		if ctx.Err() != nil {
			return Shard{}, context.Cause(ctx)
		}
		sub, err := f.AtInto(&buf, i)
		if err != nil {
			return Shard{}, err
		}
		s.Work += Work(sub)
		if err := out.Write(sub); err != nil {
			return Shard{}, err
		}
	}
	if first == 0 { // counts are of the whole stream: readers add those of its shards
		if err := out.SetOrigin(f.Origin()); err != nil {
			return Shard{}, err
		}
	}
	if err := out.Close(); err != nil {
		return Shard{}, err
	}
	s.Bytes, s.SHA256 = out.Bytes(), hex.EncodeToString(sum.Sum(nil))
	return s, nil
}

// Commit writes the manifest and moves the folder to its final path. After an error nothing of it remains.
func (f *Folder) Commit(m *Manifest) error {
	defer f.Abort()
	out, err := atomicfile.Create(f.Path(ManifestName))
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := m.Write(out); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	return f.Move()
}

// Move moves the folder, without a manifest, to its final path. After an error nothing of it remains.
func (f *Folder) Move() error {
	defer f.Abort()
	if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) { // empty
		return err
	}
	return os.Rename(f.temp, f.path)
}

// Discard removes what was written so far. Unlike Abort it may be called while other goroutines are still writing, by a program that is
// about to end.
func (f *Folder) Discard() { _ = os.RemoveAll(f.temp) }

// Abort removes what was written. After Commit, or a second time, it does nothing.
func (f *Folder) Abort() {
	_ = os.RemoveAll(f.temp)
	f.release()
}
