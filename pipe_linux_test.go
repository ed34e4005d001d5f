package resolwe_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"resolwe"
	"resolwe/format/rsg"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// A named pipe, such as a shell makes for <(command), is read once from its beginning.
func TestOpenStream_NamedPipe(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	text := []byte(friendsDB(0, 3))
	for name, data := range map[string][]byte{
		"text": text, "gzip": archivetest.Gzip(text), "rsg": pack(t, m.Schema, subgraphs(t, m, string(text)), rsg.WriterOptions{}),
	} {
		path := filepath.Join(t.TempDir(), "pipe")
		check.OK(t, syscall.Mkfifo(path, 0o600))
		written := make(chan error)
		go func() { written <- os.WriteFile(path, data, 0o600) }()
		s := open(t, m, resolwe.StreamOptions{Names: true}, path)
		got, err := contents(t, m, s)
		if err != nil || len(got) != 3 || !s.ReadOnce() {
			t.Errorf("%s: got %d subgraphs, %v, read once %v", name, len(got), err, s.ReadOnce())
		}
		check.OK(t, <-written)
		check.ErrorIs(t, check.Err(contents(t, m, s)), resolwe.ErrReadOnce, "%s", name)
	}
}
