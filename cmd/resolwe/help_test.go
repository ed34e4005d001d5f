package main_test

import (
	"runtime"
	"strings"
	"testing"

	"resolwe/internal/test/check"
)

func TestHelp(t *testing.T) {
	t.Parallel()
	overview := output(t, "--help")
	if got := output(t); got != overview {
		t.Errorf("without arguments: got\n%s\nwant the help", got)
	}
	for _, name := range commandNames(t) {
		help := output(t, name, "--help")
		if name != "version" && !strings.Contains(help, "\n    resolwe "+name+" ") && !strings.Contains(help, "\n    resolwe "+name+"\n") {
			t.Errorf("the help of %s has no example:\n%s", name, help)
		}
		for line := range strings.Lines(help) {
			check.AtMost(t, len(line), 82, "the help of %s, bytes of the line %s", name, line)
		}
	}
}

// commandNames returns the names of the commands that the help lists.
func commandNames(t *testing.T) (names []string) {
	t.Helper()
	overview := output(t, "--help")
	_, list, _ := strings.Cut(overview, "Commands:\n")
	for line := range strings.Lines(list) {
		name, rest, ok := strings.Cut(strings.TrimPrefix(line, "  "), " ")
		if ok && name != "" && !strings.HasPrefix(line, "Run") && strings.TrimSpace(rest) != "" {
			names = append(names, name)
		}
	}
	if len(names) < 12 {
		t.Errorf("got %d commands in\n%s\nwant 12", len(names), overview)
	}
	return names
}

func TestVersion(t *testing.T) {
	t.Parallel()
	if got := output(t, "version"); !strings.HasPrefix(got, "resolwe") || !strings.Contains(got, "go1.") || !strings.Contains(got, ", "+runtime.GOOS+"/"+runtime.GOARCH) {
		t.Errorf("got %q, want the program, the compiler and the processor", got)
	}
}
