package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	cmd "resolwe/cmd/resolwe"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// cancelling is a context's end at the first byte that is read.
type cancelling struct {
	r      io.Reader
	cancel context.CancelFunc
}

func (c *cancelling) Read(p []byte) (int, error) {
	c.cancel()
	return c.r.Read(p)
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	facts := contents(t, "testdata/cases/three-targets/facts.db")
	for name, args := range map[string][]string{
		"select": {"select", "testdata/cases/three-targets/model.mln", "--stream", "-", "--json", "--log-level", "error"},
		"learn":  {"learn", "testdata/cases/three-targets/model.mln", "--stream", "-", "--subgraphs", "6", "--json"},
		"infer":  {"infer", "testdata/weighted.mln", "--stream", "-", "--json", "--log-level", "error"},
		"pack":   {"pack", "testdata/cases/three-targets/model.mln", "-"},
		"verify": {"verify", "-"}, // which has nothing to hand over before it has read all
		"shards": {"pack", "testdata/cases/three-targets/model.mln", "-", "--shards", "2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			dir := t.TempDir()
			in := facts
			switch name {
			case "verify":
				in = []byte(output(t, "pack", "testdata/cases/three-targets/model.mln", "testdata/cases/three-targets/facts.db", "-o", "-"))
			case "infer":
			default:
				args = append(args, "-o", filepath.Join(dir, "out"))
			}
			var stdout, stderr bytes.Buffer
			status := cmd.Run(ctx, args, &cancelling{bytes.NewReader(in), cancel}, &stdout, &stderr)
			if status != 130 || stdout.Len() > 0 || stderr.String() != "resolwe: interrupted\n" {
				t.Errorf("got status %d, %q and %q, want 130, nothing and that it was interrupted", status, stdout.String(), stderr.String())
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("got files %v, want none", left)
			}
		})
	}
}

// TestInterrupt_Blocked interrupts a command that waits for a pipe in which nothing comes. Its profile is written.
func TestInterrupt_Blocked(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w := io.Pipe()
	defer w.Close()
	go func() {
		io.WriteString(w, "@subgraph s1\nfriends(A, B)\n@subgraph s2\n")
		cancel()
	}()
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	args := []string{
		"select", "testdata/cases/smokers/model.mln", "--stream", "-", "-o", filepath.Join(dir, "out"), "--profile", "block", "--profile-dir", dir,
	}
	if status := cmd.Run(ctx, args, r, &stdout, &stderr); status != 130 || stdout.Len() > 0 {
		t.Errorf("got status %d and %q, want 130 and nothing", status, stdout.String())
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 || left[0].Name() != "block.pprof" {
		t.Errorf("got files %v, want the profile", left)
	}
}

// closing is standard output whose reader goes away after some bytes.
type closing struct{ left int }

func (c *closing) Write(p []byte) (int, error) {
	if c.left -= len(p); c.left < 0 {
		return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
	}
	return len(p), nil
}

func TestReaderGone(t *testing.T) {
	t.Parallel()
	const model, facts = "testdata/cases/three-targets/model.mln", "testdata/cases/three-targets/facts.db"
	for _, args := range []string{
		"pack " + model + " " + facts + " -o -",
		"infer testdata/weighted.mln --stream " + facts,
		"select " + model + " --stream " + facts + " --json",
		"crossval --help",
	} {
		var stderr bytes.Buffer
		status := cmd.Run(t.Context(), append(strings.Fields(args), "--log-level", "error"), nil, &closing{100}, &stderr)
		if status != 0 || stderr.Len() > 0 {
			t.Errorf("%s: got status %d and %q, want 0 and nothing", args, status, stderr.String())
		}
	}
}

// stopping is standard error, and a context's end once a text was written there.
type stopping struct {
	text   bytes.Buffer
	at     string
	cancel context.CancelFunc
}

func (s *stopping) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(s.at)) {
		s.cancel()
	}
	return s.text.Write(p)
}

