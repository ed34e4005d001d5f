package shards_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/origin"
	"resolwe/format/rsg"
	"resolwe/format/shards"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// chain returns a stream of n subgraphs, each of which shares an entity with the next.
func chain(tb testing.TB, n int) *rsg.File {
	tb.Helper()
	schema := &mln.Schema{
		Types: []string{"person"},
		Predicates: []mln.Predicate{
			{Name: "friends", Args: []int{0, 0}, Role: mln.RoleEvidence}, {Name: "smokes", Args: []int{0}, Role: mln.RoleTarget},
		},
	}
	var stream bytes.Buffer
	w, err := rsg.NewWriter(&stream, schema, rsg.WriterOptions{})
	check.OK(tb, err)
	check.OK(tb, w.SetOrigin(&origin.Origin{Draws: []origin.Draw{{Target: "smokes", Truth: true, Eligible: 9, Kept: int64(n)}}}))
	b := subgraph.NewBuilder(schema)
	for i := range n {
		b.Reset(fmt.Sprint("s", i), "", i%2)
		x, y := b.Entity(0, fmt.Sprint("P", i)), b.Entity(0, fmt.Sprint("P", i+1))
		b.Add(0, []uint32{x, y}, subgraph.True)
		b.Add(1, []uint32{y}, subgraph.True)
		s, err := b.Finish()
		if err == nil {
			err = w.Write(s)
		}
		check.OK(tb, err)
	}
	check.OK(tb, w.Close())
	f, err := rsg.Open(stream.Bytes(), "chain", rsg.ReaderOptions{Names: true, Shared: true})
	check.OK(tb, err)
	return f
}

// texts returns the subgraphs of a stream as text.
func texts(tb testing.TB, f *rsg.File) []string {
	tb.Helper()
	var out []string
	for i := range f.Len() {
		s, err := f.At(i)
		check.OK(tb, err)
		var b bytes.Buffer
		check.OK(tb, facts.Write(&b, s, f.Schema()))
		out = append(out, b.String())
	}
	return out
}

// write writes a stream as shards of the given sizes into a new folder at path.
func write(tb testing.TB, f *rsg.File, path string, sizes ...int) *shards.Manifest {
	tb.Helper()
	folder, err := shards.CreateFolder(path)
	check.OK(tb, err)
	defer folder.Abort()
	m := &shards.Manifest{Format: shards.Format}
	for i, n := range sizes {
		s, err := folder.WriteShard(tb.Context(), i, len(sizes), f, m.Subgraphs, n, rsg.WriterOptions{})
		check.OK(tb, err)
		m.Shards = append(m.Shards, s)
		m.Subgraphs += n
	}
	check.OK(tb, folder.Commit(m))
	return m
}

