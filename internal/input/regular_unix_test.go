//go:build unix

package input_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"resolwe/internal/input"
	"resolwe/internal/test/check"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	check.OK(t, os.WriteFile(path("file"), []byte("bytes"), 0o600))
	check.OK(t, unix.Mkfifo(path("pipe"), 0o600))
	socket, err := net.Listen("unix", path("socket"))
	check.OK(t, err)
	defer socket.Close()
	for _, name := range []string{"file", "pipe"} {
		check.OK(t, os.Symlink(name, path("link to "+name)))
	}
	for name, want := range map[string]error{
		"file": nil, "link to file": nil, "nothing": os.ErrNotExist,
		".": input.ErrKind, "pipe": input.ErrKind, "link to pipe": input.ErrKind, "socket": input.ErrKind, "/dev/null": input.ErrKind,
	} {
		if !filepath.IsAbs(name) {
			name = path(name)
		}
		f, _, err := input.Open(name)
		check.ErrorIs(t, err, want, "%s", name)
		if err == nil {
			check.OK(t, f.Close())
		}
	}
}

// Open does not block if a pipe replaces a file between its check and its opening.
func TestOpen_Race(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, file, pipe := filepath.Join(dir, "path"), filepath.Join(dir, "file"), filepath.Join(dir, "pipe")
	check.OK(t, os.WriteFile(file, nil, 0o600))
	check.OK(t, unix.Mkfifo(pipe, 0o600))
	check.OK(t, os.Symlink(file, path))
	done := make(chan bool)
	go func() {
		defer close(done)
		for i := range 1000 {
			next := filepath.Join(dir, "next")
			check.OK(t, errors.Join(os.Symlink([]string{file, pipe}[i%2], next), os.Rename(next, path)))
		}
	}()
	for {
		select {
		case <-done:
			return
		default:
		}
		if f, _, err := input.Open(path); err == nil {
			check.OK(t, f.Close())
		} else if !errors.Is(err, input.ErrKind) {
			t.Fatal(err)
		}
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change        func(path string) error
		same, written bool
	}{
		"nothing": {func(string) error { return nil }, true, false},
		"append":  {appendTo, true, true},
		"touch":   {func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(9, 0)) }, true, true},
		"replace": {func(path string) error {
			return errors.Join(os.WriteFile(path+"2", []byte("bytes"), 0o600), os.Rename(path+"2", path))
		}, false, false},
		"overwrite, with the time put back": {func(path string) error {
			info, err := os.Stat(path)
			check.OK(t, err)
			time.Sleep(20 * time.Millisecond) // longer than a tick of the clock of file systems
			return errors.Join(os.WriteFile(path, []byte("other"), 0o600), os.Chtimes(path, time.Time{}, info.ModTime()))
		}, true, true},
		"remove":         {os.Remove, false, false},
		"truncate":       {func(path string) error { return os.Truncate(path, 2) }, true, true},
		"move elsewhere": {func(path string) error { return os.Rename(path, path+"2") }, false, false},
	} {
		path := filepath.Join(t.TempDir(), "file")
		check.OK(t, os.WriteFile(path, []byte("bytes"), 0o600))
		f, state, err := input.Open(path)
		check.OK(t, err)
		check.OK(t, f.Close())
		check.OK(t, tt.change(path))
		same, written := state.Now()
		check.Equal(t, name+": same", same, tt.same)
		check.Equal(t, name+": written", written, tt.written)
	}
}

func appendTo(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(" more")
	return errors.Join(err, f.Close())
}
