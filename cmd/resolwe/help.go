package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"resolwe/cmd/internal/console"
)

// helpColumns returns how wide the help may be: as a narrow terminal is, and else 80, which is good to read.
func helpColumns(stdout io.Writer) int {
	if n := console.Columns(stdout); n > 0 {
		return min(n, 80)
	}
	return 0
}

// printHelp prints the help with its headings, which are the lines from the margin that end in a colon.
func printHelp(options kong.HelpOptions, c *kong.Context) error {
	stdout := c.Stdout
	var text bytes.Buffer
	c.Stdout = &text
	defer func() { c.Stdout = stdout }()
	if err := kong.DefaultHelpPrinter(options, c); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		line = strings.TrimSuffix(line, "\n")
		write := func(w io.Writer, s string) error { _, err := io.WriteString(w, s); return err }
		if strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " ") {
			write = console.Heading
		}
		if err := write(stdout, line); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(stdout); err != nil {
			return err
		}
	}
	return nil
}
