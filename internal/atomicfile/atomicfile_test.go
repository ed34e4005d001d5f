package atomicfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"resolwe/internal/atomicfile"
	"resolwe/internal/test/check"
)

// files returns names and contents of the regular files and links in dir.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check.OK(t, err)
	all := map[string]string{}
	for _, e := range entries {
		all[e.Name()] = read(t, filepath.Join(dir, e.Name()))
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	check.OK(t, err)
	return string(data)
}

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	check.OK(t, os.WriteFile(path, []byte(text), mode))
}

func create(t *testing.T, path, text string) *atomicfile.File {
	t.Helper()
	f, err := atomicfile.Create(path)
	check.OK(t, err)
	check.OK(t, check.Err(f.Write([]byte(text))))
	return f
}

func checkFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	check.Equal(t, "files", files(t, dir), want)
}

func TestCommit_AppearsAtOnce(t *testing.T) {
	t.Parallel()
	for _, replaced := range []string{"", "old"} {
		t.Run("in place of "+replaced, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "out")
			if replaced != "" {
				write(t, path, replaced, 0o600)
			}
			f := create(t, path, "new")
			defer f.Abort()
			if got, err := os.ReadFile(path); string(got) != replaced {
				t.Errorf("before commit: got %q (%v), want %q", got, err, replaced)
			}
			check.OK(t, f.Commit())
			f.Abort()
			checkFiles(t, dir, map[string]string{"out": "new"})
			check.ErrorIs(t, f.Commit(), fs.ErrClosed, "second commit")
			check.ErrorIs(t, check.Err(f.Write([]byte("x"))), fs.ErrClosed, "write after commit")
		})
	}
}

func TestAbort_LeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	create(t, path, "new").Abort()
	checkFiles(t, dir, map[string]string{})

	write(t, path, "old", 0o600)
	f := create(t, path, "new")
	f.Abort()
	f.Abort()
	checkFiles(t, dir, map[string]string{"out": "old"})
}

func TestCommit_FailureLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	f := create(t, path, "new")
	if err := os.Mkdir(path, 0o700); err != nil { // obstructs the rename
		t.Fatal(err)
	}
	check.Fails(t, f.Commit(), "commit")
	check.OK(t, os.Remove(path))
	checkFiles(t, dir, map[string]string{})
}

func TestCreate_KeepsMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permissions are of unix")
	}
	for _, want := range []fs.FileMode{0o600, 0o640, 0o755, 0o666} {
		t.Run(want.String(), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "out")
			write(t, path, "old", 0o600)
			check.OK(t, os.Chmod(path, want))
			check.OK(t, create(t, path, "new").Commit())
			checkMode(t, path, want)
		})
	}
	t.Run("new file", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		write(t, filepath.Join(dir, "plain"), "", 0o644)
		info, err := os.Stat(filepath.Join(dir, "plain"))
		check.OK(t, err)
		path := filepath.Join(dir, "out")
		check.OK(t, create(t, path, "new").Commit())
		checkMode(t, path, info.Mode())
	})
}

func checkMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	check.OK(t, err)
	check.Equal(t, "mode", info.Mode(), want)
}

func TestCreate_FollowsLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	write(t, target, "old", 0o600)
	if err := os.Symlink("target", link); err != nil {
		t.Skip(err)
	}
	check.OK(t, create(t, link, "new").Commit())
	checkFiles(t, dir, map[string]string{"target": "new", "link": "new"})
	if got, err := os.Readlink(link); got != "target" {
		t.Errorf("link: got %q (%v), want target", got, err)
	}
	check.OK(t, os.Remove(target))
	check.ErrorIs(t, check.Err(atomicfile.Create(link)), fs.ErrNotExist, "link to nothing")
}

func TestCreate_DeviceIsWrittenTo(t *testing.T) {
	t.Parallel()
	f := create(t, os.DevNull, "gone")
	check.OK(t, f.Commit())
	create(t, os.DevNull, "gone").Abort()
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s was replaced (%v)", os.DevNull, err)
	}
}

func TestCreate_Errors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check.Fails(t, check.Err(atomicfile.Create(dir)), "directory")
	check.ErrorIs(t, check.Err(atomicfile.Create(filepath.Join(dir, "none", "out"))), fs.ErrNotExist, "missing directory")
}

func TestSameFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, in("a"), "", 0o600)
	write(t, in("b"), "", 0o600)
	if err := errors.Join(os.Symlink("a", in("soft")), os.Link(in("a"), in("hard"))); err != nil {
		t.Skip(err)
	}
	tests := []struct {
		name   string
		out    string
		inputs []string
		want   string // the input, or empty
	}{
		{"no inputs", "a", nil, ""},
		{"another file", "b", []string{in("a"), in("soft")}, ""},
		{"the same path", "a", []string{in("b"), in("a")}, in("a")},
		{"another spelling", "a", []string{dir + "/./a"}, dir + "/./a"},
		{"output is a link", "soft", []string{in("a")}, in("a")},
		{"input is a link", "a", []string{in("soft")}, in("soft")},
		{"hard link", "hard", []string{in("a")}, in("a")},
		{"new output", "new", []string{in("a"), in("new")}, ""},
		{"missing input", "a", []string{in("new")}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := atomicfile.SameFile(in(tt.out), tt.inputs)
			got := ""
			if e, ok := errors.AsType[*atomicfile.SameFileError](err); ok {
				got = e.Input
			} else if err != nil {
				t.Fatal(err)
			}
			check.Equal(t, "result", got, tt.want)
		})
	}
	check.OKf(t, atomicfile.SameFile(os.DevNull, []string{os.DevNull}), "device")
}

func TestSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, in("a"), "", 0o600)
	write(t, in("b"), "", 0o600)
	check.OK(t, os.Mkdir(in("folder"), 0o700))
	if err := errors.Join(os.Symlink("a", in("soft")), os.Link(in("a"), in("hard")), os.Symlink("folder", in("other"))); err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"a", "b", false},
		{"a", "a", true},
		{"a", "soft", true},
		{"hard", "soft", true},
		{"a", "new", false},
		{"new", "a", false},
		{"new", "new", true},
		{"new", "new2", false},
		{"folder/new", "other/new", true},
		{"none/new", "none/./new", true},
	} {
		check.Equal(t, fmt.Sprintf("%s and %s", tt.a, tt.b), atomicfile.Same(in(tt.a), dir+"/"+tt.b), tt.want)
	}
	if atomicfile.Same(os.DevNull, os.DevNull) {
		t.Error("a device is one file")
	}
}

func ExampleSameFileError() {
	fmt.Println(&atomicfile.SameFileError{Output: "s.rsg", Input: "s.rsg"})
	fmt.Println(&atomicfile.SameFileError{Output: "s.rsg", Input: "./s.rsg"})
	// Output:
	// output s.rsg is also an input
	// output s.rsg is also an input, ./s.rsg
}

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
