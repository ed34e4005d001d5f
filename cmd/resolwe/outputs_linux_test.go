package main_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"resolwe/internal/test/check"
)

// shell runs a command line, in which resolwe is this program, and returns its exit status and messages.
func shell(t *testing.T, dir, line string) (status int, messages string) {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.CommandContext(t.Context(), "sh", "-c", line) // #nosec G204 -- a test's
	c.Dir, c.Stderr = dir, &stderr
	c.Env = append(os.Environ(), quickExit)
	err := c.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), stderr.String()
	}
	check.OK(t, err)
	return 0, stderr.String()
}

// A null device as standard output takes all, however it is opened. That is so for one that is closed too: Go's runtime opens the null
// device in its place, in the way in which other programs do, and nothing tells the two apart.
func TestStdout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const model, facts = "testdata/cases/three-targets/model.mln", "testdata/cases/three-targets/facts.db"
	check.OK(t, os.WriteFile(filepath.Join(dir, "model.mln"), contents(t, model), 0o600))
	check.OK(t, os.WriteFile(filepath.Join(dir, "facts.db"), contents(t, facts), 0o600))
	for _, test := range []struct {
		line   string
		status int
		want   string
	}{
		{"resolwe counts model.mln --stream facts.db >/dev/null", 0, ""},
		{"resolwe counts model.mln --stream facts.db 1<>/dev/null", 0, ""},    // as a parent has it that ignores what is printed
		{"resolwe counts model.mln --stream facts.db <>/dev/null >&0", 0, ""}, // as daemons have it
		{"resolwe counts model.mln --stream facts.db >&-", 0, ""},
		{"resolwe pack model.mln facts.db -o s.rsg >&-", 0, ""},
		{"resolwe counts model.mln --stream facts.db >/dev/full", 1, "no space left on device"},
		{"resolwe counts model.mln --stream facts.db >>facts.db", 2, "output /dev/stdout is also an input, facts.db"},
		{"resolwe pack model.mln - -o facts.db <facts.db", 2, "output facts.db is also an input, /dev/stdin"},
		{"resolwe learn model.mln --stream facts.db --passes 1 >/dev/null 2>/dev/full", 1, ""},
	} {
		status, messages := shell(t, dir, test.line)
		if status != test.status || !strings.Contains(messages, test.want) || (messages == "") != (test.want == "") {
			t.Errorf("%s: got status %d and %q, want %d and %q", test.line, status, messages, test.status, test.want)
		}
	}
	check.Equal(t, "facts", string(contents(t, filepath.Join(dir, "facts.db"))), string(contents(t, facts)))
}
