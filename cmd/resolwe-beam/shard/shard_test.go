package shard_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs" // a remote one
	"github.com/google/go-cmp/cmp"
	"resolwe"
	"resolwe/format/rsg"
	"resolwe/format/shards"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"

	"resolwe/cmd/resolwe-beam/internal/test/beamtest"
	"resolwe/cmd/resolwe-beam/shard"
)

// find returns the shards of inputs.
func find(t *testing.T, inputs ...string) []shard.Shard {
	t.Helper()
	list, err := shard.Find(t.Context(), inputs)
	check.OK(t, err)
	return list
}

// upload puts a demo's shards into a folder of the file system in memory.
func upload(t *testing.T, d beamtest.Demo, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(d.Folder, "*"))
	check.OK(t, err)
	fs, err := filesystem.New(t.Context(), folder)
	check.OK(t, err)
	for _, f := range files {
		data, err := os.ReadFile(f)
		check.OK(t, err)
		check.OK(t, filesystem.Write(t.Context(), fs, folder+"/"+filepath.Base(f), data))
	}
}

// names returns the names of the subgraphs of a shard, with their positions.
func names(t *testing.T, m *resolwe.Model, s shard.Shard) []string {
	t.Helper()
	o, err := s.Open(t.Context(), m, resolwe.StreamOptions{})
	check.OK(t, err)
	entries, err := o.Entries(t.Context())
	check.OK(t, errors.Join(err, o.Close()))
	var out []string
	for _, e := range entries {
		out = append(out, fmt.Sprint(e.Index, e.Name))
	}
	return out
}

// A manifest, its folder, a glob, and the same on a remote file system give the same stream, and leave no copy.
func TestFind(t *testing.T) {
	d := beamtest.New(t, 15, 4, 5)
	upload(t, d, "memfs://bucket/run")
	t.Setenv("TMPDIR", t.TempDir())
	whole := shard.Shard{Path: d.Stream, Length: 15, End: 15, Bytes: -1}
	want := names(t, d.Model, whole)
	for _, input := range []string{
		d.Folder, filepath.Join(d.Folder, "manifest.json"), d.Glob, "memfs://bucket/run", "memfs://bucket/run/manifest.json",
	} {
		for _, most := range []int{0, 1, 4} {
			var got []string
			for _, s := range shard.Divided(find(t, input), most) {
				got = append(got, names(t, d.Model, s)...)
			}
			check.Equal(t, fmt.Sprintf("%s, at most %d", input, most), got, want)
		}
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("copies are left: %v", left)
	}
}

// Of remote files without a manifest the lengths are open.
func TestFind_RemoteGlob(t *testing.T) {
	d := beamtest.New(t, 5, 2, 5)
	upload(t, d, "memfs://bucket/glob")
	for i, s := range find(t, "memfs://bucket/glob/*.rsg") {
		if s.Length != -1 || s.Number != i || s.Path != "memfs://bucket/glob/"+d.Manifest.Shards[i].File {
			t.Errorf("got %v, want shard %d without a length", s, i)
		}
	}
}

func TestFind_Errors(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"none.json": "{}", "damaged.rsg": "no stream", "latin1-\xe9.rsg": "no stream"} {
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for input, want := range map[string]any{
		filepath.Join(dir, "missing-*"):   new(*resolwe.PathError),
		filepath.Join(dir, "none.json"):   new(*resolwe.PathError),
		filepath.Join(dir, "no.json"):     new(*resolwe.PathError),
		"unknown://bucket/x":              new(*resolwe.PathError),
		filepath.Join(dir, "damaged.rsg"): new(*rsg.CorruptError),
		filepath.Join(dir, "\xe9.rsg"):    new(*resolwe.PathError),
		filepath.Join(dir, "latin1-*"):    new(*resolwe.PathError),
	} {
		if _, err := shard.Find(t.Context(), []string{input}); !errors.As(err, want) {
			t.Errorf("%s: got %v, want a %T", input, err, want)
		}
	}
}

// A file that is not the one of its manifest is damaged input, and leaves no copy.
func TestOpen_Mismatch(t *testing.T) {
	d := beamtest.New(t, 9, 1, 5)
	upload(t, d, "memfs://bucket/other")
	t.Setenv("TMPDIR", t.TempDir())
	local, remote := find(t, d.Folder)[0], find(t, "memfs://bucket/other")[0]
	change := func(s shard.Shard, f func(*shard.Shard)) shard.Shard {
		f(&s)
		return s
	}
	for name, s := range map[string]shard.Shard{
		"shorter":      change(local, func(s *shard.Shard) { s.Bytes++ }),
		"longer":       change(local, func(s *shard.Shard) { s.Bytes-- }),
		"subgraphs":    change(local, func(s *shard.Shard) { s.Length++; s.End++ }),
		"copy shorter": change(remote, func(s *shard.Shard) { s.Bytes++ }),
		"copy longer":  change(remote, func(s *shard.Shard) { s.Bytes-- }),
		"copy changed": change(remote, func(s *shard.Shard) { s.SHA256 = strings.Repeat("0", 64) }),
	} {
		_, err := s.Open(t.Context(), d.Model, resolwe.StreamOptions{})
		if !errors.As(err, new(*shards.Error)) || !errors.Is(err, subgraph.ErrCorrupt) {
			t.Errorf("%s: got %v, want a *shards.Error", name, err)
		}
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("copies are left: %v", left)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	want := shard.Shard{Number: 3, Path: "gs://b/\"ü.rsg", First: 7, Length: 9, Begin: 8, End: 12, Bytes: 99, SHA256: "ab"}
	got, err := shard.Parse(want.String())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	check.Fails(t, check.Err(shard.Parse("{")), "half an element")
}

func ExampleWithin() {
	list := shard.Number([]shard.Shard{{Path: "a.rsg", Length: 4}, {Path: "b.rsg", Length: 3}, {Path: "c.rsg", Length: 5}})
	for _, s := range shard.Divided(shard.Within(list, 2, 8), 2) {
		fmt.Println(s.Number, s.Path, s.Begin, s.End)
	}
	// Output:
	// 0 a.rsg 2 4
	// 1 b.rsg 4 6
	// 2 b.rsg 6 7
	// 3 c.rsg 7 8
}
