//go:build unix

package main_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
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

// verdict is what came of an attack.
type verdict uint8

const (
	found    verdict = iota // there was an error, with its exit status and a message
	harmless                // the result is that of a run that was left alone
	other                   // what was read is something else, and nothing says that it was not meant
)

// attack does one thing to a command, or to what that reads. It says what, and reports faults by itself.
type attack func(t *testing.T) (what string, out verdict)

// TestTorture damages files of every kind, forges streams, kills, interrupts, fills disks and overwrites files while they are
// read: there is an error with its exit status, or what comes out is right; nothing hangs, panics, or leaves half a file.
// TORTURE=8m goes on for so long.
func TestTorture(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	whole, _ := time.ParseDuration(os.Getenv("TORTURE"))
	x := &torture{r: r, folder: t.TempDir(), files: t.TempDir()}
	x.work, x.victims = jobs(t, x.folder), tortured(t, x.files)
	rows := [][3]int{}
	names := []string{}
	for _, kind := range []struct {
		name  string
		begin func(*torture, *testing.T) attack
		tries int           // of a short run
		share time.Duration // of the time of a long one, in hundredths
	}{
		{"damage", (*torture).damaging, 100, 40},
		{"forge", (*torture).forging, 100, 20},
		{"kill", (*torture).killing, 12, 20},
		{"full", (*torture).filling, 12, 8},
		{"change", (*torture).changing, 9, 8},
		{"signal", (*torture).signalling, 2, 4},
	} {
		t.Run(kind.name, func(t *testing.T) {
			try := kind.begin(x, t)
			first, end := len(rows), time.Now().Add(whole*kind.share/100)
			for n := 0; n < kind.tries && whole == 0 && (n < kind.tries/3 || !testing.Short()) || whole > 0 && time.Now().Before(end); n++ {
				what, out := try(t)
				i := first
				for i < len(names) && names[i] != what {
					i++
				}
				if i == len(names) {
					names, rows = append(names, what), append(rows, [3]int{})
				}
				rows[i][out]++
				if t.Failed() {
					t.Fatalf("seed %d, try %d: %s", seed, n, what)
				}
			}
		})
	}
	var table strings.Builder
	fmt.Fprintf(&table, "seed %d\n%9s %9s %9s %9s\n", seed, "tried", "found", "harmless", "other")
	for i, n := range rows {
		fmt.Fprintf(&table, "%9d %9d %9d %9d  %s\n", n[found]+n[harmless]+n[other], n[found], n[harmless], n[other], names[i])
	}
	t.Log(table.String())
}

// torture is what attacks share: the folder in which jobs run, with the jobs, and that of the files to damage.
type torture struct {
	r             *rand.Rand
	folder, files string
	work          []*job
	victims       []victim
}

// judge compares what a run of a command left with what one that was left alone prints. sealed says that whatever is another
// result is a fault.
func judge(t *testing.T, what string, got outcome, want string, sealed bool) verdict {
	t.Helper()
	var fault string
	switch {
	case strings.Contains(got.stderr, "panic") || strings.Contains(got.stderr, "goroutine "):
		fault = "it panics"
	case got.status < 0 || got.status > 4:
		fault = "it ends with another status"
	case got.status != 0 && (got.stdout != "" || got.stderr == ""):
		fault = "an error prints results, or says nothing"
	case got.status != 0:
		return found
	case got.stdout == want:
		return harmless
	case sealed:
		fault = "another result without a word"
	default:
		return other
	}
	t.Errorf("%s: %s: status %d\n%.300s\n%.300s", what, fault, got.status, got.stderr, got.stdout)
	return other
}

// nothingLeft expects no temporary file.
func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, ".*resolwe-tmp*"))
	check.OK(t, err)
	check.Empty(t, left, "left")
}

// drawn returns one of a list.
func drawn[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// victim is a file that a command reads.
type victim struct {
	path   string   // in the folder
	args   []string // of the command, with paths in the folder
	sealed bool     // has checksums: where the command accepts it, the results are those of the file as it was
}

// damaging flips, cuts, overwrites, doubles and removes bytes of a file of each kind.
func (x *torture) damaging(t *testing.T) attack {
	t.Helper()
	return spoiling(t, x.r, x.files, x.victims, true, func(whole []byte) (string, []byte) { return mutate(x.r, whole) })
}

// forging changes numbers of a stream, and makes all of its checksums right again.
func (x *torture) forging(t *testing.T) attack {
	t.Helper()
	r := x.r
	return spoiling(t, r, x.files, x.victims[:forgeable], false, func(whole []byte) (string, []byte) {
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
