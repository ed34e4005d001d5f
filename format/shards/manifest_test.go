package shards_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"resolwe/format/shards"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// checksum is a string that looks like one.
var checksum = strings.Repeat("0a", 32)

// sound returns a manifest of two shards.
func sound() *shards.Manifest {
	return &shards.Manifest{Format: shards.Format, Subgraphs: 5, Shards: []shards.Shard{
		{File: "a.rsg", First: 0, Subgraphs: 2, Bytes: 10, Work: 7, SHA256: checksum},
		{File: "more/b.rsg", First: 2, Subgraphs: 3, Bytes: 20, Work: 0, SHA256: checksum},
	}}
}

func TestRead_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &shards.Manifest{Format: shards.Format}
		for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,4}/[a-z "é]{1,3}x`), 1, 9, rapid.ID).Draw(t, "names") {
			s := shards.Shard{
				File: name, First: m.Subgraphs, Subgraphs: rapid.IntRange(1, 1<<40).Draw(t, "subgraphs"),
				Bytes: rapid.Int64Range(1, 1<<60).Draw(t, "bytes"), Work: rapid.Int64Range(0, 1<<59).Draw(t, "work"), SHA256: checksum,
			}
			m.Subgraphs += s.Subgraphs
			m.Shards = append(m.Shards, s)
		}
		var b bytes.Buffer
		check.OK(t, m.Write(&b))
		got, err := shards.Read(&b)
		check.OK(t, err)
		check.Equal(t, "after a round trip", got, m)
	})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*shards.Manifest)
		want   string
	}{
		{"sound", func(*shards.Manifest) {}, ""},
		{"format", func(m *shards.Manifest) { m.Format = "resolwe shards 2" }, "not a manifest"},
		{"none", func(m *shards.Manifest) { m.Shards, m.Subgraphs = nil, 0 }, "no shards"},
		{"too many", func(m *shards.Manifest) { m.Shards = make([]shards.Shard, shards.MaxShards+1) }, "more than 100000"},
		{"total", func(m *shards.Manifest) { m.Subgraphs = 6 }, "says 6 subgraphs, its shards hold 5"},
		{"gap", func(m *shards.Manifest) { m.Shards[1].First = 3 }, "begins at subgraph 3, want 2"},
		{"overlap", func(m *shards.Manifest) { m.Shards[1].First = 1 }, "begins at subgraph 1, want 2"},
		{"late", func(m *shards.Manifest) { m.Shards[0].First = 1 }, "begins at subgraph 1, want 0"},
		{"negative", func(m *shards.Manifest) { m.Shards[0].Subgraphs = -2 }, "negative size"},
		{"empty", func(m *shards.Manifest) { m.Shards[0].Subgraphs = 0 }, "no subgraphs"},
		{"no bytes", func(m *shards.Manifest) { m.Shards[0].Bytes = 0 }, "negative size"},
		{"negative work", func(m *shards.Manifest) { m.Shards[0].Work = -1 }, "negative size"},
		{"overflow", func(m *shards.Manifest) { m.Shards[1].Subgraphs = 1<<63 - 1 }, "more than 2^63 - 1"},
		{"overflow of work", func(m *shards.Manifest) { m.Shards[1].Work = 1<<63 - 1 }, "more than 2^63 - 1"},
		{"twice", func(m *shards.Manifest) { m.Shards[1].File = "a.rsg" }, "named twice"},
		{"no name", func(m *shards.Manifest) { m.Shards[0].File = "" }, "not the name"},
		{"absolute", func(m *shards.Manifest) { m.Shards[0].File = "/etc/passwd" }, "not the name"},
		{"above", func(m *shards.Manifest) { m.Shards[0].File = "../a.rsg" }, "not the name"},
		{"above inside", func(m *shards.Manifest) { m.Shards[0].File = "b/../../a.rsg" }, "not the name"},
		{"backslash", func(m *shards.Manifest) { m.Shards[0].File = `..\a.rsg` }, "not the name"},
		{"drive", func(m *shards.Manifest) { m.Shards[0].File = "C:a.rsg" }, "not the name"},
		{"folder", func(m *shards.Manifest) { m.Shards[0].File = "." }, "not the name"},
		{"zero byte", func(m *shards.Manifest) { m.Shards[0].File = "a\x00" }, "not the name"},
		{"short checksum", func(m *shards.Manifest) { m.Shards[0].SHA256 = "0a" }, "sha256"},
		{"upper-case checksum", func(m *shards.Manifest) { m.Shards[0].SHA256 = strings.ToUpper(checksum) }, "sha256"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := sound()
			tt.change(m)
			err := m.Write(io.Discard)
			if tt.want == "" {
				if err != nil {
					t.Errorf("got %v, want none", err)
				}
				return
			}
			if e := (*shards.Error)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want a *shards.Error with %q", err, tt.want)
			}
			if !errors.Is(err, subgraph.ErrCorrupt) {
				t.Errorf("got %v, which is no damage", err)
			}
		})
	}
}

