package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// The example in the documentation prints what the documentation shows, times aside.
func TestPlan_Documentation(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/methods.md")
	check.OK(t, err)
	_, rest, ok := strings.Cut(string(page), "    $ resolwe plan ")
	command, rest, _ := strings.Cut(rest, "\n")
	want, _, _ := strings.Cut(rest, "\n| ")
	if !ok {
		t.Fatal("docs/methods.md has no example of plan")
	}
	args := strings.Fields(strings.ReplaceAll(command, "examples/", "../../examples/"))
	_, got, _ := strings.Cut(output(t, append([]string{"plan"}, args...)...), "\n\n")
	got, want = strings.TrimSpace(got), strings.TrimSpace(unindented(want))
	check.Equal(t, "result", got, want)
}

// unindented takes four spaces from the front of each line.
func unindented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimPrefix(line, "    "))
	}
	return b.String()
}

// What selection by gain comes to stands in the text and in the JSON, and goes by the parameters of select.
func TestPlan_Gain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	task, db := filepath.Join(dir, "towns.mln"), filepath.Join(dir, "towns.db")
	check.OK(t, os.WriteFile(task, []byte(streamtest.Towns), 0o600))
	check.OK(t, os.WriteFile(db, []byte(streamtest.TownsDB(1, 20)), 0o600))
	args := []string{"plan", task, "--stream", db}
	if got := output(t, args...); !strings.Contains(got, "select, whole stream") || !strings.Contains(got, "that it selects by") {
		t.Errorf("got\n%s\nwant a table of selection", got)
	}
	type plan struct {
		Gain *struct {
			Candidates, Subgraphs int
			Rows                  float64
		}
	}
	read := func(more ...string) (p plan) {
		check.OK(t, json.Unmarshal([]byte(output(t, append(append(args, "--json"), more...)...)), &p))
		return p
	}
	if g := read("--k2", "5", "--rows", "10").Gain; g == nil || g.Subgraphs != 5 || g.Rows != 20 || g.Candidates < 5 {
		t.Errorf("got %+v, want 10 rows for each of two targets, of 5 subgraphs", g)
	}
	if g := read("--criterion", "paper").Gain; g != nil {
		t.Errorf("got %+v for another criterion", g)
	}
}
