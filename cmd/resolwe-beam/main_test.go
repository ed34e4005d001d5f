package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"

	cmd "resolwe/cmd/resolwe-beam"
	"resolwe/cmd/resolwe-beam/internal/test/beamtest"
	"resolwe/cmd/resolwe-beam/internal/test/proc"
	"resolwe/cmd/resolwe-beam/job"
)

// role is the variable that has the test's program be another one: Prism, a pool of workers, or the program itself.
const role = "RESOLWE_BEAM_ROLE"

// local is the program resolwe.
var local string

func TestMain(m *testing.M) {
	if what := os.Getenv(role); what != "" {
		if err := play(what); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		return
	}
	os.Exit(testMain(m))
}

// play is another program, on the port that is its argument.
func play(what string) error {
	if what == "program" {
		cmd.Main()
		return nil
	}
	port, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return err
	}
	ctx := context.Background()
	switch what {
	case "prism":
		_, err = prism.CreateJobServer(ctx, prism.Options{Port: port})
	case "workers":
		setting := os.Setenv(role, "program") // of each worker
		_, err = job.StartPool(fmt.Sprint("localhost:", port), 8, []string{os.Args[0], "worker", "--child"}, os.Stderr)
		err = errors.Join(setting, err)
	}
	if err != nil {
		return err
	}
	select {}
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "resolwe-beam-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	local = filepath.Join(dir, "resolwe")
	build := exec.Command("go", "build", "-o", local, "./cmd/resolwe")
	build.Dir = filepath.Join("..", "..") // the module above
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	return m.Run()
}

