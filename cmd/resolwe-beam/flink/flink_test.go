// Package flink_test runs the stages of resolwe-beam on a Flink cluster of processes of this machine, breaks it in several
// ways, and says what came of each run: go test ./flink -flink -v; see docs/scale.md.
package flink_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"resolwe/internal/test/check"

	"resolwe/cmd/resolwe-beam/internal/test/beamtest"
)

var (
	wanted  = flag.Bool("flink", false, "run the test; with -short a part of it")
	kills   = flag.Int("kills", 4, "how many runs a task manager is killed in")
	only    = flag.String("only", "", "regular expression for the commands to run; -short leaves out selection by gain, and runs without Flink")
	samples = flag.Int("samples", 200, "samples of infer and eval")
	task    = flag.String("task", "", "candidates, a file .mln, to use with -stream and -model instead of a generated task")
	stream  = flag.String("stream", "", "folder of shards")
	model   = flag.String("model", "", "model with weights")
)

// command is one of the commands that both programs have.
type command struct {
	name  string
	args  []string // without stream and outputs
	file  bool     // it writes a model with -o
	files bool     // resolwe-beam writes a folder of files with -o, which behind one another are what resolwe prints
	same  bool     // the bytes of resolwe are promised; else those of resolwe-beam without Flink
}

// commands lists what is run, and returns the folder of shards.
func commands(t *testing.T) (list []command, shards string) {
	t.Helper()
	candidates, tied, independent, shards := *task, *model, "", *stream
	if candidates == "" {
		d := beamtest.New(t, 120, 12, 1)
		candidates, tied, shards = d.Path, d.Weighted, d.Folder
		weighted, err := os.ReadFile(tied)
		check.OK(t, err)
		lines := slices.Collect(bytes.Lines(weighted))
		independent = filepath.Join(t.TempDir(), "independent.mln") // without the formula that ties atoms
		check.OK(t, os.WriteFile(independent, bytes.Join(slices.Delete(lines, len(lines)-2, len(lines)-1), nil), 0o600))
	}
	sampling := []string{"--method", "mcsat", "--samples", strconv.Itoa(*samples), "--burn-in", "10"}
	expr := regexp.MustCompile(cmp.Or(*only, map[bool]string{true: "^(select, paper|learn|infer|map|eval)"}[testing.Short()]))
	for _, c := range []command{
		{"select, gain", []string{"select", candidates, "--json"}, true, false, true},
		{"select, paper", []string{"select", candidates, "--json", "--criterion", "paper", "--k2", "1000000"}, true, false, true},
		{"learn, exact", []string{"learn", independent, "--json"}, true, false, true},
		{"learn, mixing", []string{"learn", tied, "--json", "--mix", "cd", "--passes", "2"}, true, false, false},
		{"infer", slices.Concat([]string{"infer", tied}, sampling), false, true, true},
		{"map", []string{"map", tied, "--sweeps", "50"}, false, true, true},
		{"eval", slices.Concat([]string{"eval", tied, "--json"}, sampling), false, false, true},
		{"crossval", []string{"crossval", candidates, "--json", "--systems", "gain,base"}, false, false, true},
	} {
		if c.args[1] != "" && expr.MatchString(c.name) {
			list = append(list, c)
		}
	}
	return list, shards
}

// Every command gives the same bytes everywhere, with a task manager or a worker killed too; where it has to fail it says why
// and leaves nothing; and nothing listens at an address that other machines reach.
func TestFlink(t *testing.T) {
	if !*wanted {
		t.Skip("takes Java and minutes: -flink runs it")
	}
	checkJava(t)
	jars := fetch(t)
	b := newBench(t, jars)
	list, shards := commands(t)
	places := []where{alone, loopback, external}
	if testing.Short() {
		places = places[1:]
	}
	want := map[string]*outcome{}
	took := map[string]time.Duration{}
	for _, c := range list {
		first := local
		if !c.same {
			first = alone
		}
		o := b.run(t, c, first, shards, nil)
		report(t, c.name, first, o, "", failure(o))
		want[c.name] = o
		for _, at := range places {
			if at == first {
				continue
			}
			o := b.run(t, c, at, shards, nil)
			report(t, c.name, at, o, "same bytes", differs(o, want[c.name]))
			took[c.name] = b.cluster.took(t)
		}
	}
	for i := range *kills {
		c := list[len(list)-1-i%len(list)]
		job := ""
		o := b.run(t, c, places[len(places)-1-i%2], shards, func(*os.Process, string) {
			until(t, "a job", func() bool { job = b.cluster.running(t); return job != "" })
			time.Sleep(took[c.name] * time.Duration(1+i%3) / 6)
			b.cluster.replaceTasks(t, i%taskManagers)
		})
		result := fmt.Sprintf("same bytes; the job met %d failures", b.cluster.restarts(t, job))
		report(t, c.name+", TaskManager killed", places[len(places)-1-i%2], o, result, differs(o, want[c.name]))
		until(t, "the TaskManager's place", func() bool { return b.cluster.slots(t) == taskManagers })
	}
	last, infer := list[len(list)-1], list[max(0, slices.IndexFunc(list, func(c command) bool { return c.name == "infer" }))]
	b.killWorkers(t, last, shards, want[last.name])
	b.damage(t, infer, shards)
	b.end(t, infer, shards)
}

