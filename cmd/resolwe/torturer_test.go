//go:build unix

package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"resolwe/internal/test/check"
)

// job is a command that writes files into the folder that it runs in.
type job struct {
	args     []string
	files    []string // that it writes, or a folder
	resuming bool     // it goes on from its checkpoint
	out      outcome  // of a run that was left alone
	took     time.Duration
	want     map[string]string // files and what is in them
}

// writeTask writes a task into a folder.
func writeTask(t *testing.T, dir string) {
	t.Helper()
	text := string(contents(t, "testdata/cases/three-targets/facts.db"))
	var facts strings.Builder
	for i := range 20 {
		facts.WriteString(strings.ReplaceAll(text, "@subgraph ", fmt.Sprintf("@subgraph c%d", i)))
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	check.OK(t, os.WriteFile(at("facts.db"), []byte(facts.String()), 0o600))
	check.OK(t, os.WriteFile(at("model.mln"), contents(t, "testdata/cases/three-targets/model.mln"), 0o600))
	check.OK(t, os.WriteFile(at("weighted.mln"), contents(t, "testdata/weighted.mln"), 0o600))
	check.OK(t, os.WriteFile(at("pairs.mln"), contents(t, "testdata/cases/learn-collective/model.mln"), 0o600))
	check.OK(t, os.WriteFile(at("pairs.db"), contents(t, "testdata/cases/learn-collective/facts.db"), 0o600))
	check.OK(t, os.WriteFile(at("t.mln"), []byte("seen(string)\ntarget listed t(string)\n"), 0o600))
	check.OK(t, os.WriteFile(at("t.recipe"), []byte(`table rows(string) from "t.csv" (a)
center x :- rows(x)
t(x) :- rows(x)
seen(x) :- rows(x)
`), 0o600))
	var rows strings.Builder
	rows.WriteString("a\n")
	for i := range 1000 {
		fmt.Fprintf(&rows, "row %d\n", i)
	}
	check.OK(t, os.WriteFile(at("t.csv"), []byte(rows.String()), 0o600))
}

// jobs writes a task into a folder, and returns what is to be done there.
func jobs(t *testing.T, dir string) []*job {
	t.Helper()
	writeTask(t, dir)
	var all []*job
	for _, j := range []struct {
		line, files string
		resuming    bool
	}{
		{"pack model.mln facts.db -o out.rsg", "out.rsg", false},
		{"pack model.mln facts.db --shards 3 -o shards", "shards", false},
		{"build t.recipe --model t.mln -o built.rsg", "built.rsg", false},
		{"infer weighted.mln --stream facts.db --samples 200 -o marginals.csv --diagnostics quality.csv", "marginals.csv quality.csv", false},
		{"select model.mln --stream facts.db --support 2 -o selected.mln --path path.csv --json", "selected.mln path.csv", false},
		{"features model.mln --stream facts.db -o features.parquet", "features.parquet", false},
		{"learn pairs.mln --stream pairs.db --passes 200 --exact never --json -o learned.mln --curve curve.csv --checkpoint learned.run --checkpoint-every 5", "learned.mln curve.csv", true},
		{"learn pairs.mln --stream pairs.db --passes 200 --batch 3 --method pcd --exact never --json -o learned.mln --checkpoint learned.run --checkpoint-every 5", "learned.mln", true},
		{"crossval model.mln --stream facts.db --folds 3 --systems gain,base --infer=--samples=100 --json --checkpoint crossed.run", "", true},
	} {
		all = append(all, &job{args: strings.Fields(j.line), files: strings.Fields(j.files), resuming: j.resuming})
	}
	for _, j := range all {
		began := time.Now()
		j.out = j.run(t, dir, "", nil)
		j.took = time.Since(began)
		j.want = j.left(t, dir)
		if j.out.status != 0 || len(j.want) == 0 && len(j.files) > 0 {
			t.Fatalf("%v: status %d: %s", j.args, j.out.status, j.out.stderr)
		}
		j.clean(t, dir)
	}
	return all
}

// run runs the job, which has a minute. before stands before the program in a shell; during is called while it runs.
func (j *job) run(t *testing.T, dir, before string, during func(*os.Process)) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", before + ` exec resolwe "$@"`, "sh"}, append(j.args, "--progress", "never")...)...) // #nosec G204 -- a test's
	var stdout, stderr bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = dir, &stdout, &stderr
	c.Env = append(os.Environ(), quickExit)
	check.OK(t, c.Start())
	if during != nil {
		during(c.Process)
	}
	err := c.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

// left returns the files that the job left.
func (j *job) left(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range j.files {
		err := filepath.WalkDir(filepath.Join(dir, name), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				all[path] = string(contents(t, path))
			}
			return nil
		})
		check.OK(t, err)
	}
	return all
}

