package resolwe_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"resolwe"
	"resolwe/format/origin"
	"resolwe/format/rsg"
	"resolwe/format/shards"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/building"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// sharded writes subgraphs as shards into a new folder, and returns it.
func sharded(t *testing.T, m *resolwe.Model, subs []*subgraph.Subgraph, n, workers int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shards")
	check.OK(t, writeShards(t, m, subs, dir, n, workers))
	return dir
}

func writeShards(t *testing.T, m *resolwe.Model, subs []*subgraph.Subgraph, dir string, n, workers int) error {
	t.Helper()
	folder, err := shards.CreateFolder(dir)
	check.OK(t, err)
	defer folder.Abort()
	opt := building.ShardOptions{Shards: n, Run: func(string, string, int64) resolwe.Run { return resolwe.Run{Workers: workers} }}
	_, err = building.WriteShards(t.Context(), m.Schema, folder, opt, func(w *rsg.Writer) error {
		for _, s := range subs {
			if err := w.Write(s); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// bytesIn returns the contents of a folder's files.
func bytesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check.OK(t, err)
	out := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		check.OK(t, err)
		out[e.Name()] = string(data)
	}
	return out
}

func TestWriteShards_AreTheStream(t *testing.T) {
	t.Parallel()
	const n = 9
	m := parse(t, sharing)
	subs := subgraphs(t, m, sharingDB(7, n))
	single := pack(t, m.Schema, subs, rsg.WriterOptions{})
	opt := resolwe.SelectOptions{Criterion: resolwe.Paper, Subgraphs: 7}
	want, err := resolwe.Select(t.Context(), m, open(t, m, resolwe.StreamOptions{}, file(t, "", "one.rsg", single)), opt)
	check.OK(t, err)
	for _, k := range []int{1, 2, 5, n} {
		t.Run(fmt.Sprint(k, " shards"), func(t *testing.T) {
			t.Parallel()
			dir := sharded(t, m, subs, k, 1)
			if got := bytesIn(t, dir); len(got) != k+1 {
				t.Errorf("got %d files, want %d", len(got), k+1)
			}
			for _, workers := range []int{2, 7} {
				check.Equal(t, fmt.Sprintf("with %d workers", workers), bytesIn(t, sharded(t, m, subs, k, workers)), bytesIn(t, dir))
			}
			for _, path := range []string{dir, filepath.Join(dir, shards.ManifestName), filepath.Dir(dir) + "/shar*"} {
				var again []*subgraph.Subgraph
				s := open(t, m, resolwe.StreamOptions{Names: true}, path)
				err := resolwe.Each(t.Context(), s, resolwe.Run{}, func(sub *subgraph.Subgraph) error {
					again = append(again, sub.Clone())
					return nil
				})
				if err != nil || !bytes.Equal(pack(t, m.Schema, again, rsg.WriterOptions{}), single) {
					t.Errorf("%s: written as one stream it is not the single stream's bytes (%v)", path, err)
				}
				got, err := resolwe.Select(t.Context(), m, s, opt)
				check.OK(t, err)
				check.Equal(t, path+": selection", []any{rules(got.Selected), got.Notes}, []any{rules(want.Selected), want.Notes})
			}
		})
	}
}

func TestWriteShards_Refuses(t *testing.T) {
	t.Parallel()
	m := parse(t, sharing)
	subs := subgraphs(t, m, sharingDB(7, 3))
	for _, n := range []int{-1, 0, 4, shards.MaxShards + 1} {
		parent := t.TempDir()
		err := writeShards(t, m, subs, filepath.Join(parent, "out"), n, 1)
		if n == 4 && !errors.As(err, new(*shards.TooManyError)) || n != 4 && !errors.As(err, new(*resolwe.OptionError)) {
			t.Errorf("%d shards of 3 subgraphs: got %v", n, err)
		}
		check.Is(t, len(bytesIn(t, parent)), 0, "%d shards, left", n)
	}
}

func TestOpenStream_Manifest(t *testing.T) {
	t.Parallel()
	m := parse(t, sharing)
	subs := subgraphs(t, m, sharingDB(7, 4))
	change := func(name string, change func(path string) error) func(dir string) error {
		return func(dir string) error { return change(filepath.Join(dir, name)) }
	}
	const last = "shard-00001-of-00002.rsg"
	tests := []struct {
		name   string
		change func(dir string) error
		skip   bool
		length int
	}{
		{
			name: "a damaged shard is skipped", skip: true, length: -1,
			change: change(last, func(path string) error {
				info, err := os.Stat(path)
				if err != nil {
					return err
				}
				return os.Truncate(path, info.Size()-1)
			}),
		},
		{
			name: "somebody else's manifest", length: 4,
			change: change(shards.ManifestName, func(path string) error {
				return os.WriteFile(path, []byte(`{"manifest_version": 3}`), 0o600)
			}),
		},
		{
			name: "a stream that is no shard", length: 4,
			change: change("a.db", func(path string) error { return os.WriteFile(path, []byte("nonsense"), 0o600) }),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := sharded(t, m, subs, 2, 1)
			check.OK(t, tt.change(dir))
			s, err := resolwe.OpenStream(m, []string{dir}, resolwe.StreamOptions{SkipDamaged: tt.skip})
			check.OK(t, err)
			defer s.Close()
			check.Is(t, s.Len(), tt.length, "subgraphs")
		})
	}
}

// TestStream_Origin adds the draws of the streams that it reads: a packed one says them once it was read, and a stream in shards says them once.
func TestStream_Origin(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	draws := &origin.Origin{Draws: []origin.Draw{{Target: "smokes", Truth: true, Eligible: 9, Kept: 5}}}
	fill := func(first int) func(*rsg.Writer) error {
		return func(w *rsg.Writer) error {
			for _, s := range subgraphs(t, m, friendsDB(first, 5)) {
				check.OK(t, w.Write(s))
			}
			return w.SetOrigin(draws)
		}
	}
	var plain, later bytes.Buffer
	for first, out := range map[int]*bytes.Buffer{0: &plain, 5: &later} {
		w, err := rsg.NewWriter(out, m.Schema, rsg.WriterOptions{})
		check.OK(t, err)
		check.OK(t, fill(first)(w))
		check.OK(t, w.Close())
	}
	dir := filepath.Join(t.TempDir(), "shards")
	folder, err := shards.CreateFolder(dir)
	check.OK(t, err)
	_, err = building.WriteShards(t.Context(), m.Schema, folder, building.ShardOptions{Shards: 3}, fill(0))
	check.OK(t, err)
	for _, row := range []struct {
		name   string
		paths  []string
		before bool // it is read
		want   int64
	}{
		{"file", []string{file(t, "", "s.rsg", plain.Bytes())}, true, 9},
		{"packed file", []string{file(t, "", "s.rsg.gz", archivetest.Gzip(plain.Bytes()))}, false, 9},
		{"two files", []string{file(t, "", "s.rsg", plain.Bytes()), file(t, "", "t.rsg", later.Bytes())}, true, 18},
		{"shards", []string{dir}, true, 9},
		{"text", []string{file(t, "", "s.db", []byte(friendsDB(0, 5)))}, false, 0},
	} {
		s := open(t, m, resolwe.StreamOptions{Names: true}, row.paths...)
		check.Is(t, s.Origin() != nil, row.before, "%s: known before it is read", row.name)
		check.OK(t, check.Err(contents(t, m, s)))
		if o := s.Origin(); o != nil {
			check.Is(t, o.Draws[0].Eligible, row.want, "%s: eligible", row.name)
		} else {
			check.Is(t, row.want, 0, "%s: eligible", row.name)
		}
	}
}