// killWorkers kills workers of the pool; the command is to be tried again by a Flink that goes on with a dead one.
func (b *bench) killWorkers(t *testing.T, c command, shards string, want *outcome) {
	t.Helper()
	c.args = append(slices.Clip(c.args), "--retries", "2")
	for _, done := range []int{0, 2} {
		o := b.run(t, c, external, shards, func(_ *os.Process, work string) {
			until(t, "a worker", func() bool {
				files, _ := filepath.Glob(filepath.Join(work, "*")) // a file for each shard that is done
				return len(files) >= done && b.cluster.killWorker()
			})
		})
		report(t, fmt.Sprintf("%s, worker killed after %d shards", c.name, done), external, o, "same bytes", differs(o, want))
	}
}

// damage runs a command on shards of which one is not as it should be.
func (b *bench) damage(t *testing.T, c command, shards string) {
	t.Helper()
	for _, d := range []struct {
		what   string
		damage func(path string) error
		status int
		names  []string
	}{
		{"damaged shard", flip, 3, []string{"record ", "at byte "}},
		{"shard that is cut off", func(path string) error { return os.Truncate(path, 100) }, 3, nil},
		{"shard that is not there", os.Remove, 2, nil},
	} {
		broken := t.TempDir()
		check.OK(t, os.CopyFS(broken, os.DirFS(shards)))
		files, err := filepath.Glob(filepath.Join(broken, "*.rsg"))
		check.OK(t, err)
		shard := files[len(files)/2]
		check.OK(t, d.damage(shard))
		for _, at := range []where{loopback, external} {
			o := b.run(t, c, at, broken, nil)
			report(t, d.what, at, o, "the error names the shard", fails(o, d.status, append(d.names, filepath.Base(shard))...))
		}
	}
}

// end ends a command's job: from Flink, and by a signal to the program.
func (b *bench) end(t *testing.T, c command, shards string) {
	t.Helper()
	job := ""
	begun := func() {
		until(t, "a job", func() bool { job = b.cluster.running(t); return job != "" })
		b.cluster.closed(t)
	}
	o := b.run(t, c, external, shards, func(*os.Process, string) {
		begun()
		b.cluster.ask(t, http.MethodPatch, "/jobs/"+job+"?mode=cancel", &struct{}{})
	})
	report(t, "job cancelled in Flink", external, o, "an error, no file", fails(o, 1, "job"))
	o = b.run(t, c, external, shards, func(p *os.Process, _ string) {
		begun()
		check.OK(t, p.Signal(os.Interrupt))
	})
	until(t, "the end of Flink's job", func() bool { return b.cluster.running(t) != job })
	o.left = b.left(t)
	report(t, "program interrupted", external, o, "Flink's job ends, no file", fails(o, 130, "interrupted"))
}

// report prints a run. wrong says what is wrong with it, "" where nothing is.
func report(t *testing.T, what string, at where, o *outcome, result, wrong string) {
	t.Helper()
	if wrong != "" {
		result = "WRONG: " + wrong
		t.Fail()
	}
	t.Logf("%-34s %-17s %6.1f s, CPU %.1f s, Flink %.1f s  %s", what, at, o.seconds, o.cpu, o.flink, result)
}

func failure(o *outcome) string {
	if o.status != 0 {
		return fmt.Sprintf("exit status %d: %s", o.status, o.message)
	}
	return ""
}

// differs says in what a run differs from one that is right.
func differs(got, want *outcome) string {
	if got.status == 0 && got.bytes != want.bytes {
		return fmt.Sprintf("%d other bytes, want %d", len(got.bytes), len(want.bytes))
	}
	return failure(got)
}

// fails says what is wrong with a run that has to fail: its status, what it does not say, and what it left.
func fails(o *outcome, status int, words ...string) string {
	if o.status != status {
		return fmt.Sprintf("exit status %d, want %d: %s", o.status, status, o.message)
	}
	for _, w := range words {
		if !strings.Contains(o.message, w) {
			return fmt.Sprintf("no word of %q: %s", w, o.message)
		}
	}
	if o.bytes != "" || o.left > 0 {
		return fmt.Sprintf("%d bytes and %d files are left", len(o.bytes), o.left)
	}
	return ""
}

// flip changes a bit in the middle of a file.
func flip(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	data[len(data)/2] ^= 0x40
	return os.WriteFile(path, data, 0o600)
}
