// Package pages reads the project's Markdown: which commands a page prints, and what its text comes from, as marks say. A mark is a comment before
// a block of code, a table or a paragraph:
//
//	<!-- KIND: HEAD
//	BODY
//	-->
//
// After file, the block is the file HEAD, which commands read. After out or err, it is what the command HEAD, as printed on the page, writes to standard
// output or error: the lines that BODY selects (see [Select]). After figures, lines of the block have figures from the output of HEAD (see [Fill]).
package pages

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Page is a page, divided.
type Page struct {
	Commands []Command // in order
	Marks    []Mark    // in order
	lines    []string
}

// Command is a command that a page prints: a line of a block, or a piece of code in a sentence.
type Command struct {
	Line   int // of the page, from 0; of one in a sentence, the end of its paragraph
	Text   string
	Status int  // that the comment behind the command states (# status 1); otherwise 0
	Inline bool // whether it is in a sentence
}

// Mark is a mark with its block.
type Mark struct {
	Kind, Head string
	Body       []string
	Line       int      // of the page, from 0
	Block      []string // lines without indentation
	from, to   int      // where the block is
	end        int      // what follows it, and a fence
	indent     string
}

const indent = "    "

var (
	began    = regexp.MustCompile(`^<!-- (file|out|err|figures): (.*?)( -->)?$`)
	program  = regexp.MustCompile(`^(resolwe(-beam)?|go|make|cd|docker|java|python3|examples/\S+\.sh)( |$)`)
	comment  = regexp.MustCompile(`\s+#.*$`)
	status   = regexp.MustCompile(`# status (\d+)`)
	code     = regexp.MustCompile("`([^`]+)`")
	newlines = regexp.MustCompile(`\s+`)
)

// Read divides a page.
func Read(text string) *Page {
	p := &Page{lines: strings.Split(text, "\n")}
	var sentence []string
	end := func(at int) { // the commands of a paragraph
		for _, c := range code.FindAllStringSubmatch(strings.Join(sentence, " "), -1) {
			p.Commands = append(p.Commands, Command{at, newlines.ReplaceAllString(strings.TrimSpace(c[1]), " "), 0, true})
		}
		sentence = nil
	}
	for i := 0; i < len(p.lines); i++ {
		line := p.lines[i]
		switch mark := began.FindStringSubmatch(line); {
		case mark != nil:
			end(i)
			m := Mark{Kind: mark[1], Head: mark[2], Line: i}
			for mark[3] == "" && i+1 < len(p.lines) {
				if i++; p.lines[i] == "-->" {
					break
				}
				m.Body = append(m.Body, p.lines[i])
			}
			p.find(&m, i+1)
			p.Marks = append(p.Marks, m)
			if m.Kind != "figures" {
				i = m.end - 1
			}
		case strings.HasPrefix(line, "```"):
			end(i)
			for i++; i < len(p.lines) && p.lines[i] != "```"; i++ {
				if line == "```sh" {
					i = p.command(i, "")
				}
			}
		case strings.HasPrefix(line, indent):
			end(i)
			i = p.command(i, indent)
		case line == "":
			end(i)
		default:
			sentence = append(sentence, line)
		}
	}
	end(len(p.lines))
	return p
}

// command adds the command in a line, if there is one, and returns where it ends.
func (p *Page) command(i int, indent string) int {
	at, text := i, strings.TrimPrefix(p.lines[i], indent)
	for strings.HasSuffix(text, `\`) && i+1 < len(p.lines) {
		i++
		text = strings.TrimSuffix(text, `\`) + strings.TrimSpace(p.lines[i])
	}
	if text = strings.TrimPrefix(text, "$ "); program.MatchString(text) {
		c := Command{Line: at, Text: comment.ReplaceAllString(text, "")}
		if s := status.FindStringSubmatch(text); s != nil {
			c.Status, _ = strconv.Atoi(s[1])
		}
		p.Commands = append(p.Commands, c)
	}
	return i
}

// find finds the block of a mark, from a line on.
func (p *Page) find(m *Mark, i int) {
	for i < len(p.lines) && p.lines[i] == "" {
		i++
	}
	for m.Kind == "figures" && i < len(p.lines) && began.MatchString(p.lines[i]) { // another of the same block
		i += 1 + slices.Index(p.lines[i:], "-->")
	}
	until := func(over func(line string) bool) {
		for m.from, m.to = i, i; m.to < len(p.lines) && !over(p.lines[m.to]); {
			m.to++
		}
	}
	switch {
	case i == len(p.lines):
	case strings.HasPrefix(p.lines[i], "```"):
		i++
		until(func(line string) bool { return line == "```" })
	case m.Kind == "figures":
		until(func(line string) bool { return line == "" })
	default:
		m.indent = indent
		if strings.HasPrefix(p.lines[i], indent+"$ ") { // the command itself
			i = p.command(i, indent) + 1
		}
		until(func(line string) bool { return line != "" && !strings.HasPrefix(line, indent) })
		for m.to > m.from && p.lines[m.to-1] == "" {
			m.to--
		}
	}
	m.end = m.to
	if m.indent == "" && m.Kind != "figures" {
		m.end++
	}
	for _, line := range p.lines[m.from:m.to] {
		m.Block = append(m.Block, strings.TrimPrefix(line, m.indent))
	}
}

// With returns the page with other blocks, by mark. Those of figures, which several marks may share, have as many lines as before.
func (p *Page) With(blocks map[int][]string) string {
	lines := slices.Clone(p.lines)
	for i, m := range slices.Backward(p.Marks) {
		block, ok := blocks[i]
		switch {
		case !ok:
		case m.Kind == "figures":
			for k, line := range block {
				if line != m.Block[k] {
					lines[m.from+k] = line
				}
			}
		default:
			for k, line := range block {
				if line != "" {
					block[k] = m.indent + line
				}
			}
			lines = slices.Replace(lines, m.from, m.to, block...)
		}
	}
	return strings.Join(lines, "\n")
}
