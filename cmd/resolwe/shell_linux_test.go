package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"resolwe/internal/test/check"
)

// The commands that init prints do in a shell what they say, whatever the folders are called.
func TestInit_PrintedCommands(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/script/init.txtar")
	check.OK(t, err)
	const quick = `resolwe() { # crossval takes longer than all the rest
	if test "$1" = crossval; then command resolwe discover "$2" --stream "$4"; else command resolwe "$@"; fi
}
set -e
`
	for _, name := range []string{"plain", "-x,", `it's "$HOME" & $(touch pwned) \ ~*?[a] {b,c} #é`, "~`touch pwned`;!\ntwo lines"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, f := range archive.Files {
				path := filepath.Join(dir, name+"2", filepath.Base(f.Name))
				check.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
				check.OK(t, os.WriteFile(path, f.Data, 0o600))
			}
			c := exec.CommandContext(t.Context(), "resolwe", "init", "./"+name+"2", "--center", "buys.customer", "--target", "buys(customer, product)", "-o", "./"+name) // #nosec G204 -- a test's
			var stderr bytes.Buffer
			c.Dir, c.Env, c.Stderr = dir, append(os.Environ(), quickExit), &stderr
			out, err := c.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, stderr.String())
			}
			_, commands, _ := strings.Cut(string(out), "\n\n")
			if status, messages := shell(t, dir, quick+commands); status != 0 {
				t.Errorf("got status %d and %s of\n%s", status, messages, commands)
			}
			check.OK(t, check.Err(os.Stat(filepath.Join(dir, name, "task.rsg"))))
			left, err := os.ReadDir(dir)
			check.OK(t, err)
			check.Equal(t, "files", len(left), 2)
		})
	}
}
