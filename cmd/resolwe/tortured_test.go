//go:build unix

package main_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cmd "resolwe/cmd/resolwe"
	"resolwe/internal/test/check"
	"resolwe/internal/test/rsgtest"
)

// victim is a file that a command reads.
type victim struct {
	path   string   // in the folder
	args   []string // of the command, with paths in the folder
	sealed bool     // has checksums: where the command accepts it, the results are those of the file as it was
}

// damaging flips, cuts, overwrites, doubles and removes bytes of a file of each kind.
func damaging(t *testing.T, r *rand.Rand) attack {
	t.Helper()
	dir := t.TempDir()
	return spoiling(t, r, dir, tortured(t, dir), true, func(whole []byte) (string, []byte) { return mutate(r, whole) })
}

// forging changes numbers of a stream, and makes all of its checksums right again.
func forging(t *testing.T, r *rand.Rand) attack {
	t.Helper()
	dir := t.TempDir()
	return spoiling(t, r, dir, tortured(t, dir)[:forgeable], false, func(whole []byte) (string, []byte) {
		bad := bytes.Clone(whole)
		le := binary.LittleEndian
		for range 1 + r.IntN(2) {
			at := 4 * r.IntN(len(bad)/4-1)
			switch hostile := drawn(r, []uint64{0, 1, 63, 64, 1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 40, 1<<62 + 64, 1<<63 - 1, 1<<64 - 64}); r.IntN(4) {
			case 0:
				le.PutUint32(bad[at:], uint32(hostile)) // #nosec G115 -- what remains is as hostile
			case 1:
				le.PutUint64(bad[at:], hostile)
			case 2:
				le.PutUint32(bad[at:], le.Uint32(bad[at:])+uint32(r.IntN(3))-1) // #nosec G115 -- small
			case 3:
				le.PutUint32(bad[at:], r.Uint32())
			}
		}
		rsgtest.Reseal(bad)
		return "numbers forged, checksums right", bad
	})
}

// spoiling changes a victim, has its command read it, and puts it back. checked says that checksums tell of the change.
func spoiling(
	t *testing.T, r *rand.Rand, dir string, victims []victim, checked bool, spoil func(whole []byte) (what string, bad []byte),
) attack {
	t.Helper()
	want := untortured(t, victims)
	return func(t *testing.T) (string, verdict) {
		t.Helper()
		i := r.IntN(len(victims))
		v := victims[i]
		path := filepath.Join(dir, v.path)
		whole := contents(t, path)
		what, bad := spoil(whole)
		check.OK(t, os.WriteFile(path, bad, 0o600))
		out := judge(t, v.path+": "+what, attempt(t, v.args), want[i], checked && v.sealed)
		check.OK(t, os.WriteFile(path, whole, 0o600))
		nothingLeft(t, dir)
		return what, out
	}
}

// forgeable is how many of the victims are streams of one file.
const forgeable = 5

// tortured writes a file of each kind.
func tortured(t *testing.T, dir string) []victim {
	t.Helper()
	at := func(name string) string { return filepath.Join(dir, name) }
	const three, collective = "testdata/cases/three-targets/", "testdata/cases/learn-collective/"
	model, facts := three+"model.mln", three+"facts.db"
	output(t, "pack", model, facts, "-o", at("plain.rsg"))
	output(t, "pack", model, facts, "--zstd", "-o", at("zstd.rsg"))
	output(t, "pack", model, facts, "--shards", "2", "-o", at("shards"))
	compress(t, facts, at("facts.db.gz"))
	compress(t, at("plain.rsg"), at("plain.rsg.gz"))
	check.OK(t, os.WriteFile(at("facts.db"), contents(t, facts), 0o600))
	check.OK(t, os.WriteFile(at("model.mln"), contents(t, model), 0o600))
	learn := []string{
		"learn", collective + "model.mln", "--stream", collective + "facts.db", "--passes", "2", "--exact", "never", "--json",
		"--checkpoint", at("checkpoint"),
	}
	output(t, learn...)
	output(t, "features", model, "--stream", facts, "-o", at("t.parquet"))
	check.OK(t, os.WriteFile(at("t.mln"), []byte("seen(string)\ntarget listed t(string)\n"), 0o600))
	check.OK(t, os.WriteFile(at("t.recipe"), []byte(`table rows(string) from "t.parquet" (subgraph)
center x :- rows(x)
t(x) :- rows(x)
seen(x) :- rows(x)
`), 0o600))
	counts := func(stream string) []string { return []string{"counts", model, "--stream", stream, "--json"} }
	victims := []victim{
		{"plain.rsg", counts(at("plain.rsg")), true},
		{"plain.rsg", []string{"verify", at("plain.rsg")}, true},
		{"plain.rsg", []string{"inspect", at("plain.rsg"), "--json"}, true},
		{"plain.rsg", []string{"select", model, "--stream", at("plain.rsg"), "--support", "2", "--json"}, true},
		{"zstd.rsg", counts(at("zstd.rsg")), true}, // as many as can be forged
		{"plain.rsg.gz", counts(at("plain.rsg.gz")), true},
		{"facts.db.gz", counts(at("facts.db.gz")), true},
		{"shards/manifest.json", counts(at("shards")), false}, // it may become somebody else's
		{"facts.db", counts(at("facts.db")), false},
		{"model.mln", []string{"counts", at("model.mln"), "--stream", facts, "--json"}, false},
		{"checkpoint", append(learn, "--resume"), true},
		{"t.parquet", []string{"build", at("t.recipe"), "--model", at("t.mln"), "--data", dir, "-o", "-"}, false}, // it has no checksums
		{"t.recipe", []string{"build", at("t.recipe"), "--model", at("t.mln"), "--data", dir, "-o", "-"}, false},
	}
	shards, err := filepath.Glob(at("shards/*.rsg"))
	check.OK(t, err)
	for _, s := range shards {
		victims = append(victims, victim{"shards/" + filepath.Base(s), counts(at("shards")), true})
	}
	return victims
}

// untortured returns what the commands print of the files as they are.
func untortured(t *testing.T, victims []victim) []string {
	t.Helper()
	want := make([]string, len(victims))
	for i, v := range victims {
		got := attempt(t, v.args)
		if got.status != 0 || strings.Contains(got.stderr, "panic") {
			t.Fatalf("%v: status %d: %s", v.args, got.status, got.stderr)
		}
		want[i] = got.stdout
	}
	return want
}

// attempt runs a command, which has a minute.
func attempt(t *testing.T, args []string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, messages bytes.Buffer
	status := cmd.Run(ctx, append(args, "--progress", "never"), strings.NewReader(""), &out, &messages)
	return outcome{out.String(), messages.String(), status}
}

// mutate returns a damaged copy of a file, and how it was damaged.
func mutate(r *rand.Rand, whole []byte) (what string, bad []byte) {
	bad = bytes.Clone(whole)
	n := len(bad)
	from := r.IntN(n + 1)
	to := min(n, from+1+r.IntN(1+n/4))
	switch r.IntN(6) {
	case 0, 1:
		bit := r.IntN(8 * n)
		bad[bit/8] ^= 1 << (bit % 8)
		return "a bit flipped", bad
	case 2:
		return "cut", bad[:from]
	case 3:
		for i := from; i < to; i++ {
			bad[i] = byte(r.Uint32())
		}
		return "bytes overwritten", bad
	case 4:
		return "bytes removed", append(bad[:from], bad[to:]...)
	}
	return "bytes doubled", append(bad[:to], whole[from:]...)
}
