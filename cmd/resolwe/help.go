package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"resolwe/internal/render"
)

type helpCmd struct {
	Command []string `arg:"" optional:"" help:"Command, such as select or grow learn; by default the whole program."`
}

func (*helpCmd) Help() string {
	return `Prints the same as --help after the command.

Example:

	resolwe help grow learn`
}

// Run prints the help.
func (c *helpCmd) Run(k *kong.Kong) error {
	at, err := kong.Trace(k, c.Command)
	if err != nil {
		return err
	}
	if at.Error != nil {
		return usageError(at.Error.Error())
	}
	return at.PrintUsage(false)
}

// helpColumns returns how wide the help may be: as a narrow terminal is, and else 80, which is good to read.
func helpColumns(stdout io.Writer) int {
	if n := render.Columns(stdout); n > 0 {
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
		if heading, ok := strings.CutSuffix(line, "\n"); ok && strings.HasSuffix(heading, ":") && !strings.HasPrefix(heading, " ") {
			line = "\n"
			if err := render.Heading(stdout, heading); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(stdout, line); err != nil {
			return err
		}
	}
	return nil
}
