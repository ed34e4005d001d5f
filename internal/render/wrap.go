package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

// Width returns how many columns a line of text takes, two for a wide letter.
func Width(text string) int { return uniseg.StringWidth(text) }

// Wrap breaks a line of text into lines of at most a number of columns, at least 1: at spaces outside brackets, so that atoms of
// formulas stay whole, or else at other spaces, or else within words. A letter that is wider gets its own line.
func Wrap(text string, columns int) []string {
	var lines []string
	text = strings.TrimRight(text, " ")
	for Width(text) > columns {
		var line string
		if line, text = cut(text, columns); text == "" { // a letter that is too wide
			return append(lines, line)
		}
		lines = append(lines, line)
	}
	return append(lines, text)
}

// cut returns the first line of a text that is wider than columns, and the rest of the text.
func cut(text string, columns int) (line, rest string) {
	outside, space, depth, width := 0, 0, 0, 0 // outside and space are the last possible breaks
	state, left := -1, text
	for left != "" {
		at := len(text) - len(left)
		letter, next, w, s := uniseg.FirstGraphemeClusterInString(left, state)
		if letter == " " && at > 0 {
			space = at
			if depth <= 0 {
				outside = at
			}
		}
		if width += w; width > columns {
			break
		}
		switch letter {
		case "(", "{":
			depth++
		case ")", "}":
			depth--
		}
		left, state = next, s
	}
	end := len(text) - len(left)
	switch {
	case outside > end/3: // otherwise little of the line would be used
		end = outside
	case space > 0:
		end = space
	case end == 0:
		letter, _, _, _ := uniseg.FirstGraphemeClusterInString(text, -1)
		end = len(letter)
	}
	return strings.TrimRight(text[:end], " "), strings.TrimLeft(text[end:], " ")
}

// Paragraph writes lines of prose, wrapped at the width of a screen.
func Paragraph(w io.Writer, text string) error {
	if columns := Columns(w); columns > 0 {
		var lines []string
		for line := range strings.Lines(text) {
			lines = append(lines, Wrap(strings.TrimSuffix(line, "\n"), columns)...)
		}
		text = strings.Join(lines, "\n") + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// leastHung is the minimum number of columns for text wrapped under itself; with fewer left, it begins at the margin.
const leastHung = 16

// Hang writes a line that begins with lead; on a screen that is too narrow, text is wrapped under itself.
func Hang(w io.Writer, lead, text string) error {
	indent, columns := Width(lead), Columns(w)
	if columns == 0 {
		_, err := fmt.Fprintln(w, lead+text)
		return err
	}
	if columns-indent < leastHung {
		text, lead, indent = strings.TrimLeft(lead, " ")+text, "", 0
	}
	lines := Wrap(text, columns-indent)
	_, err := fmt.Fprintln(w, lead+strings.Join(lines, "\n"+strings.Repeat(" ", indent)))
	return err
}
