package main_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/pages"

	cmd "resolwe/cmd/resolwe-beam"
)

// TestDocs parses every command line of this program that the pages print, and looks up the flags of Beam in it.
func TestDocs(t *testing.T) {
	t.Parallel()
	lines := 0
	for _, name := range []string{"../../docs/scale.md", "../../BENCHMARKS.md"} {
		text, err := os.ReadFile(name)
		check.OK(t, err)
		for _, c := range pages.Read(string(text)).Commands {
			line, ok := strings.CutPrefix(c.Text, "resolwe-beam ")
			if !ok || c.Inline {
				continue
			}
			lines++
			own, beams, err := cmd.Parse(strings.Fields(line))
			check.OKf(t, err, "%s:%d: %s", name, c.Line+1, c.Text)
			check.Is(t, len(own) > 0, true, "arguments of %s", c.Text)
			for _, arg := range beams {
				beam, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
				check.Is(t, flag.Lookup(beam) != nil, true, "%s:%d: Beam has a flag %s", name, c.Line+1, beam)
			}
		}
	}
	check.AtLeast(t, lines, 8, "command lines")
}
