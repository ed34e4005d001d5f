package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

type manCmd struct{}

func (*manCmd) Help() string {
	return `Prints the manual page, with the help of all commands.

Examples:

	resolwe man > /usr/local/share/man/man1/resolwe.1
	resolwe man | man -l -`
}

// Run prints the page, in man macros.
func (*manCmd) Run(e *environment, k *kong.Kong) error {
	app := k.Model
	what, _, _ := strings.Cut(app.Help, ",")
	var p manPage
	fmt.Fprintf(&p, ".TH %s 1\n.SH NAME\n%s \\- %s\n", strings.ToUpper(app.Name), app.Name, escapedMan(what))
	fmt.Fprintf(&p, ".SH SYNOPSIS\n.B %s\n.I command\n[\\fIflags\\fR]\n.SH DESCRIPTION\n", app.Name)
	p.text(app.Help)
	p.put(".SH OPTIONS\n")
	p.flags(app.Flags)
	p.put(".SH COMMANDS\n")
	for _, node := range app.Leaves(true) {
		fmt.Fprintf(&p, ".SS %s\n", escapedMan(app.Name+" "+node.Summary()))
		p.text(node.Help)
		p.text(node.Detail)
		for _, arg := range node.Positional {
			p.entry(arg.Summary(), arg.Help)
		}
		for at := node; at != app.Node; at = at.Parent {
			p.flags(at.Flags)
		}
	}
	return e.text(p.String())
}

// manPage is a manual page that is being written.
type manPage struct{ strings.Builder }

func (p *manPage) put(text string) { _, _ = p.WriteString(text) }

func (p *manPage) flags(list []*kong.Flag) {
	for _, f := range list {
		if f.Hidden {
			continue
		}
		name := f.Summary()
		if f.Short != 0 {
			name = "-" + string(f.Short) + ", " + name
		}
		p.entry(name, f.Help)
	}
}

// entry writes an argument or a flag with its help.
func (p *manPage) entry(name, help string) {
	fmt.Fprintf(p, ".TP\n\\fB%s\\fR\n", escapedMan(name))
	p.lines(help)
}

// text writes paragraphs; indented ones are examples, which are kept verbatim.
func (p *manPage) text(paragraphs string) {
	for part := range strings.SplitSeq(strings.TrimSpace(paragraphs), "\n\n") {
		if example, ok := strings.CutPrefix(part, "\t"); ok {
			p.put(".PP\n.nf\n.RS\n")
			p.lines(strings.ReplaceAll(example, "\n\t", "\n"))
			p.put(".RE\n.fi\n")
		} else if part != "" {
			p.put(".PP\n")
			p.lines(part)
		}
	}
}

// lines writes text as input lines that are not requests.
func (p *manPage) lines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = escapedMan(line); strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			p.put(`\&`)
		}
		p.put(line + "\n")
	}
}

func escapedMan(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(text)
}
