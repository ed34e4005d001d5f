package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// TestSameBytes runs each command with several numbers of workers: its JSON, and what it writes, are the same bytes.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	workers := []string{"1", "2", "3", "8"}
	if testing.Short() {
		workers = []string{"1", "3"}
	}
	const three, collective, tied, metrics = "testdata/cases/three-targets/", "testdata/cases/learn-collective/", "testdata/cases/collective/", "testdata/cases/metrics/"
	for name, args := range map[string][]string{
		"select":      {"select", three + "model.mln", "--stream", three + "facts.db", "-o", "OUT"},
		"select kl":   {"select", three + "model.mln", "--stream", three + "facts.db", "--criterion", "kl", "-o", "OUT"},
		"discover":    {"discover", three + "model.mln", "--stream", three + "facts.db", "--length", "2", "--support", "2", "-o", "OUT"},
		"select it":   {"select", three + "model.mln", "--stream", three + "facts.db", "--discover", "--length", "2", "--support", "2", "-o", "OUT"},
		"learn cd":    {"learn", collective + "model.mln", "--stream", collective + "facts.db", "--exact", "never", "--passes", "5", "-o", "OUT"},
		"learn pcd":   {"learn", collective + "model.mln", "--stream", collective + "facts.db", "--method", "pcd", "--exact", "never", "--passes", "5", "-o", "OUT"},
		"learn batch": {"learn", collective + "model.mln", "--stream", collective + "facts.db", "--batch", "4", "--passes", "5", "-o", "OUT"},
		"infer":       {"infer", "testdata/weighted.mln", "--stream", three + "facts.db"},
		"infer mcsat": {"infer", tied + "model.mln", "--stream", tied + "facts.db", "--method", "mcsat", "--chains", "3", "--samples", "200"},
		"map":         {"map", "testdata/weighted.mln", "--stream", three + "facts.db"},
		"map search":  {"map", tied + "model.mln", "--stream", tied + "facts.db", "--method", "search", "--sweeps", "100"},
		"counts":      {"counts", three + "model.mln", "--stream", three + "facts.db"},
		"eval":        {"eval", tied + "model.mln", "--stream", tied + "facts.db", "--method", "mcsat", "--samples", "200"},
		"eval saved":  {"eval", metrics + "model.mln", "--stream", metrics + "facts.db", "--marginals", metrics + "marginals.json"},
		"crossval":    {"crossval", three + "model.mln", "--stream", three + "facts.db", "--folds", "2", "--learn-on", "all", "--samples", "200"},
		"pack":        {"pack", three + "model.mln", three + "facts.db", "-o", "OUT"},
		"demo":        {"demo", "--subgraphs", "4"},
		"cluster":     {"bench", "cluster", "--subgraphs", "1e5,1e7", "--cores", "16,64"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want []byte
			workers := workers
			if name == "demo" { // it cross-validates, which takes long
				if testing.Short() {
					t.Skip("crossval is tested")
				}
				workers = []string{"1", "8"}
			}
			for _, n := range workers {
				out := filepath.Join(t.TempDir(), "out")
				run := append([]string{}, args...)
				if run[len(run)-1] == "OUT" {
					run[len(run)-1] = out
				}
				if name != "pack" {
					run = append(run, "--json")
				}
				got := []byte(output(t, append(run, "--workers", n)...))
				if written, err := os.ReadFile(out); err == nil {
					got = append(got, written...)
				}
				if want == nil {
					want = got
				}
				if len(got) == 0 || !bytes.Equal(got, want) {
					t.Fatalf("%s workers: got\n%s\nwant, as with 1\n%s", n, got, want)
				}
			}
		})
	}
}

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

// TestSameRun runs a command twice: only --timings makes a difference.
func TestSameRun(t *testing.T) {
	t.Parallel()
	args := []string{"learn", "testdata/cases/smokers/model.mln", "--stream", "testdata/cases/smokers/facts.db"}
	first, second := output(t, append(args, "--json")...), output(t, append(args, "--json")...)
	if first != second {
		t.Errorf("got\n%s\nwant, as in the first run\n%s", second, first)
	}
	if got := printed[map[string]any](t, append(args, "--timings")...); got["seconds"] == nil {
		t.Errorf("got %v, want seconds in it", got)
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
