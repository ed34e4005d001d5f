package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"resolwe/internal/test/check"

	"resolwe/cmd/resolwe-beam/internal/test/beamtest"
)

// warnings returns the warnings among messages.
func warnings(stderr string) (out []string) {
	for line := range strings.Lines(stderr) {
		if _, text, ok := strings.Cut(line, ": warning: "); ok {
			out = append(out, text)
		}
	}
	return out
}

// warned returns the warnings of resolwe.
func warned(t *testing.T, args ...string) []string {
	t.Helper()
	var stderr strings.Builder
	c := exec.Command(local, args...)
	c.Stderr = &stderr
	check.OK(t, c.Run())
	return warnings(stderr.String())
}

// Data that violate a hard formula are named and counted as by resolwe, whatever shard they are in, each once however many jobs read them.
func TestWarnings_Data(t *testing.T) {
	task := "busy(st)\nlike(st, st)\ntarget free(st)\nbusy(s) => !free(s).\n"
	candidates, weighted := beamtest.Of(t, task+"like(s, t) => free(s)\n", data(), 5, 2), beamtest.Of(t, task+"1 like(s, t) => free(s)\n", data(), 5, 2)
	for _, args := range [][]string{
		{"select"}, {"select", "--criterion", "paper", "--k2", "7"}, {"learn"}, {"learn", "--skip", "6"}, {"learn", "--mix", "cd"}, {"eval"},
	} {
		d := weighted
		if args[0] == "select" {
			d = candidates
		}
		common := slices.Concat(args[:1], []string{d.Path}, args[1:])
		var own []string // of resolwe, which does not mix
		for i := 0; i < len(common); i++ {
			if common[i] == "--mix" {
				i++
				continue
			}
			own = append(own, common[i])
		}
		violations := func(list []string) []string {
			return slices.DeleteFunc(list, func(text string) bool { return !strings.Contains(text, "violate a hard formula") })
		}
		want := violations(warned(t, append(own, "--stream", d.Stream)...))
		check.Equal(t, strings.Join(args, " ")+": kinds of warnings", len(want), 2)
		check.Equal(t, strings.Join(args, " "), violations(warnings(run(t, append(common, "--stream", d.Folder)...).stderr)), want)
	}
}

// data has twelve subgraphs, of which every third violates the formula that who is busy is not free.
func data() string {
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "@subgraph s%d\nbusy(S1)\nlike(S2, S1)\nlike(S3, S2)\nfree(S%d)\n", i, 1+(i+1)%3)
	}
	return b.String()
}

// What is to be said of samples that are too few, and of weights that are not there, is said here as by resolwe.
func TestWarnings(t *testing.T) {
	d := beamtest.New(t, 20, 4, 3)
	partly := filepath.Join(t.TempDir(), "partly.mln") // the last formula has no weight
	weighted, err := os.ReadFile(d.Weighted)
	check.OK(t, err)
	lines := strings.Split(strings.TrimSpace(string(weighted)), "\n")
	_, last, _ := strings.Cut(lines[len(lines)-1], " ")
	check.OK(t, os.WriteFile(partly, []byte(strings.Join(lines[:len(lines)-1], "\n")+"\n"+last+"\n"), 0o600))
	for _, command := range []string{"infer", "eval"} {
		for _, model := range []string{d.Weighted, partly} {
			args := []string{command, model, "--method", "mcsat", "--samples", "3", "--error", "0.001"}
			want := warned(t, append(args, "--stream", d.Stream)...)
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
