package main_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	cmd "resolwe/cmd/resolwe"
	"resolwe/internal/check"
)

// victim is a file that a command reads.
type victim struct {
	path   string   // in the folder
	args   []string // of the command, with paths in the folder
	sealed bool     // has checksums: where the command accepts it, the results are those of the file as it was
}

// TestTorture flips, cuts, overwrites, doubles and removes bytes of every kind of file, and has commands read them: there is an
// error with its exit status, or what is printed is right; nothing hangs, panics, or leaves half a file. TORTURE=8m goes on for
// so long.
func TestTorture(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	victims := tortured(t, dir)
	tries, until := 10*len(victims), time.Time{}
	if testing.Short() {
		tries = 4 * len(victims)
	}
	if d, err := time.ParseDuration(os.Getenv("TORTURE")); err == nil {
		tries, until = 1<<40, time.Now().Add(d)
	}
	want := make([]string, len(victims))
	for i, v := range victims {
		out, messages, status := attempt(t, v.args)
		if status != 0 || strings.Contains(messages, "panic") {
			t.Fatalf("%v: status %d: %s", v.args, status, messages)
		}
		want[i] = out
	}
	found, harmless, others := 0, 0, 0
	for try := 0; try < tries && (until.IsZero() || time.Now().Before(until)); try++ {
		i := r.IntN(len(victims))
		v := victims[i]
		path := filepath.Join(dir, v.path)
		whole := contents(t, path)
		what, bad := mutate(r, whole)
		check.OK(t, os.WriteFile(path, bad, 0o600))
		out, messages, status := attempt(t, v.args)
		fault := ""
		switch {
		case strings.Contains(messages, "panic") || strings.Contains(messages, "goroutine "):
			fault = "it panics"
		case status < 0 || status > 3:
			fault = "it ends with another status"
		case status != 0 && (out != "" || messages == ""):
			fault = "an error prints results, or says nothing"
		case status != 0:
			found++
		case out == want[i]:
			harmless++
		case v.sealed:
			fault = "another result without a word"
		default:
			others++
		}
		if fault != "" {
			t.Errorf("seed %d, try %d, %s, %s: %s: status %d\n%.300s\n%.300s", seed, try, v.path, what, fault, status, messages, out)
		}
		check.OK(t, os.WriteFile(path, whole, 0o600))
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*resolwe-tmp*"))
	check.OK(t, err)
	if len(left) > 0 {
		t.Errorf("seed %d: %v is left", seed, left)
	}
	t.Logf("seed %d: %d tried: %d errors, %d harmless, %d read as something else", seed, found+harmless+others, found, harmless, others)
}

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
		{"zstd.rsg", counts(at("zstd.rsg")), true},
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

// attempt runs a command, which has a minute.
func attempt(t *testing.T, args []string) (stdout, stderr string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, messages bytes.Buffer
	status = cmd.Run(ctx, append(args, "--progress", "never"), strings.NewReader(""), &out, &messages)
	return out.String(), messages.String(), status
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
		return "bit " + strconv.Itoa(bit), bad
	case 2:
		return fmt.Sprintf("cut at %d", from), bad[:from]
	case 3:
		for i := from; i < to; i++ {
			bad[i] = byte(r.Uint32())
		}
		return fmt.Sprintf("%d to %d overwritten", from, to), bad
	case 4:
		return fmt.Sprintf("%d to %d removed", from, to), append(bad[:from], bad[to:]...)
	}
	return fmt.Sprintf("%d to %d doubled", from, to), append(bad[:to], whole[from:]...)
}