// whole reports whether all files are there; one that is there has to be whole.
func (j *job) whole(t *testing.T, dir string) bool {
	t.Helper()
	got := j.left(t, dir)
	for path, text := range got {
		if j.want[path] != text {
			t.Errorf("%v: %s is not what it is to be", j.args, path)
		}
	}
	return len(got) == len(j.want)
}

// clean removes what the job left.
func (j *job) clean(t *testing.T, dir string) {
	t.Helper()
	for _, name := range slices.Concat(j.files, []string{"learned.run", "crossed.run"}) {
		check.OK(t, os.RemoveAll(filepath.Join(dir, name)))
	}
}

// killing kills a job at any time. Of what it writes there is nothing or all, and when it is run again, from its checkpoint
// where it has one, it ends with the same bytes and nothing is left beside them.
func (x *torture) killing(*testing.T) attack {
	r, dir, all := x.r, x.folder, x.work
	return func(t *testing.T) (string, verdict) {
		t.Helper()
		j := drawn(r, all)
		what, again := "killed", *j
		if j.resuming {
			what, again.args = "killed, resumed", append(slices.Clip(j.args), "--resume")
		}
		for range 1 + r.IntN(2) {
			wait := time.Duration(r.Int64N(int64(j.took)))
			_ = again.run(t, dir, "", func(p *os.Process) {
				time.Sleep(wait)
				_ = p.Kill() // or it is done
			})
			if j.whole(t, dir) && len(j.files) > 0 {
				j.clean(t, dir)
				return what, harmless
			}
		}
		got := again.run(t, dir, "", nil)
		if got.status != 0 || got.stdout != j.out.stdout || !j.whole(t, dir) {
			t.Errorf("%v: after a kill: status %d, %s\n%.300s\nwant\n%.300s", again.args, got.status, got.stderr, got.stdout, j.out.stdout)
		}
		nothingLeft(t, dir)
		j.clean(t, dir)
		return what, found
	}
}

// filling bounds the size of files, and where it can mount one uses a small file system: a job does all or fails, and leaves
// nothing.
func (x *torture) filling(t *testing.T) attack {
	t.Helper()
	r, dir, all := x.r, x.folder, x.work
	mounts := os.Geteuid() == 0 && exec.CommandContext(t.Context(), "sh", "-c", "d=$(mktemp -d) && mount -t tmpfs none $d && umount $d && rmdir $d").Run() == nil
	return func(t *testing.T) (string, verdict) {
		t.Helper()
		j := drawn(r, all)
		size := 0
		for _, text := range j.want {
			size = max(size, len(text))
		}
		blocks := strconv.Itoa(r.IntN(size/512 + 2))
		what, where, before := "file size limited", dir, "ulimit -f "+blocks+";"
		if mounts && r.IntN(2) == 0 {
			what, where, before = "file system full", t.TempDir(), ""
			mount(t, where, blocks)
			check.OK(t, copyFiles(dir, where)) // links, which take no room
		}
		k := *j
		k.want = map[string]string{}
		for path, text := range j.want {
			k.want[where+strings.TrimPrefix(path, dir)] = text
		}
		got := k.run(t, where, before, nil)
		out := judge(t, fmt.Sprintf("%v, %s blocks", j.args, blocks), got, j.out.stdout, true)
		if out == harmless && !k.whole(t, where) {
			t.Errorf("%v: %s blocks: it ends as if all were there", j.args, blocks)
		}
		k.whole(t, where)
		nothingLeft(t, where)
		k.clean(t, where)
		return what, out
	}
}

