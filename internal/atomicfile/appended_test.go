package atomicfile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"resolwe/internal/atomicfile"
	"resolwe/internal/test/check"
)

func appended(t *testing.T, path string, keep bool) *atomicfile.Appended {
	t.Helper()
	a, err := atomicfile.OpenAppended(path, keep)
	check.OK(t, err)
	t.Cleanup(func() { _ = a.Close() })
	return a
}

func TestAppended(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "curve.csv")
	write(t, path, "an older curve\n", 0o600)
	a := appended(t, path, false)
	check.Equal(t, "before the first line", read(t, path), "an older curve\n")
	check.OK(t, check.Err(a.Write([]byte("1\n"))))
	check.Equal(t, "after a line", read(t, path), "1\n")
	mark, err := a.Sync()
	check.OK(t, err)
	check.OK(t, check.Err(a.Write([]byte("2\n"))))
	if runtime.GOOS != "windows" {
		for _, keep := range []bool{false, true} {
			check.ErrorIs(t, check.Err(atomicfile.OpenAppended(path, keep)), atomicfile.ErrInUse, "a second run")
		}
	}
	check.OK(t, a.Close())
	check.OK(t, a.Close())

	a = appended(t, path, true)
	check.OK(t, a.Rewind(mark))
	check.OK(t, check.Err(a.Write([]byte("3\n"))))
	check.Equal(t, "resumed", read(t, path), "1\n3\n")
	check.ErrorIs(t, a.Rewind(100), atomicfile.ErrShorter, "a mark beyond the end")
	check.OK(t, a.Close())

	check.OK(t, appended(t, path, false).Close())
	check.Equal(t, "nothing was written", read(t, path), "1\n3\n")
	none := filepath.Join(t.TempDir(), "none")
	check.OK(t, appended(t, none, false).Close())
	check.ErrorIs(t, check.Err(os.Stat(none)), os.ErrNotExist, "a new file without lines")
}

func TestAppended_Nil(t *testing.T) {
	t.Parallel()
	var a *atomicfile.Appended
	n, err := a.Write([]byte("line"))
	check.OK(t, err)
	check.Equal(t, "written", n, 4)
	_, err = a.Sync()
	check.OK(t, err)
	check.OK(t, a.Rewind(0))
	check.OK(t, a.Close())
}

// A line that does not fit is removed whole.
func TestAppended_Full(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	a := appended(t, "/dev/full", false)
	check.Fails(t, check.Err(a.Write([]byte("line\n"))), "a full disk")
}

func TestHold(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("folders cannot be locked")
	}
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	check.OK(t, os.Symlink(dir, link))
	release, err := atomicfile.Hold(dir)
	check.OK(t, err)
	check.ErrorIs(t, check.Err(atomicfile.Hold(link)), atomicfile.ErrInUse, "a second run")
	release()
	release, err = atomicfile.Hold(link)
	check.OK(t, err)
	release()
}

// Where others can put a link at an output's name, none is followed.
func TestLinks_SharedFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permissions are of unix")
	}
	dir, own := t.TempDir(), t.TempDir()
	check.OK(t, os.Chmod(dir, 0o1777))
	victim, link := filepath.Join(own, "victim"), filepath.Join(dir, "out")
	write(t, victim, "old", 0o600)
	check.OK(t, os.Symlink(victim, link))
	check.Fails(t, check.Err(atomicfile.Create(link)), "create")
	check.Fails(t, check.Err(atomicfile.OpenAppended(link, false)), "append")
	check.OK(t, os.Remove(link))
	check.OK(t, create(t, link, "new").Commit())
	check.Equal(t, "victim", read(t, victim), "old")
}

// Where a group can write, a link is followed only if it is the user's.
func TestLinks_GroupFolder(t *testing.T) {
	t.Parallel()
	dir, own := t.TempDir(), t.TempDir()
	check.OK(t, os.Chmod(dir, 0o775)) // #nosec G302 -- that is tested
	file, link := filepath.Join(own, "file"), filepath.Join(dir, "out")
	write(t, file, "old", 0o600)
	check.OK(t, os.Symlink(file, link))
	check.OK(t, create(t, link, "new").Commit())
	check.Equal(t, "through a link of one's own", read(t, file), "new")
	if err := os.Lchown(link, 12345, -1); err != nil {
		t.Skip(err) // only root may
	}
	check.Fails(t, check.Err(atomicfile.Create(link)), "create")
	check.Fails(t, check.Err(atomicfile.OpenAppended(link, false)), "append")
	check.Equal(t, "file", read(t, file), "new")
}
