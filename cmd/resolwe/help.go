package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"resolwe/internal/printable"
	"resolwe/internal/render"
)

// groups are the options that many commands share, which only `resolwe help options` lists.
var groups = []kong.Group{
	{Key: "input", Title: "Options of commands that read a model or a stream:"},
	{Key: "common", Title: "Options of all commands:"},
}

// shared reports whether an option belongs to one of the groups.
func shared(f *kong.Flag) bool {
	return f.Group != nil && slices.ContainsFunc(groups, func(g kong.Group) bool { return g.Key == f.Group.Key })
}

type helpCmd struct {
	Command []string `arg:"" optional:"" help:"Command, such as select or grow learn; or options, for those that commands share; by default the whole program."`
}

func (*helpCmd) Help() string {
	return `Prints the same as --help after the command. "resolwe help options" lists the options that commands share.

Examples:

	resolwe help grow learn
	resolwe help options`
}

// Run prints the help.
func (c *helpCmd) Run(k *kong.Kong) error {
	if slices.Equal(c.Command, []string{"options"}) {
		return printShared(k)
	}
	at, err := kong.Trace(k, c.Command)
	if err != nil {
		return err
	}
	if at.Error != nil {
		return usageError(at.Error.Error())
	}
	return at.PrintUsage(false)
}

// printShared prints the shared options.
func printShared(k *kong.Kong) error {
	options := helpOptions(k.Stdout)
	options.NoAppSummary = true
	list, err := kong.New(&struct {
		modelFlags  `group:"input"`
		streamFlags `group:"input"`
		Common
	}{}, kong.Name(k.Model.Name), kong.NoDefaultHelp(), kong.Writers(k.Stdout, k.Stderr), kong.ExplicitGroups(groups))
	if err != nil {
		return err
	}
	at, err := kong.Trace(list, nil)
	if err != nil {
		return err
	}
	return printHeaded(options, at)
}

// helpAllFlag shows all options of a command instead of running it.
type helpAllFlag bool

// BeforeReset prints the help, whatever else the command line lacks.
func (helpAllFlag) BeforeReset(c *kong.Context) error {
	err := printHelp(true)(helpOptions(c.Stdout), c)
	c.Exit(0)
	return err
}

func helpOptions(stdout io.Writer) kong.HelpOptions {
	const readable = 80 // columns
	return kong.HelpOptions{Compact: true, WrapUpperBound: min(render.Columns(stdout), readable), ValueFormatter: kong.DefaultHelpValueFormatter}
}

// printHelp returns a printer of help with a command's own options: all, or without those that are rare, whose fields are tagged so. Its
// last lines say where the others are.
func printHelp(all bool) kong.HelpPrinter {
	return func(options kong.HelpOptions, c *kong.Context) error {
		node, left := c.Selected(), 0
		for at := cmp.Or(node, c.Model.Node); at != nil; at = at.Parent {
			for _, f := range at.Flags {
				rare := f.Tag.Has("rare") && !all
				if f.Hidden = rare || shared(f) || node != nil && at == c.Model.Node; rare {
					left++
				}
			}
		}
		if err := printHeaded(options, c); err != nil {
			return err
		}
		more := ""
		if left > 0 {
			more = fmt.Sprintf("Run \"%s --help-all\" for %s.\n", node.FullPath(), printable.Count(left, "more option"))
		}
		return render.Paragraph(c.Stdout, "\n"+more+"Run \"resolwe help options\" for the options that commands share.\n")
	}
}

// printHeaded prints the help with its headings, which are the lines from the margin that end in a colon.
func printHeaded(options kong.HelpOptions, c *kong.Context) error {
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