// mount mounts a file system of so many blocks of 512 bytes, and some for names.
func mount(t *testing.T, where, blocks string) {
	t.Helper()
	n, err := strconv.Atoi(blocks)
	check.OK(t, err)
	run := func(args ...string) {
		check.OK(t, exec.CommandContext(context.WithoutCancel(t.Context()), args[0], args[1:]...).Run()) // #nosec G204 -- a test's
	}
	run("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dk", 4+n/2), "none", where)
	t.Cleanup(func() { run("umount", where) })
}

// copyFiles makes links to the files of a folder in another.
func copyFiles(from, to string) error {
	entries, err := os.ReadDir(from)
	for _, e := range entries {
		err = errors.Join(err, os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())))
	}
	return err
}

// changing cuts or overwrites a stream while a command reads it.
func (x *torture) changing(t *testing.T) attack {
	t.Helper()
	r, dir := x.r, x.folder
	path := filepath.Join(dir, "out.rsg")
	output(t, "pack", filepath.Join(dir, "model.mln"), filepath.Join(dir, "facts.db"), "-o", path)
	stream := contents(t, path)
	var readers []*job
	for _, line := range []string{
		"infer weighted.mln --stream out.rsg --samples 200 --json", "select model.mln --stream out.rsg --support 2 --json",
		"learn model.mln --stream out.rsg --passes 5 --json", "eval weighted.mln --stream out.rsg --samples 200 --json", "inspect out.rsg --json",
	} {
		j := &job{args: strings.Fields(line)}
		began := time.Now()
		j.out = j.run(t, dir, "", nil)
		j.took = time.Since(began)
		readers = append(readers, j)
	}
	return func(t *testing.T) (string, verdict) {
		t.Helper()
		j := drawn(r, readers)
		past := time.Now().Add(-time.Hour)
		check.OK(t, os.Chtimes(path, past, past)) // clocks of file systems are coarse
		from := r.IntN(len(stream))
		cut := r.IntN(2) == 0
		what := map[bool]string{true: "cut while it is read", false: "overwritten while it is read"}[cut]
		got := j.run(t, dir, "", func(*os.Process) {
			time.Sleep(time.Duration(r.Int64N(int64(j.took))))
			if cut {
				check.OK(t, os.Truncate(path, int64(from)))
				return
			}
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			check.OK(t, err)
			_, err = f.WriteAt(make([]byte, 1+r.IntN(len(stream)-from)), int64(from))
			check.OK(t, errors.Join(err, f.Close()))
		})
		out := judge(t, fmt.Sprintf("%v, %s at %d", j.args, what, from), got, j.out.stdout, true)
		if got.status != 0 && got.status != 3 {
			t.Errorf("%v: %s: status %d, want 3: %s", j.args, what, got.status, got.stderr)
		}
		check.OK(t, os.WriteFile(path, stream, 0o600))
		return what, out
	}
}

// signalling interrupts a command that waits for a pipe without another end.
func (x *torture) signalling(t *testing.T) attack {
	t.Helper()
	r, dir := x.r, x.folder
	check.OK(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	return func(t *testing.T) (string, verdict) {
		t.Helper()
		j := &job{args: strings.Fields(drawn(r, []string{
			"counts model.mln --stream pipe", "counts pipe --stream facts.db", "pack model.mln pipe -o left.rsg", "pack model.mln facts.db -o pipe",
			"learn pairs.mln --stream pairs.db --checkpoint pipe", "verify pipe", "inspect pipe",
		})), files: []string{"left.rsg"}}
		signal := drawn(r, []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP})
		got := j.run(t, dir, "", func(p *os.Process) {
			time.Sleep(time.Duration(50+r.IntN(200)) * time.Millisecond)
			_ = p.Signal(signal)
		})
		if (got.status != 130 && got.status != -1) || got.stdout != "" { // -1 where it had hardly begun
			t.Errorf("%v, %v: status %d, %s", j.args, signal, got.status, got.stderr)
		}
		j.whole(t, dir)
		nothingLeft(t, dir)
		return "a pipe that nobody opens, interrupted", found
	}
}
