package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	cmd "resolwe/cmd/resolwe"
	"resolwe/internal/test/check"
)

// TestDocs parses every command line that the pages and the help texts print: its command and flags exist, and their values are allowed.
func TestDocs(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	check.OK(t, err)
	examples, err := filepath.Glob("../../examples/*/README.md")
	check.OK(t, err)
	pages = slices.Concat(pages, examples, []string{"../../README.md", "../../BENCHMARKS.md", "../../CONTRIBUTING.md", "../../format/rsg/FORMAT.md"})
	lines := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		check.OK(t, err)
		for _, line := range commandLines(string(text)) {
			lines++
			check.OKf(t, cmd.Parse(words(line)), "%s: resolwe %s", page, line)
		}
	}
	check.AtLeast(t, lines, 80, "command lines in %d pages", len(pages))
	for _, name := range commandNames(t) {
		for _, line := range commandLines(output(t, name, "--help")) {
			check.OKf(t, cmd.Parse(words(line)), "the help of %s: resolwe %s", name, line)
		}
	}
}

var (
	fence   = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$")
	word    = regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`)
	comment = regexp.MustCompile(`\s#.*| > \S+`)
)

// commandLines returns what follows `resolwe` in the lines of a text's examples, which are indented or fenced. What is optional is there.
func commandLines(text string) (found []string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for _, block := range fence.FindAllStringSubmatch(text, -1) {
		text += "\n    " + strings.ReplaceAll(block[1], "\n", "\n    ")
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "    ") {
			continue
		}
		for part := range strings.SplitSeq(comment.ReplaceAllString(strings.TrimSpace(line), ""), " | ") {
			part = strings.TrimPrefix(strings.TrimPrefix(part, "$ "), "go run ./cmd/")
			if rest, ok := strings.CutPrefix(part, "resolwe "); ok && !strings.Contains(rest, "(the root package)") {
				found = append(found, strings.NewReplacer("[", "", "]", "").Replace(strings.TrimSpace(rest)))
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
