package atomicfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"resolwe/internal/atomicfile"
	"resolwe/internal/test/check"
)

// The remains of a killed run's output are removed by the next run in its place; output still being written is not.
func TestCreate_RemovesLeft(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files cannot be locked")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, strings.Repeat("o", 250))
	left := atomicfile.Temporary(path) + "0"
	check.OK(t, os.WriteFile(left, []byte("half"), 0o600))
	first, err := atomicfile.Create(path)
	check.OK(t, err)
	second, err := atomicfile.Create(path)
	check.OK(t, err)
	for f, text := range map[*atomicfile.File]string{first: "first", second: "second"} {
		_, err := f.Write([]byte(text))
		check.OK(t, err)
	}
	check.OK(t, first.Commit())
	check.Equal(t, "after the first", read(t, path), "first")
	check.OK(t, second.Commit())
	check.Equal(t, "files", files(t, dir), map[string]string{filepath.Base(path): "second"})
}

// A name that is occupied by something else, such as a link, is left alone.
func TestClaim_LeavesOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept")
	check.OK(t, os.WriteFile(kept, nil, 0o600))
	stem := filepath.Join(dir, "stem")
	check.OK(t, os.Symlink(kept, stem+"0"))
	check.OK(t, os.Mkdir(stem+"1", 0o700))
	check.OK(t, os.WriteFile(filepath.Join(stem+"1", "left"), nil, 0o600))
	name, release, err := atomicfile.Claim(stem, func(name string) error { return os.Mkdir(name, 0o700) })
	check.OK(t, err)
	defer release()
	if want := stem + "1"; name != want && runtime.GOOS != "windows" {
		t.Errorf("got %s, want %s", name, want)
	}
	check.ErrorIs(t, check.Err(os.Stat(filepath.Join(name, "left"))), fs.ErrNotExist, "what was left there")
	check.OK(t, check.Err(os.Lstat(stem+"0")))
}
