package main_test

import (
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	cmd "resolwe/cmd/resolwe"
	"resolwe/internal/test/check"
	"resolwe/internal/test/pages"
)

const root = "../../"

// pageNames returns the pages that print commands, from the root.
func pageNames(t *testing.T) (names []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*/README.md", "format/rsg/FORMAT.md"} {
		found, err := filepath.Glob(root + pattern)
		check.OK(t, err)
		for _, path := range found {
			if name := filepath.ToSlash(strings.TrimPrefix(path, filepath.FromSlash(root))); name != "CHANGELOG.md" {
				names = append(names, name)
			}
		}
	}
	return names
}

// TestDocs parses every command line that the pages, the scripts beside them and the help texts print: its command and flags exist, and their values are
// allowed. In sentences, and in BENCHMARKS.md, what a command needs may be left out where the line does not begin with resolwe.
func TestDocs(t *testing.T) {
	t.Parallel()
	commands := commandNames(t)
	targets, err := os.ReadFile(root + "Makefile")
	check.OK(t, err)
	lines := 0
	for _, name := range pageNames(t) {
		text, err := os.ReadFile(root + name)
		check.OK(t, err)
		for _, c := range pages.Read(string(text)).Commands {
			for line := range parts(c.Text) {
				whole := !c.Inline || strings.HasPrefix(line, "resolwe ") && strings.Contains(line, " -") && name != "BENCHMARKS.md"
				line = strings.TrimPrefix(strings.TrimPrefix(line, "resolwe "), "go run ./cmd/resolwe ")
				args := words(line)
				switch {
				case len(args) < 2:
				case args[0] == "make":
					check.Contains(t, string(targets), "\n"+args[1]+":", "%s: the target of %s", name, line)
				case slices.Contains(commands, args[0]):
					lines++
					if err := cmd.Parse(args); err != nil && (whole || strings.Contains(err.Error(), "unknown flag")) {
						t.Errorf("%s:%d: resolwe %s: %v", name, c.Line+1, line, err)
					}
				}
			}
		}
	}
	check.AtLeast(t, lines, 100, "command lines")
	for _, name := range commands {
		for _, line := range examples(output(t, name, "--help")) {
			check.OKf(t, cmd.Parse(words(line)), "the help of %s: resolwe %s", name, line)
		}
	}
	scripts, err := filepath.Glob(root + "examples/*/report.sh")
	check.OK(t, err)
	for _, path := range scripts {
		text, err := os.ReadFile(path)
		check.OK(t, err)
		for line := range parts(argument.ReplaceAllString(string(text), "x")) {
			if line, ok := strings.CutPrefix(line, "resolwe "); ok {
				check.OKf(t, cmd.Parse(words(line)), "%s: resolwe %s", path, line)
			}
		}
	}
}

var (
	word     = regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`)
	comment  = regexp.MustCompile(`\s#.*| > \S+`)
	argument = regexp.MustCompile(`"\$\{1:[^}]*\}"|"\$\(dirname "\$0"\)"`)
	divider  = regexp.MustCompile(` \| | && |\n`)
	optional = strings.NewReplacer("[", "", "]", "")
)

// parts yields the commands of a line of a shell. What is optional is there.
func parts(line string) iter.Seq[string] {
	return slices.Values(divider.Split(optional.Replace(comment.ReplaceAllString(line, "")), -1))
}

// examples returns what follows `resolwe` in the examples of a help text, which are indented.
func examples(help string) (found []string) {
	for line := range strings.Lines(strings.ReplaceAll(help, "\\\n", " ")) {
		if !strings.HasPrefix(line, "    ") {
			continue
		}
		for part := range parts(strings.TrimSpace(line)) {
			if rest, ok := strings.CutPrefix(part, "resolwe "); ok {
				found = append(found, rest)
			}
		}
	}
	return found
}

// words divides a line as a shell does, with numbers for N and S.
func words(line string) []string {
	args := word.FindAllString(line, -1)
	for i, a := range args {
		args[i] = strings.Trim(a, `"'`)
		if a == "N" || a == "S" { // any number
			args[i] = "1"
		}
	}
	return args
}
