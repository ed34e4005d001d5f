package main_test

import (
	"os"
	"path/filepath"
	"testing"

	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// TestSameResults reads the same subgraphs from text, from a stream, from archives and from pipes.
func TestSameResults(t *testing.T) {
	t.Parallel()
	const model, facts = "testdata/cases/three-targets/model.mln", "testdata/cases/three-targets/facts.db"
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	output(t, "pack", model, facts, "-o", at("s.rsg"))
	output(t, "pack", model, facts, "--zstd", "-o", at("small.rsg"))
	if piped := output(t, "pack", model, facts, "-o", "-"); piped != string(contents(t, at("s.rsg"))) {
		t.Error("pack -o - does not write what pack -o FILE does")
	}
	compress(t, facts, at("facts.db.gz"))
	compress(t, at("s.rsg"), at("s.rsg.gz"))
	for name, args := range map[string][]string{
		"select": {"select", model}, "counts": {"counts", model}, "infer": {"infer", "testdata/weighted.mln", "--samples", "100"},
		"learn": {"learn", model, "--subgraphs", "6", "--passes", "1"}, "eval": {"eval", "testdata/weighted.mln", "--samples", "100"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := output(t, append(args, "--json", "--stream", facts)...)
			for _, path := range []string{at("s.rsg"), at("small.rsg"), at("facts.db.gz"), at("s.rsg.gz")} {
				if got := output(t, append(args, "--json", "--stream", path)...); got != want {
					t.Errorf("%s: got\n%s\nwant, as from text\n%s", filepath.Base(path), got, want)
				}
				got := piped(t, contents(t, path), append(args, "--json", "--stream", "-")...)
				if got.status != 0 || got.stdout != want {
					t.Errorf("pipe of %s: got status %d\n%s%s\nwant, as from text\n%s",
						filepath.Base(path), got.status, got.stderr, got.stdout, want)
				}
			}
		})
	}
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	check.OK(t, err)
	return data
}

// compress writes a gzip archive of a file.
func compress(t *testing.T, from, to string) {
	t.Helper()
	check.OK(t, os.WriteFile(to, archivetest.Gzip(contents(t, from)), 0o600))
}