// TestInterrupt_Grounding interrupts a grounding that would never end, when that has been warned of.
func TestInterrupt_Grounding(t *testing.T) {
	t.Parallel()
	dir, atoms := t.TempDir(), make([]string, 41)
	for i := range atoms {
		atoms[i] = fmt.Sprintf("q(x%d)", i)
	}
	model := streamtest.File(t, dir, "m.mln", []byte("target q(a)\n1 "+strings.Join(atoms, " ^ ")))
	facts := streamtest.File(t, dir, "f.db", []byte("@subgraph vast\n@entity a A B C D\n"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stderr, stdout := &stopping{at: "takes long", cancel: cancel}, bytes.Buffer{}
	status := cmd.Run(ctx, []string{"infer", model, "--stream", facts}, nil, &stdout, stderr)
	got := stderr.text.String()
	if status != 130 || stdout.Len() > 0 || !strings.HasPrefix(got, "resolwe: warning: a formula takes long to ground: q(x0) ^ q(x1) ^ ") ||
		!strings.Contains(got, " subgraph=vast ") || !strings.HasSuffix(got, " at_most=4.836e+24\nresolwe: interrupted\n") {
		t.Errorf("got status %d and %q, want 130, a warning, and that it was interrupted", status, got)
	}
}

// TestCrossval_Interrupted prints the folds that are finished, and goes on from its checkpoint to the bytes of a run that was
// left alone.
func TestCrossval_Interrupted(t *testing.T) {
	t.Parallel()
	const model, facts = "testdata/cases/three-targets/model.mln", "testdata/cases/three-targets/facts.db"
	checkpoint := filepath.Join(t.TempDir(), "checkpoint")
	args := []string{"crossval", model, "--stream", facts, "--folds", "3", "--systems", "all", "--learn-on", "all", "--infer", "--samples 100"}
	want := output(t, append(args, "--json")...)
	for _, test := range []struct{ at, partial string }{
		{"fold 1: predict skipSelection", ""},
		{"fold 2: predict base", `"finished": 1,`},
		{"fold 3: predict paper", `"finished": 2,`},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		stderr := &stopping{at: test.at, cancel: cancel}
		var stdout bytes.Buffer
		run := append(slices.Clone(args), "--json", "--log-level", "debug", "--checkpoint", checkpoint, "--resume")
		status := cmd.Run(ctx, run, nil, &stdout, stderr)
		if status != 130 || !strings.HasSuffix(stderr.text.String(), "resolwe: interrupted\n") {
			t.Errorf("%s: got status %d and %q, want 130 and that it was interrupted", test.at, status, stderr.text.String())
		}
		if got := stdout.String(); (got == "") != (test.partial == "") || !strings.Contains(got, test.partial) {
			t.Errorf("%s: got %q, want %q in it", test.at, got, test.partial)
		}
		saved := "the state of the run is saved: the same command with --resume continues it checkpoint=" + checkpoint
		if test.partial != "" && !strings.Contains(stderr.text.String(), saved) {
			t.Errorf("%s: got %q, want in it %q", test.at, stderr.text.String(), saved)
		}
		if test.partial != "" && (!strings.Contains(stdout.String(), `"partial": true`) || !strings.Contains(stderr.text.String(), "the result is partial")) {
			t.Errorf("%s: the result is not marked as partial: %q and %q", test.at, stdout.String(), stderr.text.String())
		}
	}
	got := output(t, append(args, "--json", "--workers", "3", "--checkpoint", checkpoint, "--resume")...)
	if got != want {
		t.Errorf("got\n%s\nwant, as from a run that was left alone\n%s", got, want)
	}
	if strings.Contains(want, "partial") {
		t.Errorf("a whole result is marked as partial:\n%s", want)
	}
}

// A budget that expires ends a cross-validation with what is done, status 0 and a warning that names the rest; --resume with another
// budget continues to the bytes of an uninterrupted run.
func TestCrossval_Budget(t *testing.T) {
	checkpoint := filepath.Join(t.TempDir(), "checkpoint")
	args := []string{
		"crossval", "testdata/cases/three-targets/model.mln", "--stream", "testdata/cases/three-targets/facts.db", "--folds", "3",
		"--systems", "gain,base,single", "--json",
	}
	want := output(t, args...)
	for _, test := range []struct{ budget, left, said string }{
		{"4.5s", `["fold 1: single","fold 2","fold 3"]`, "fold 1: single; fold 2; fold 3"},
		{"6.5s", `["fold 2: single","fold 3"]`, "fold 2: single; fold 3"},
		{"1h", "", ""},
	} {
		var stdout bytes.Buffer
		stderr := &slow{}
		synctest.Test(t, func(t *testing.T) {
			run := append(slices.Clone(args), "--log-level", "debug", "--checkpoint", checkpoint, "--resume", "--budget", test.budget)
			if status := cmd.Run(t.Context(), run, nil, &stdout, stderr); status != 0 {
				t.Errorf("%s: got status %d", test.budget, status)
			}
		})
		if test.left == "" {
			check.Equal(t, "resumed", stdout.String(), want)
			continue
		}
		var got struct {
			Partial bool
			Left    json.RawMessage
		}
		check.OK(t, json.Unmarshal(stdout.Bytes(), &got))
		var left bytes.Buffer
		check.OK(t, json.Compact(&left, got.Left))
		check.Equal(t, "left", left.String(), test.left)
		if warning := "the budget expired before all was done: the result lacks " + test.said; !strings.Contains(stderr.String(), warning) || !got.Partial {
			t.Errorf("%s: got %q, want in it %q", test.budget, stderr.String(), warning)
		}
	}
}

// slow takes a second for each line that it is told of a fold.
type slow struct{ bytes.Buffer }

func (s *slow) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(": fold ")) {
		time.Sleep(time.Second)
	}
	return s.Buffer.Write(p)
}
