package main_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	cmd "resolwe/cmd/resolwe"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// quickExit keeps the race detector from sleeping for a second at the end of each process that exits with 0.
const quickExit = "GORACE=atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"resolwe": cmd.Main})
}

// TestScripts runs the program as people do. The command `status N args..` expects an exit status; under 2 and above,
// and with --json under 1, standard output has to be empty.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			examples, err := filepath.Abs("../../examples")
			env.Vars = append(env.Vars, quickExit, "EXAMPLES="+examples)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": expectStatus, "damage": damage, "unbase64": unbase64, "truncate": truncate, "untouched": untouched,
			"gzip": pack,
		},
	})
}

// expectStatus runs resolwe and compares its exit status.
func expectStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: status N args...")
	}
	got := "0"
	if err := ts.Exec("resolwe", args[1:]...); err != nil {
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = strconv.Itoa(exit.ExitCode())
	}
	if got != args[0] {
		ts.Fatalf("got exit status %s, want %s", got, args[0])
	}
	if out := ts.ReadFile("stdout"); got != "0" && out != "" {
		ts.Fatalf("got %q on standard output, want nothing beside an error", out)
	}
}

// damage flips a bit of the byte at an offset, from the end where it is negative: damage FILE OFFSET.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	if at < 0 {
		at += len(data)
	}
	data[at] ^= 0x10
	ts.Check(os.WriteFile(path, data, 0o600))
}

// truncate cuts bytes off a file's end: truncate FILE N.
func truncate(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.Truncate(path, info.Size()-int64(n)))
}

// unbase64 decodes a file: unbase64 FROM TO.
func unbase64(ts *testscript.TestScript, _ bool, args []string) {
	data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o600))
}

// pack makes an archive of a file: gzip FROM TO.
func pack(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), archivetest.Gzip(ts.ReadFile(args[0])), 0o600))
}

// untouched expects that a folder holds these files and no other, no temporary one either: untouched DIR FILE...
func untouched(ts *testscript.TestScript, _ bool, args []string) {
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if want := strings.Join(args[1:], " "); strings.Join(got, " ") != want {
		ts.Fatalf("got files %v, want %v", got, want)
	}
}

// outcome is what a run of the program left.
type outcome struct {
	stdout, stderr string
	status         int
}

// resolwe runs the program in this process.
func resolwe(t *testing.T, args ...string) outcome {
	t.Helper()
	return piped(t, nil, args...)
}

// piped is resolwe with a standard input.
func piped(t *testing.T, stdin []byte, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := cmd.Run(t.Context(), args, bytes.NewReader(stdin), &stdout, &stderr)
	return outcome{stdout.String(), stderr.String(), status}
}

// output is resolwe for a run that has to succeed. It returns the standard output.
func output(t *testing.T, args ...string) string {
	t.Helper()
	got := resolwe(t, args...)
	if got.status != 0 {
		t.Fatalf("resolwe %s: exit status %d: %s", strings.Join(args, " "), got.status, got.stderr)
	}
	return got.stdout
}

// printed runs a command with --json and decodes its output, which has to be one JSON value.
func printed[T any](t *testing.T, args ...string) T {
	t.Helper()
	return decoded[T](t, output(t, append(args, "--json")...))
}

func decoded[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	check.OKf(t, json.Unmarshal([]byte(text), &v), "standard output is not one JSON value")
	return v
}

// loaded decodes a JSON file.
func loaded[T any](t *testing.T, path ...string) T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	check.OK(t, err)
	return decoded[T](t, string(data))
}
