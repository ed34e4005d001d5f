package main_test

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"resolwe/internal/test/check"
)

// completions returns what bash offers for the last of some words.
func completions(t *testing.T, script string, words ...string) string {
	t.Helper()
	const run = `eval "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _resolwe; echo "${COMPREPLY[*]}"`
	c := exec.Command("bash", append([]string{"--norc", "-c", run, "bash", script, "resolwe"}, words...)...) // #nosec G204 -- a test's
	var out, faults strings.Builder
	c.Stdout, c.Stderr = &out, &faults
	if err := c.Run(); err != nil || faults.Len() > 0 {
		t.Fatalf("bash: %v: %s", err, faults.String())
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

func TestCompletion_Bash(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash here")
	}
	script := output(t, "completion", "bash")
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{[]string{"sel"}, "select"},
		{[]string{"exp"}, "expand explain export"},
		{[]string{"select", "--crit"}, "--criterion"},
		{[]string{"select", "task.mln", "--criterion", "p"}, "paper"},
		{[]string{"select", "--criterion", "=", "l"}, "lift llr"},
		{[]string{"infer", "m.mln", "--method", "mc"}, "mcsat"},
		{[]string{"--progress", "n"}, "never"},
		{[]string{"bench", "sel"}, "select"},
		{[]string{"completion", "z"}, "zsh"},
		{[]string{"select", "--stream", "x"}, ""}, // files
		{[]string{"select", "tas"}, ""},
	} {
		check.Equal(t, strings.Join(tt.words, " "), completions(t, script, tt.words...), tt.want)
	}
}

// Each flag of a command is among the words, with its help, and in the manual.
func TestCompletion_Whole(t *testing.T) {
	t.Parallel()
	words, man := output(t, "completion", "words", "--", "select", "-"), strings.ReplaceAll(output(t, "man"), `\-`, "-")
	for line := range strings.Lines(output(t, "select", "--help")) {
		word := strings.TrimSpace(line)
		if _, after, ok := strings.Cut(word, ", --"); ok {
			word = "--" + after
		}
		if !strings.HasPrefix(word, "--") {
			continue
		}
		name, _, _ := strings.Cut(strings.Fields(word)[0], "=")
		if !strings.Contains(words, name+"\t") || !strings.Contains(man, name) {
			t.Errorf("no flag %s", name)
		}
	}
	if zsh, fish := output(t, "completion", "zsh"), output(t, "completion", "fish"); !strings.HasPrefix(zsh, "#compdef resolwe\n") || !strings.Contains(fish, "-a '(__resolwe)'") {
		t.Errorf("got for zsh %q, for fish %q", zsh, fish)
	}
}

// Programs that read manual pages find no fault in this one.
func TestMan(t *testing.T) {
	t.Parallel()
	man := output(t, "man")
	for _, want := range []string{".SH NAME\n", ".SS resolwe select ", `resolwe select task.mln \-\-stream train.rsg`} {
		check.Contains(t, man, want, "page")
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("no groff here")
	}
	c := exec.Command(groff, "-man", "-Tascii", "-ww", "-") // #nosec G204 -- a test's
	c.Stdin = strings.NewReader(man)
	var faults strings.Builder
	c.Stderr = &faults
	check.OK(t, c.Run())
	check.Equal(t, "warnings", faults.String(), "")
}

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