// resolwe is what the program resolwe prints.
func resolwe(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.Command(local, args...)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("resolwe %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

// outcome is what a run of the program left.
type outcome struct {
	stdout, stderr string
	status         int
}

// run runs the program in this process.
func run(t *testing.T, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := cmd.Run(t.Context(), args, &stdout, &stderr)
	return outcome{stdout.String(), stderr.String(), status}
}

// output is run for one that has to succeed.
func output(t *testing.T, args ...string) string {
	t.Helper()
	got := run(t, args...)
	if got.status != 0 {
		t.Fatalf("resolwe-beam %s: exit status %d: %s", strings.Join(args, " "), got.status, got.stderr)
	}
	return got.stdout
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	check.OK(t, err)
	return string(data)
}

// Every command prints and writes the bytes that resolwe does, and listens nowhere.
func TestSameAsResolwe(t *testing.T) {
	same(t)
	check.Empty(t, proc.Listening(os.Getpid()), "commands listen at")
}

// So it does on one of Beam's runners.
func TestSameAsResolwe_Beam(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	at := port(t)
	start(t, "prism", at)
	same(t, "--runner", "universal", "--endpoint", fmt.Sprint("localhost:", at), "--", "--environment_type=LOOPBACK")
}

// same compares commands with those of resolwe. They run where flags say.
func same(t *testing.T, where ...string) {
	t.Helper()
	output := func(t *testing.T, args ...string) string {
		t.Helper()
		return output(t, slices.Concat(args, where)...)
	}
	d := beamtest.New(t, 30, 8, 7)
	out := t.TempDir()
	a, b := filepath.Join(out, "a"), filepath.Join(out, "b")
	for _, flags := range [][]string{
		{"--json"}, {"--json", "--criterion", "paper", "--k2", "11", "--theta", "0.2"}, {"--json", "--criterion", "kl"},
	} {
		args := append([]string{"select", d.Path}, flags...)
		want := resolwe(t, append(args, "--stream", d.Stream, "-o", a)...)
		for _, more := range [][]string{{d.Folder}, {d.Glob, "--element", "2"}, {d.Folder, "--workers", "1"}} {
			check.Is(t, output(t, append(append(args, "-o", b, "--stream"), more...)...), want, "%v %v", args, more)
			if read(t, a) != read(t, b) {
				t.Errorf("%v %v: another model", args, more)
			}
		}
	}
	towns := beamtest.Of(t, streamtest.Towns, streamtest.TownsDB(2, 60), 7, 4)
	path := []string{filepath.Join(out, "a.csv"), filepath.Join(out, "b.csv")}
	args := []string{"select", towns.Path, "--json", "--seed", "2", "--rows", "500"}
	want := resolwe(t, append(args, "--stream", towns.Stream, "-o", a, "--path", path[0])...)
	check.Is(t, output(t, append(args, "--stream", towns.Folder, "-o", b, "--path", path[1])...), want, "select by gain")
	if read(t, a) != read(t, b) || read(t, path[0]) != read(t, path[1]) {
		t.Error("select by gain: another model or path")
	}
	infer := []string{"--samples", "20", "--burn-in", "2", "--seed", "3", "--method", "mcsat"}
	args = append([]string{"eval", d.Weighted, "--json"}, infer...)
	check.Is(t, output(t, append(args, "--stream", d.Folder)...), resolwe(t, append(args, "--stream", d.Stream)...), "eval")
	args = append([]string{"infer", d.Weighted}, infer...)
	want = resolwe(t, append(args, "--stream", d.Stream)...)
	var got strings.Builder
	for path := range strings.Lines(output(t, append(args, "--stream", d.Folder, "-o", filepath.Join(out, "marginals"))...)) {
		got.WriteString(read(t, strings.TrimSpace(path)))
	}
	if got.String() != want {
		t.Error("infer: the shards' marginals are not those of the whole stream")
	}
	args = []string{"map", d.Weighted, "--seed", "3", "--sweeps", "20"}
	want = resolwe(t, append(args, "--stream", d.Stream)...)
	got.Reset()
	for path := range strings.Lines(output(t, append(args, "--stream", d.Folder, "-o", filepath.Join(out, "states"))...)) {
		got.WriteString(read(t, strings.TrimSpace(path)))
	}
	if got.String() != want {
		t.Error("map: the shards' states are not those of the whole stream")
	}
}

// Nor do replicas that plain sweeps settle in part depend on workers, shards and processors.
func TestReplicas(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for i := range check.Networks(t, 1) {
		seed := uint64(1 + i)
		text, db := streamtest.Replicas(seed, 5)
		d := beamtest.Of(t, text, db, 3, seed)
		args := []string{"eval", d.Path, "--json", "--method", "mcsat", "--samples", "64", "--burn-in", "8", "--chains", "4"}
		want := resolwe(t, append(args, "--stream", d.Stream, "--workers", "1")...)
		for _, workers := range []string{"1", "2", "3", "7", "16"} {
			runtime.GOMAXPROCS(1 + rand.IntN(4))
			check.Is(t, output(t, append(args, "--stream", d.Folder, "--workers", workers)...), want, "seed %d, eval, %s workers", seed, workers)
		}
	}
}

// A run that was ended goes on from its checkpoint, and gives the bytes of one that was not.
func TestLearn_Resume(t *testing.T) {
	d := beamtest.New(t, 20, 4, 8)
	out := t.TempDir()
	model, ckpt := filepath.Join(out, "model"), filepath.Join(out, "checkpoint")
	args := []string{"learn", d.Weighted, "--stream", d.Folder, "--skip", "3", "--mix", "cd", "--passes", "2", "--json"}
	want := output(t, append(args, "-o", model)...)
	if !strings.Contains(want, `"weights"`) || !strings.Contains(read(t, model), "modifies") {
		t.Fatalf("got %s", want)
	}
	for range 2 {
		check.Is(t, output(t, append(args, "--checkpoint", ckpt, "--resume")...), want, "output")
	}
	if got := run(t, append(args, "--checkpoint", ckpt, "--resume", "--sigma", "1")...); got.status != 2 {
		t.Errorf("a checkpoint of another run: got exit status %d: %s", got.status, got.stderr)
	}
	was := read(t, ckpt)
	got := run(t, append(args, "--checkpoint", ckpt)...)
	if got.status != 2 || !strings.Contains(got.stderr, "to begin anew, remove it") || read(t, ckpt) != was {
		t.Errorf("a checkpoint that is there: got exit status %d: %s", got.status, got.stderr)
	}
}

// The constants of a + come from all shards, and the result is that of one machine.
func TestLearn_Constants(t *testing.T) {
	d := beamtest.New(t, 12, 3, 4)
	text := read(t, d.Path)
	declarations, _, _ := strings.Cut(text, "template")
	model := filepath.Join(t.TempDir(), "plus.mln")
	check.OK(t, os.WriteFile(model, []byte(declarations+"modifies(t, +u)\n"), 0o600))
	var got, want any
	check.OK(t, json.Unmarshal([]byte(output(t, "learn", model, "--stream", d.Folder, "--json")), &got))
	check.OK(t, json.Unmarshal([]byte(resolwe(t, "learn", model, "--stream", d.Stream, "--json")), &want))
	check.Equal(t, "learned", got, want)
}

// Damaged subgraphs are left out where that is wanted, and counted.
func TestSkipDamaged(t *testing.T) {
	d := beamtest.New(t, 20, 4, 3)
	path := filepath.Join(d.Folder, d.Manifest.Shards[2].File)
	data := []byte(read(t, path))
	data[len(data)/2] ^= 0x40
	check.OK(t, os.WriteFile(path, data, 0o600))
	for _, args := range [][]string{
		{"select", d.Path, "--k2", "20"},
		{"learn", d.Weighted},
		{"infer", d.Weighted, "--samples", "5", "-o", filepath.Join(t.TempDir(), "marginals")},
		{"eval", d.Weighted, "--samples", "5"},
		{"crossval", d.Path, "--folds", "2", "--select", "--k2 4", "--systems", "paper,base", "--learn", "--passes 1", "--infer", "--samples 5"},
	} {
		got := run(t, append(args, "--stream", d.Folder, "--skip-damaged")...)
		if got.status != 0 || strings.Count(got.stderr, "damaged subgraphs were skipped number=1\n") != 1 {
			t.Errorf("%s: got exit status %d, %q, want that it skipped 1", args[0], got.status, got.stderr)
		}
	}
}

func TestStatus(t *testing.T) {
	d := beamtest.New(t, 4, 2, 9)
	damaged := filepath.Join(d.Folder, d.Manifest.Shards[1].File)
	for name, c := range map[string]struct {
		args    []string
		status  int
		message string
	}{
		"no arguments":   {nil, 0, ""},
		"no stream":      {[]string{"select", d.Path}, 2, "--stream"},
		"no model":       {[]string{"eval", "none.mln", "--stream", d.Folder}, 2, "none.mln: no such file"},
		"exact passes":   {[]string{"learn", d.Weighted, "--stream", d.Folder, "--passes", "1"}, 2, "--passes"},
		"exact batches":  {[]string{"learn", d.Weighted, "--stream", d.Folder, "--batch", "7"}, 2, "--batch"},
		"no file":        {[]string{"select", d.Path, "--stream", d.Folder + "/none*"}, 2, "no shard"},
		"range":          {[]string{"select", d.Path, "--stream", d.Folder, "--k2=-1"}, 2, "--k2"},
		"persistent":     {[]string{"learn", d.Weighted, "--stream", d.Folder, "--method", "pcd"}, 2, "--method"},
		"output is read": {[]string{"select", d.Path, "--stream", d.Folder, "-o", damaged}, 2, "shard-"},
		"manifest":       {[]string{"select", d.Path, "--stream", d.Folder, "-o", filepath.Join(d.Folder, "manifest.json")}, 2, "manifest.json"},
		"one output":     {[]string{"learn", d.Weighted, "--stream", d.Folder, "-o", "x", "--checkpoint", "./x"}, 2, "are one file"},
		"beam's flag":    {[]string{"select", d.Path, "--stream", d.Folder, "--", "--unknown=1"}, 2, "unknown"},
		"flag of beam":   {[]string{"select", d.Path, "--stream", d.Folder, "--", "--job_name=x"}, 2, "universal"},
		"endpoint":       {[]string{"select", d.Path, "--stream", d.Folder, "--endpoint", "localhost:1"}, 2, "universal"},
		"workers":        {[]string{"worker", "--workers=-1"}, 2, "--workers: 0 to 4096"},
		"argument":       {[]string{"select", d.Path, "--stream", d.Folder, "--", "x"}, 2, "x"},
	} {
		got := run(t, c.args...)
		if got.status != c.status || !strings.Contains(got.stderr, c.message) || (c.status != 0 && got.stdout != "") {
			t.Errorf("%s: got exit status %d, %q, want %d and %q", name, got.status, got.stderr, c.status, c.message)
		}
	}
	check.OK(t, os.Truncate(damaged, 100))
	if got := run(t, "select", d.Path, "--stream", d.Folder); got.status != 3 || !strings.Contains(got.stderr, damaged) {
		t.Errorf("damage: got exit status %d, %q, want 3 and the shard", got.status, got.stderr)
	}
}

// Two shards with a subgraph of one name are an error of every command, as they are on one machine.
func TestDuplicateNames(t *testing.T) {
	d := beamtest.New(t, 6, 2, 8)
	shard := filepath.Join(d.Folder, d.Manifest.Shards[1].File)
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"select", d.Path},
		{"select", d.Path, "--criterion", "paper"},
		{"learn", d.Weighted},
		{"eval", d.Weighted},
		{"infer", d.Weighted, "-o", out},
		{"map", d.Weighted, "-o", out},
		{"crossval", d.Path},
	} {
		got := run(t, append(args, "--stream", d.Stream+","+shard)...)
		if got.status != 2 || !strings.Contains(got.stderr, shard) || !strings.Contains(got.stderr, "is already in the stream") {
			t.Errorf("%v: got exit status %d, %q, want 2 and the second shard", args, got.status, got.stderr)
		}
	}
}