func TestRead_Damage(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	check.OK(t, sound().Write(&b))
	text := b.String()
	tests := []struct {
		name, text string
		foreign    bool // no manifest of ours
	}{
		{"empty", "", false},
		{"truncated", text[:len(text)-4], false},
		{"two", text + text, false},
		{"another object", `{"name": "app", "shards": 3}`, true},
		{"array", "[1, 2]", true},
		{"wrong type", strings.Replace(text, `"first":0`, `"first":"0"`, 1), false},
		{"fraction", strings.Replace(text, `"first":0`, `"first":0.5`, 1), false},
		{"many", `{"format": "resolwe shards 1", "shards": [` + strings.Repeat("{},", 1<<20) + "{}]}", false},
		{"no array", `{"format": "resolwe shards 1", "shards": {}}`, false},
		{"null", `{"format": "resolwe shards 1", "shards": null}`, false},
		{"another format's shards", `{"shards": 3, "format": "app"}`, true},
		{"long", text + strings.Repeat(" ", 64<<20), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := shards.Read(strings.NewReader(tt.text))
			check.ErrorIs(t, err, subgraph.ErrCorrupt, "error")
			check.Equal(t, fmt.Sprintf("%v: matches ErrFormat", err), errors.Is(err, shards.ErrFormat), tt.foreign)
		})
	}
}

func TestRead_LaterKeysAreAccepted(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	check.OK(t, sound().Write(&b))
	text := strings.Replace(b.String(), "{", `{"made_by": {"a": [1]}, `, 1)
	check.OK(t, check.Err(shards.Read(strings.NewReader(text))))
}

func TestReadFile_NamesThePath(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.json")
	check.ErrorIs(t, check.Err(shards.ReadFile(path)), os.ErrNotExist, "error")
	check.OK(t, os.WriteFile(path, []byte("{}"), 0o600))
	if _, err := shards.ReadFile(path); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("got %v, want the path in front", err)
	}
}

// brokenDevice fails as a disk does.
type brokenDevice struct{}

var errDevice = errors.New("device is broken")

func (brokenDevice) Read([]byte) (int, error)  { return 0, errDevice }
func (brokenDevice) Write([]byte) (int, error) { return 0, errDevice }

func TestReadAndWrite_PassOnDeviceErrors(t *testing.T) {
	t.Parallel()
	if _, err := shards.Read(brokenDevice{}); !errors.Is(err, errDevice) || errors.Is(err, subgraph.ErrCorrupt) {
		t.Errorf("read: got %v, want the device's error", err)
	}
	check.ErrorIs(t, sound().Write(brokenDevice{}), errDevice, "write")
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	check.OK(f, sound().Write(&b))
	f.Add(b.Bytes())
	f.Add([]byte(`{"format": "resolwe shards 1", "subgraphs": 9e99, "shards": [{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := shards.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		next := 0
		for i := range m.Shards {
			s := &m.Shards[i]
			if rel, err := filepath.Rel("base", s.Path("base/manifest.json")); err != nil || !filepath.IsLocal(rel) {
				t.Errorf("shard %d lies outside: %q", i, s.File)
			}
			if s.First != next || s.Subgraphs < 1 {
				t.Errorf("shard %d begins at %d, want %d", i, s.First, next)
			}
			next += s.Subgraphs
		}
		var b bytes.Buffer
		check.OK(t, m.Write(&b))
		again, err := shards.Read(&b)
		if diff := cmp.Diff(again, m); err != nil || diff != "" {
			t.Errorf("after a round trip: %v (-got, +want):\n%s", err, diff)
		}
	})
}
