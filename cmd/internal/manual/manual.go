// Package manual writes a program's manual page, in the macros of man, from what its help says.
package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// Write writes the page of a program and all its commands. It is the same in every run.
func Write(w io.Writer, app *kong.Application) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1\n.SH NAME\n%s \\- %s\n", strings.ToUpper(app.Name), app.Name, escaped(firstSentence(app.Help)))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.I command\n[\\fIflags\\fR]\n.SH DESCRIPTION\n", app.Name)
	text(&b, app.Help)
	b.WriteString(".SH OPTIONS\n")
	flags(&b, app.Flags)
	b.WriteString(".SH COMMANDS\n")
	for _, node := range app.Leaves(true) {
		fmt.Fprintf(&b, ".SS %s\n", escaped(app.Name+" "+node.Summary()))
		text(&b, node.Help)
		text(&b, node.Detail)
		for _, arg := range node.Positional {
			entry(&b, arg.Summary(), arg.Help)
		}
		for at := node; at != app.Node; at = at.Parent {
			flags(&b, at.Flags)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// firstSentence returns a text up to its first full stop or comma.
func firstSentence(text string) string {
	end := strings.IndexAny(text, ".,")
	if end < 0 {
		return text
	}
	return text[:end]
}

func flags(b *strings.Builder, list []*kong.Flag) {
	for _, f := range list {
		if f.Hidden {
			continue
		}
		name := f.Summary()
		if f.Short != 0 {
			name = "-" + string(f.Short) + ", " + name
		}
		entry(b, name, f.Help)
	}
}

// entry writes an argument or a flag with what it is for.
func entry(b *strings.Builder, name, help string) {
	fmt.Fprintf(b, ".TP\n\\fB%s\\fR\n", escaped(name))
	b.WriteString(line(help))
}

// text writes paragraphs, of which indented ones are examples that stay as they are.
func text(b *strings.Builder, paragraphs string) {
	for p := range strings.SplitSeq(strings.TrimSpace(paragraphs), "\n\n") {
		switch {
		case p == "":
		case strings.HasPrefix(p, "\t"):
			b.WriteString(".PP\n.nf\n.RS\n")
			for example := range strings.SplitSeq(p, "\n") {
				b.WriteString(line(strings.TrimPrefix(example, "\t")))
			}
			b.WriteString(".RE\n.fi\n")
		default:
			b.WriteString(".PP\n")
			for part := range strings.SplitSeq(p, "\n") {
				b.WriteString(line(part))
			}
		}
	}
}

// line returns text as an input line that is no request.
func line(text string) string {
	if text = escaped(text); strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text + "\n"
}

func escaped(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(text)
}
