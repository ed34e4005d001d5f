package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resolwe/internal/test/check"

	"resolwe/cmd/resolwe-beam/internal/test/beamtest"
)

// A program that needs more memory than it may have ends with its own status, names the flag, and leaves nothing.
func TestMemory(t *testing.T) {
	d := beamtest.New(t, 200, 4, 3)
	work, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	t.Setenv("TMPDIR", t.TempDir())
	got := program(t, func(*os.Process) {}, "infer", d.Weighted, "--stream", d.Folder, "--method", "mcsat", "--samples", "100000",
		"--work", work, "-o", out, "--memory", "8MiB")
	if got.status != 4 || !strings.Contains(got.stderr, "8.0 MiB of --memory") || got.stdout != "" {
		t.Errorf("got exit status %d, %q and %q", got.status, got.stdout, got.stderr)
	}
	for _, folder := range []string{work, out, os.Getenv("TMPDIR")} {
		left, err := os.ReadDir(folder)
		if !os.IsNotExist(err) {
			check.OK(t, err)
		}
		check.Empty(t, left, "left in %s", folder)
	}
}