// names lists a folder.
func names(tb testing.TB, dir string) []string {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	check.OK(tb, err)
	out := make([]string, 0, len(entries))
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestFolder_HoldsTheStream(t *testing.T) {
	t.Parallel()
	f := chain(t, 7)
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	m := write(t, f, dir, 3, 1, 3)
	want := []string{
		"manifest.json", "shard-00000-of-00003.rsg", "shard-00001-of-00003.rsg", "shard-00002-of-00003.rsg",
	}
	check.Equal(t, "files", names(t, dir), want)
	check.Equal(t, "files beside the folder", names(t, parent), []string{"out"})
	manifest := filepath.Join(dir, shards.ManifestName)
	read, err := shards.ReadFile(manifest)
	if diff := cmp.Diff(read, m); err != nil || diff != "" {
		t.Errorf("manifest: %v (-got, +want):\n%s", err, diff)
	}
	var got []string
	for _, s := range m.Shards {
		data, err := os.ReadFile(s.Path(manifest))
		check.OK(t, err)
		if sum := sha256.Sum256(data); s.SHA256 != hex.EncodeToString(sum[:]) || s.Bytes != int64(len(data)) {
			t.Errorf("%s: got %d bytes, sum %s, want %d, %x", s.File, s.Bytes, s.SHA256, len(data), sum)
		}
		part, err := rsg.Open(data, s.File, rsg.ReaderOptions{Names: true})
		check.OK(t, err)
		got = append(got, texts(t, part)...)
	}
	check.Equal(t, "subgraphs", got, texts(t, f))
}

func TestShard_Work(t *testing.T) {
	t.Parallel()
	f := chain(t, 4)
	m := write(t, f, filepath.Join(t.TempDir(), "out"), 1, 3)
	// Each subgraph has 2 entities, friends takes 2 columns of 1, two offsets of 3 and 1 backward id, smokes 1 column.
	const each = 2 + (2 + 3 + 3 + 1) + 1
	if got := []int64{m.Shards[0].Work, m.Shards[1].Work}; got[0] != each || got[1] != 3*each {
		t.Errorf("got work %v, want %v", got, []int64{each, 3 * each})
	}
}

func TestShard_Verify(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	s := write(t, chain(t, 3), dir, 3).Shards[0]
	data, err := os.ReadFile(filepath.Join(dir, s.File))
	check.OK(t, err)
	other, more := s, s
	other.SHA256 = checksum
	more.Subgraphs++
	flipped := bytes.Clone(data)
	flipped[len(flipped)/2] ^= 1
	tests := []struct {
		name  string
		shard shards.Shard
		data  []byte
		sound bool
	}{
		{"sound", s, data, true},
		{"another checksum", other, data, false},
		{"another number", more, data, false},
		{"flipped", s, flipped, false},
		{"truncated", s, data[:len(data)-1], false},
		{"longer", s, append(bytes.Clone(data), 0), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.shard.Verify(bytes.NewReader(tt.data), "shard")
			if got := err == nil; got != tt.sound || !got && !errors.Is(err, subgraph.ErrCorrupt) {
				t.Errorf("Verify: got %v, want soundness %v", err, tt.sound)
			}
		})
	}
}

func TestCreateFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check.ErrorIs(t, check.Err(shards.CreateFolder(filepath.Join(dir, "none", "out"))), fs.ErrNotExist, "below nothing")
	file := filepath.Join(dir, "file")
	check.OK(t, os.WriteFile(file, nil, 0o600))
	check.ErrorIs(t, check.Err(shards.CreateFolder(dir)), shards.ErrNotEmpty, "a folder with a file")
	check.Fails(t, check.Err(shards.CreateFolder(file)), "a file")
	empty, link := filepath.Join(dir, "empty"), filepath.Join(dir, "link")
	check.OK(t, errors.Join(os.Mkdir(empty, 0o700), os.Symlink("empty", link)))
	write(t, chain(t, 1), link, 1)
	check.Equal(t, "behind a link", names(t, empty), []string{"manifest.json", "shard-00000-of-00001.rsg"})
	if info, err := os.Stat(empty); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("permissions of the folder that was there: got %v (%v), want those", info.Mode(), err)
	}
}

// A shard whose context ends leaves nothing.
func TestFolder_WriteShardInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := shards.CreateFolder(filepath.Join(dir, "out"))
	check.OK(t, err)
	defer f.Abort()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check.ErrorIs(t, check.Err(f.WriteShard(ctx, 0, 1, chain(t, 5), 0, 5, rsg.WriterOptions{})), context.Canceled, "error")
	if got := names(t, f.Path("")); len(got) > 0 {
		t.Errorf("got %v, want nothing left", got)
	}
}

func TestFolder_Abort(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := shards.CreateFolder(filepath.Join(dir, "out"))
	check.OK(t, err)
	check.OK(t, check.Err(f.WriteShard(t.Context(), 0, 1, chain(t, 2), 0, 2, rsg.WriterOptions{})))
	check.Fails(t, f.Commit(&shards.Manifest{}), "commit of an unsound manifest")
	f.Abort()
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("got %v, want nothing left", got)
	}
}
