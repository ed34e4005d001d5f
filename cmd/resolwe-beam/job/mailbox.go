package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"resolwe/cmd/internal/console"
	"resolwe/internal/atomicfile"

	"resolwe/cmd/resolwe-beam/shard"
)

// FailedError is the failure of a job, as reported by a worker.
type FailedError struct {
	Message string `json:"message"`
	Status  int    `json:"status"` // exit status of the program
	Final   bool   `json:"final"`  // it would fail again if retried
}

// Error gives the message.
func (e *FailedError) Error() string { return e.Message }

// ErrNoResult says that a job ended without a result: it was cancelled, or its results went elsewhere.
var ErrNoResult = errors.New("the job ended without a result")

// path returns the path of a file in the mailbox.
func (b Mailbox) path(name string) string { return shard.Join(b.Folder, "resolwe-"+b.ID+"-"+name) }

// The files of a mailbox that are not results: the report of a failure, and a marker that exists while results are wanted.
const (
	failed = "failed"
	wanted = "wanted"
)

// errUnwanted stops a runner that continues after the program has left the job.
var errUnwanted = errors.New("nobody waits for the results of this job any more")

// Wanted returns an error if the attempt is over. A runner may not know that, and nobody would remove what it writes then.
func (b Mailbox) Wanted(ctx context.Context) error {
	if _, err := b.Get(ctx, wanted); err != nil {
		return errUnwanted
	}
	if e, ok := b.told(ctx); ok && e.Final {
		return &e
	}
	return nil
}

// Fail reports a failure in the mailbox and returns it. Errors that the user must fix, and damaged input, are final. A worker that is
// stopped because another failed reports nothing.
func (b Mailbox) Fail(ctx context.Context, err error) error {
	if ctx.Err() != nil || b.Wanted(ctx) != nil {
		return err
	}
	status := console.Status(ctx, err)
	data, marshalling := json.Marshal(FailedError{
		Message: err.Error(), Status: status, Final: slices.Contains(final, status),
	})
	if marshalling != nil {
		return errors.Join(err, marshalling)
	}
	return errors.Join(err, b.Put(ctx, failed, data))
}

// final are the exit statuses of failures that a retry would repeat.
var final = []int{console.Usage, console.Damaged, console.Memory}

// failure returns the failure that a worker reported, otherwise the runner's error.
func (b Mailbox) failure(ctx context.Context, err error) error {
	if e, ok := b.told(ctx); ok {
		return &e
	}
	return fmt.Errorf("the job failed, and no worker reported a cause: %w", err)
}

// told returns the failure that a worker reported, if any.
func (b Mailbox) told(ctx context.Context) (e FailedError, ok bool) {
	data, err := b.Get(ctx, failed)
	ok = err == nil && json.Unmarshal(data, &e) == nil
	return e, ok
}

// Put writes a file if results are wanted. On a local file system it appears complete or not at all; remote ones ensure that themselves.
func (b Mailbox) Put(ctx context.Context, name string, data []byte) error {
	if err := b.Wanted(ctx); err != nil {
		return err
	}
	return b.put(ctx, name, data)
}

func (b Mailbox) put(ctx context.Context, name string, data []byte) error {
	return b.Write(ctx, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Write writes a file that is too large for memory; write checks whether it is wanted.
func (b Mailbox) Write(ctx context.Context, name string, write func(io.Writer) error) error {
	return Write(ctx, b.path(name), write)
}

// Publish renames a file to its plain name in the folder, and returns its path. It replaces any file of that name.
func (b Mailbox) Publish(ctx context.Context, name string) (string, error) {
	to := shard.Join(b.Folder, name)
	if !shard.IsRemote(to) {
		return to, os.Rename(b.path(name), to)
	}
	return to, shard.With(ctx, to, func(fs filesystem.Interface) error { return filesystem.Rename(ctx, fs, b.path(name), to) })
}

// Retire removes the files of the folder whose names match a pattern, except some paths.
func (b Mailbox) Retire(ctx context.Context, names *regexp.Regexp, except []string) error {
	return shard.With(ctx, b.Folder, func(fs filesystem.Interface) error {
		paths, err := fs.List(ctx, shard.Join(b.Folder, "*"))
		if err != nil {
			return err
		}
		return remove(ctx, fs, slices.DeleteFunc(paths, func(p string) bool {
			return !names.MatchString(path.Base(filepath.ToSlash(p))) || slices.Contains(except, p)
		}))
	})
}

// remove removes files, the last one first.
func remove(ctx context.Context, fs filesystem.Interface, paths []string) (err error) {
	remover, ok := fs.(filesystem.Remover)
	for _, p := range slices.Backward(paths) {
		if !ok {
			return fmt.Errorf("%s: this file system cannot remove files", p)
		}
		err = errors.Join(err, remover.Remove(ctx, p))
	}
	return err
}

// Get reads a file. The error is ErrNoResult if it does not exist.
func (b Mailbox) Get(ctx context.Context, name string) ([]byte, error) {
	data, err := shard.Read(ctx, b.path(name))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoResult, err)
	}
	return data, nil
}

// clear removes the files.
func (b Mailbox) clear(ctx context.Context) error {
	var begun []string
	if !shard.IsRemote(b.Folder) { // what killed workers left unfinished
		begun, _ = filepath.Glob(atomicfile.Temporary(b.path("*")) + "*") // the pattern is one
	}
	return shard.With(ctx, b.Folder, func(fs filesystem.Interface) error {
		paths, err := fs.List(ctx, b.path("*"))
		if err != nil {
			return err
		}
		return remove(ctx, fs, slices.Concat(begun, paths)) // the marker first
	})
}

// creating is locked for good when the program is about to end early: files created after that would remain.
var creating sync.RWMutex

// Write writes a file on any file system, whole or not at all.
func Write(ctx context.Context, path string, write func(io.Writer) error) error {
	if !shard.IsRemote(path) {
		creating.RLock()
		f, err := atomicfile.Create(path)
		creating.RUnlock()
		if err != nil {
			return err
		}
		defer f.Abort()
		if err := write(f); err != nil {
			return err
		}
		return f.Commit()
	}
	return shard.With(ctx, path, func(fs filesystem.Interface) error {
		w, err := fs.OpenWrite(ctx, path)
		if err != nil {
			return err
		}
		return errors.Join(write(w), w.Close())
	})
}
