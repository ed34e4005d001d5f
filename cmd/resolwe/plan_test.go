package main_test

import (
	"os"
	"strings"
	"testing"

	"resolwe/internal/check"
)

// The example of the documentation prints what stands there; times are left out of it.
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
	got, _, _ := strings.Cut(output(t, append([]string{"plan"}, args...)...), "whole stream")
	got, want = strings.TrimSpace(got), strings.TrimSpace(unindented(want))
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// unindented takes four spaces from the front of each line.
func unindented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimPrefix(line, "    "))
	}
	return b.String()
}
