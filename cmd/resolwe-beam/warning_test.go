package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"resolwe/internal/test/check"

	"resolwe/cmd/resolwe-beam/internal/test/beamtest"
)

// What is to be said of samples that are too few, and of weights that are not there, is said here as by resolwe.
func TestWarnings(t *testing.T) {
	d := beamtest.New(t, 20, 4, 3)
	warnings := func(stderr string) (out []string) {
		for line := range strings.Lines(stderr) {
			if _, text, ok := strings.Cut(line, ": warning: "); ok {
				out = append(out, text)
			}
		}
		return out
	}
	partly := filepath.Join(t.TempDir(), "partly.mln") // the last formula has no weight
	weighted, err := os.ReadFile(d.Weighted)
	check.OK(t, err)
	lines := strings.Split(strings.TrimSpace(string(weighted)), "\n")
	_, last, _ := strings.Cut(lines[len(lines)-1], " ")
	check.OK(t, os.WriteFile(partly, []byte(strings.Join(lines[:len(lines)-1], "\n")+"\n"+last+"\n"), 0o600))
	for _, command := range []string{"infer", "eval"} {
		for _, model := range []string{d.Weighted, partly} {
			args := []string{command, model, "--method", "mcsat", "--samples", "3", "--error", "0.001"}
			var stderr strings.Builder
			c := exec.Command(local, append(args, "--stream", d.Stream)...)
			c.Stderr = &stderr
			check.OK(t, c.Run())
			want := warnings(stderr.String())
			if len(want) == 0 {
				t.Errorf("%v: resolwe warns of nothing", args)
			}
			args = append(args, "--stream", d.Folder)
			if command == "infer" {
				args = append(args, "-o", filepath.Join(t.TempDir(), "marginals"))
			}
			check.Equal(t, strings.Join(args, " "), warnings(run(t, args...).stderr), want)
		}
	}
}
