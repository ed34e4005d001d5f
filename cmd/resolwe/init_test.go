package main_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/txtar"

	"resolwe/internal/archive/archivetest"
	"resolwe/internal/check"
)

// TestInit drafts a recipe and a task for each of many odd folders. It builds what was drafted, or expects an error that says
// what to write. The comment of a case has the center, the target, and expressions that the recipe or the error matches.
func TestInit(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob("testdata/init/*.txtar")
	check.OK(t, err)
	if len(cases) < 40 {
		t.Fatalf("got %d cases", len(cases))
	}
	for _, path := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			check.OK(t, err)
			dir := unpack(t, archive)
			fields := map[string][]string{}
			for line := range strings.Lines(string(archive.Comment)) {
				if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok {
					fields[name] = append(fields[name], value)
				}
			}
			out := filepath.Join(t.TempDir(), "new", "task")
			got := resolwe(t, "init", dir, "--center", fields["center"][0], "--target", fields["target"][0], "-o", out)
			if status := fields["status"]; status != nil {
				refused(t, &got, status[0], fields["error"][0], out)
				return
			}
			if got.status != 0 {
				t.Fatalf("got status %d and %s", got.status, got.stderr)
			}
			recipe := string(contents(t, filepath.Join(out, "task.recipe")))
			for _, want := range fields["recipe"] {
				if !regexp.MustCompile(want).MatchString(recipe) {
					t.Errorf("the recipe has no %s:\n%s", want, recipe)
				}
			}
			stream := filepath.Join(out, "task.rsg")
			built := resolwe(t, "build", filepath.Join(out, "task.recipe"), "--model", filepath.Join(out, "task.mln"), "--data", dir, "-o", stream)
			if built.status != 0 || strings.HasPrefix(built.stderr, "0 subgraphs") || strings.Contains(built.stderr, "\n0 subgraphs") {
				t.Errorf("build: got status %d and %s\nof\n%s", built.status, built.stderr, recipe)
			}
		})
	}
}

// refused expects an error that leaves no file.
func refused(t *testing.T, got *outcome, status, want, out string) {
	t.Helper()
	if status != string(rune('0'+got.status)) || !regexp.MustCompile(want).MatchString(got.stderr) {
		t.Errorf("got status %d and %swant %s and %s", got.status, got.stderr, status, want)
	}
	if _, err := os.Stat(filepath.Dir(out)); err == nil {
		t.Error("something was written")
	}
}

// unpack writes the files of a case into a folder; behind | stands what is made of their text.
func unpack(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range a.Files {
		name, how, _ := strings.Cut(f.Name, "|")
		content := f.Data
		switch how {
		case "gz":
			name, content = name+".gz", archivetest.Gzip(content)
		case "zst":
			name, content = name+".zst", archivetest.Zstd(content)
		case "marked":
			content = append([]byte("\ufeff"), bytes.ReplaceAll(content, []byte("\n"), []byte("\r\n"))...)
		case "latin1":
			content = nil
			for _, r := range string(f.Data) {
				content = append(content, byte(r))
			}
		case "utf16", "utf16be":
			var order binary.AppendByteOrder = binary.LittleEndian
			if how == "utf16be" {
				order = binary.BigEndian
			}
			content = nil
			for _, c := range utf16.Encode([]rune("\ufeff" + string(f.Data))) {
				content = order.AppendUint16(content, c)
			}
		case "binary":
			content = bytes.Repeat([]byte{0, 1, 2, 0xff, '\n'}, 300)
		}
		check.OK(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	return dir
}
