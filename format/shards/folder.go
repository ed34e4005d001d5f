package shards

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"resolwe/format/rsg"
	"resolwe/internal/atomicfile"
)

// ErrNotEmpty says that a folder of shards cannot be written where there are files.
var ErrNotEmpty = errors.New("folder is not empty")

// Folder is a folder of shards being written under a temporary name beside its own. Abort may come from another goroutine;
// beside that, files are for one goroutine each.
type Folder struct {
	path    string // where Commit puts it
	temp    string
	release func() // gives up the temporary name
}

// CreateFolder starts a folder that Commit puts at path, where nothing is, or an empty folder. The error is an
// *os.PathError; ErrNotEmpty where there are files.
func CreateFolder(path string) (*Folder, error) {
	mode := fs.FileMode(0o750)
	info, err := os.Stat(path)
	switch {
	case err == nil:
		if err := checkEmpty(path); err != nil {
			return nil, &os.PathError{Op: "create", Path: path, Err: err}
		}
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil { // a link stays
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

// checkEmpty returns an error where path is not an empty folder.
func checkEmpty(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	if _, err = d.Readdirnames(1); err == nil {
		return ErrNotEmpty
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Path returns where a file of the folder lies until Commit.
func (f *Folder) Path(file string) string { return filepath.Join(f.temp, file) }

// WriteShard writes n subgraphs of a stream, which has to give names, from position first on as shard i of all. It may be
// called from several goroutines at a time.
func (f *Folder) WriteShard(ctx context.Context, i, all int, from *rsg.File, first, n int, opt rsg.WriterOptions) (Shard, error) {
	file := name(i, all)
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

// writeShard writes n subgraphs of a stream from position first on as a stream of their own, and describes it but for its
// name. Names and relations that they share with subgraphs before them are written once more. f has to give names.
func writeShard(ctx context.Context, w io.Writer, f *rsg.File, first, n int, opt rsg.WriterOptions) (Shard, error) {
	s := Shard{First: first, Subgraphs: n}
	sum := newSum()
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
	if err := out.Close(); err != nil {
		return Shard{}, err
	}
	s.Bytes, s.SHA256 = sum.bytes, sum.hex()
	return s, nil
}

// Commit writes the manifest and puts the folder in its place. After an error nothing of it is left.
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
	if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) { // empty
		return err
	}
	return os.Rename(f.temp, f.path)
}

// Discard removes what was written so far. Unlike Abort it may be called beside goroutines that go on: for a program that is
// about to end.
func (f *Folder) Discard() { _ = os.RemoveAll(f.temp) }

// Abort gives the folder up and removes what was written. After Commit, or again, it does nothing.
func (f *Folder) Abort() {
	_ = os.RemoveAll(f.temp)
	f.release()
}
