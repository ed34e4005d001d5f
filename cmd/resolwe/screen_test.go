package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cmd "resolwe/cmd/resolwe"
	"resolwe/internal/render"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// onScreen runs the program on a terminal of a number of columns, and returns what it shows.
func onScreen(t *testing.T, columns int, colour bool, args ...string) string {
	t.Helper()
	var shown, stderr bytes.Buffer
	if status := cmd.Run(t.Context(), args, nil, render.NewScreen(&shown, columns, colour), &stderr); status != 0 {
		t.Fatalf("resolwe %s: exit status %d: %s", strings.Join(args, " "), status, stderr.String())
	}
	return shown.String()
}

// purchases writes a task about who buys what, with a learned model and its stream.
func purchases(t *testing.T) (task, model, stream string) {
	t.Helper()
	dir := t.TempDir()
	task, model, stream = filepath.Join(dir, "task.mln"), filepath.Join(dir, "model.mln"), filepath.Join(dir, "data.rsg")
	const rule = "bought(person, item)\ntarget listed buys(person)\n%bought(p, i) ^ bought(p, j) ^ bought(q, i) ^ bought(q, j) => buys(p)\n"
	check.OK(t, os.WriteFile(task, []byte(strings.ReplaceAll(rule, "%", "")), 0o600))
	check.OK(t, os.WriteFile(model, []byte(strings.ReplaceAll(rule, "%", "0.123456789 ")), 0o600))
	var facts strings.Builder
	for _, name := range []string{"a", "b", "c", "d"} {
		facts.WriteString("@subgraph " + name + "\nbought(Anna, X)\nbuys(Anna)\nbought(Berta, X)\nbought(Berta, Y)\nbuys(Berta)\n!buys(Clara)\n!buys(Dora)\n")
	}
	db := filepath.Join(dir, "data.db")
	check.OK(t, os.WriteFile(db, []byte(facts.String()), 0o600))
	output(t, "pack", task, db, "-o", stream)
	return task, model, stream
}

// What is printed for people fits any terminal, and is what a pipe gets where there is room.
func TestScreen_Fits(t *testing.T) {
	t.Parallel()
	task, model, stream := purchases(t)
	for _, args := range [][]string{
		{"select", task, "--stream", stream, "--support", "1", "--shrink", "1"},
		{"select", task, "--stream", stream, "--criterion", "lift"},
		{"learn", model, "--stream", stream},
		{"eval", model, "--stream", stream},
		{"explain", model, "--stream", stream, "--subgraph", "a"},
		{"explain", model, "--stream", stream, "--formula", "1"},
		{"crossval", task, "--stream", stream, "--folds", "2", "--select", "--support 1", "--systems", "base"},
		{"inspect", stream},
		{"plan", task, "--stream", stream},
	} {
		for _, columns := range []int{40, 80, 120} {
			for line := range strings.Lines(onScreen(t, columns, false, args...)) {
				if got := render.Width(strings.TrimSuffix(line, "\n")); got > columns {
					t.Errorf("%v on %d columns: a line has %d: %s", args, columns, got, line)
				}
			}
		}
	}
	for line := range strings.Lines(onScreen(t, 60, false, "select", "--help")) {
		if got := render.Width(strings.TrimSuffix(line, "\n")); got > 62 && !strings.Contains(line, "resolwe select ") { // examples stay whole
			t.Errorf("the help on 60 columns: a line has %d: %s", got, line)
		}
	}
	args := []string{"inspect", stream}
	check.Equal(t, "on a wide terminal", onScreen(t, 1000, false, args...), output(t, args...))
}

// Weights have 4 digits on a terminal.
func TestScreen_Weights(t *testing.T) {
	t.Parallel()
	_, model, stream := purchases(t)
	args := []string{"explain", model, "--stream", stream, "--subgraph", "a"}
	check.Contains(t, onScreen(t, 200, false, args...), " 0.1235 x ", "on a terminal")
	check.Contains(t, output(t, args...), " 0.123457 x ", "in a pipe")
}

// Headings are bold on a terminal that shows colours, and nowhere else.
func TestScreen_Colours(t *testing.T) {
	t.Parallel()
	_, _, stream := purchases(t)
	if got := onScreen(t, 80, true, "inspect", stream); strings.Count(got, "\x1b[1m") != 2 || strings.Count(got, "\x1b") != 4 {
		t.Errorf("got %q, want two bold headings", got)
	}
	check.Contains(t, onScreen(t, 80, true, "select", "--help"), "\x1b[1mFlags:\x1b[0m\n", "output")
	for _, got := range []string{onScreen(t, 80, false, "inspect", stream), output(t, "inspect", stream), onScreen(t, 80, true, "inspect", stream, "--json")} {
		if strings.Contains(got, "\x1b") {
			t.Errorf("got %q, want no colour", got)
		}
	}
}

// What infer, counts and map print stands in columns on a screen, and between tabs elsewhere, a line a row whatever the names.
func TestScreen_Rows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model := streamtest.File(t, dir, "m.mln", []byte("e(a, a)\ntarget p(a)\n1.5 e(x, y) => p(x)\n-1 p(x)\n"))
	stream := streamtest.File(t, dir, "s.db", []byte("@subgraph s\ne(\"a\tb\", Berta)\np(\"a\tb\")\n"))
	for _, test := range []struct{ command, piped, shown string }{
		{"infer", "s\tp(\"a\\tb\")\t0.622459\ns\tp(Berta)\t0.268941\n", "s  p(\"a\\tb\")  0.622459\ns  p(Berta)   0.268941\n"},
		{"counts", "s\t4\te(x, y) => p(x)\ns\t1\tp(x)\n", "s  4  e(x, y) => p(x)\ns  1  p(x)\n"},
		{"map", "// s: log-weight 5.0000, exact\ns\tp(\"a\\tb\")\t1\ns\tp(Berta)\t0\n", "// s: log-weight 5.0000, exact\ns  p(\"a\\tb\")  1\ns  p(Berta)   0\n"},
	} {
		check.Equal(t, test.command, output(t, test.command, model, "--stream", stream), test.piped)
		check.Equal(t, test.command+" on a screen", onScreen(t, 60, false, test.command, model, "--stream", stream), test.shown)
	}
}
