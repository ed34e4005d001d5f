package main_test

import (
	"os/exec"
	"strings"
	"testing"

	"resolwe/internal/test/check"
)

// completions returns what bash offers for the last of some words.
func completions(t *testing.T, script string, words ...string) string {
	t.Helper()
	const run = `eval "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _resolwe; echo "${COMPREPLY[*]}"`
	out, err := exec.Command("bash", append([]string{"--norc", "-c", run, "bash", script, "resolwe"}, words...)...).CombinedOutput() // #nosec G204 -- a test's
	if err != nil {
		t.Fatalf("bash: %v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
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
		{[]string{"sel"}, "select selftest"},
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

// Each command and flag is in the scripts and in the manual.
func TestCompletion_Whole(t *testing.T) {
	t.Parallel()
	bash, zsh, fish, man := output(t, "completion", "bash"), output(t, "completion", "zsh"), output(t, "completion", "fish"), output(t, "man")
	if !strings.HasPrefix(zsh, "#compdef resolwe\n") || !strings.HasSuffix(zsh, bash) {
		t.Errorf("zsh: got %.80q.., want what runs the script of bash", zsh)
	}
	for line := range strings.Lines(output(t, "select", "--help")) {
		word := strings.TrimSpace(line)
		if _, after, ok := strings.Cut(word, ", --"); ok {
			word = "--" + after
		}
		if !strings.HasPrefix(word, "--") {
			continue
		}
		name, _, _ := strings.Cut(strings.Fields(word)[0], "=")
		for what, got := range map[string]string{"bash": bash, "fish": strings.ReplaceAll(fish, "-l ", "--"), "man": strings.ReplaceAll(man, `\-`, "-")} {
			if !strings.Contains(got, name) {
				t.Errorf("%s: no flag %s", what, name)
			}
		}
	}
}

// Programs that read manual pages find no fault in this one.
func TestMan(t *testing.T) {
	t.Parallel()
	man := output(t, "man")
	for _, want := range []string{".SH NAME\n", ".SS resolwe select ", `resolwe select task.mln \-\-stream train.rsg`} {
		if !strings.Contains(man, want) {
			t.Errorf("no %q in the page", want)
		}
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