// A checkpoint of shards with other contents is refused, also by a run that was done.
func TestLearn_ResumeChanged(t *testing.T) {
	const task = "a(x)\ntarget p(x)\na(x) => p(x)\n"
	db := "@subgraph s0\na(A)\np(A)\n@subgraph s1\na(A)\na(B)\np(A)\n@subgraph s2\na(B)\n"
	d := beamtest.Of(t, task, db, 2, 1)
	other := beamtest.Of(t, task, strings.Replace(db, "p(A)", "p(B)", 1), 2, 1)
	ckpt := filepath.Join(t.TempDir(), "checkpoint")
	output(t, "learn", d.Path, "--stream", d.Folder, "--checkpoint", ckpt)
	output(t, "learn", d.Path, "--stream", d.Glob, "--checkpoint", ckpt, "--resume")
	for _, stream := range []string{other.Folder, other.Glob} {
		got := run(t, "learn", d.Path, "--stream", stream, "--checkpoint", ckpt, "--resume")
		if got.status != 2 || !strings.Contains(got.stderr, "the contents of the stream") {
			t.Errorf("%s: got exit status %d, %q, want 2", stream, got.status, got.stderr)
		}
	}
}

// Files of an earlier run with more shards do not remain beside those of the last one; other files do.
func TestInfer_FewerShards(t *testing.T) {
	d := beamtest.New(t, 6, 3, 8)
	out := t.TempDir()
	output(t, "infer", d.Weighted, "--stream", d.Folder, "--samples", "5", "-o", out)
	output(t, "map", d.Weighted, "--stream", d.Folder, "-o", out)
	check.OK(t, os.WriteFile(filepath.Join(out, "marginals-of-mine.tsv"), nil, 0o600))
	output(t, "infer", d.Weighted, "--stream", d.Stream, "--samples", "5", "-o", out)
	var names []string
	entries, err := os.ReadDir(out)
	check.OK(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	check.Slices(t, names, []string{
		"marginals-00000-of-00001.tsv", "marginals-of-mine.tsv", "states-00000-of-00003.tsv", "states-00001-of-00003.tsv", "states-00002-of-00003.tsv",
	}, "files")
}

// A worker is told by its flags, and its id may come in quotes.
func TestWorkerFlags(t *testing.T) {
	t.Parallel()
	args := []string{"--worker=true", `--id="1-1"`, "--control_endpoint=localhost:1"}
	want := []string{"--worker=true", "--id=1-1", "--control_endpoint=localhost:1"}
	check.Slices(t, cmd.Unquoted(args), want, "Unquoted")
	if !cmd.IsWorker(args) || cmd.IsWorker([]string{"select", "--workers", "2"}) {
		t.Error("workers are not told from people's runs")
	}
}
