package mmapfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"resolwe/internal/mmapfile"
)

// A pipe is refused at once, though nobody writes to it.
func TestOpen_Pipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := mmapfile.Open(path); !errors.Is(err, os.ErrInvalid) {
		t.Errorf("got %v, want %v", err, os.ErrInvalid)
	}
}
