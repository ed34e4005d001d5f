// Package printable makes untrusted text safe to show: control characters, terminal escape sequences and marks that change the
// writing direction appear as the escapes of Go's string literals.
package printable

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns s with unprintable characters replaced by \x1b, \u202e, ..., and bytes that are not UTF-8 by \xff. Tabs and line
// ends stay.
func Escape(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1, r < utf8.RuneSelf && !unicode.IsPrint(r) && r != '\t' && r != '\n':
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\t', r == '\n', unicode.IsPrint(r):
			b.WriteString(s[:n])
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		s = s[n:]
	}
	return b.String()
}

// Shown returns a character as text may hold it: U+FFFD in place of control characters, line ends, and marks that change the direction.
func Shown(r rune) rune {
	if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
		return unicode.ReplacementChar
	}
	return r
}

// Valid returns the beginning of a text, up to the first byte that is not UTF-8.
func Valid(text string) string {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return text[:i]
		}
	}
	return text
}

const (
	reach    = 100 // bytes of a long line that an excerpt shows on either side
	ellipsis = "..."
)

// Clip returns s if it has at most a number of bytes, at least 3, or else its beginning and an ellipsis.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > most-utf8.UTFMax+1 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + ellipsis
}

// Excerpt returns the printable surroundings of a byte in a line, and how many code points of them precede that byte.
func Excerpt(line string, offset int) (text string, before int) {
	from, to := max(0, offset-reach), min(len(line), offset+reach)
	for from > 0 && from < offset && !utf8.RuneStart(line[from]) {
		from++
	}
	for to < len(line) && to > offset && !utf8.RuneStart(line[to]) {
		to--
	}
	head, tail := Escape(line[from:offset]), Escape(line[offset:to])
	if from > 0 {
		head = ellipsis + head
	}
	if to < len(line) {
		tail += ellipsis
	}
	return head + tail, utf8.RuneCountInString(head)
}

// Caret returns a line to print below a text, which marks one of its code points.
func Caret(text string, before int) string {
	var b strings.Builder
	for _, r := range text {
		if before == 0 {
			break
		}
		before--
		if r != '\t' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String() + strings.Repeat(" ", before) + "^"
}

// Writer escapes what is written through it.
type Writer struct {
	to   io.Writer
	rest []byte // beginning of a code point that the next call may complete
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write writes p as [Escape] returns it, except for an incomplete code point at its end, which waits for the rest.
func (w *Writer) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	end := len(w.rest)
	for i := max(0, end-utf8.UTFMax+1); i < end; i++ {
		if utf8.RuneStart(w.rest[i]) && !utf8.FullRune(w.rest[i:]) {
			end = i
			break
		}
	}
	text := Escape(string(w.rest[:end]))
	w.rest = append(w.rest[:0], w.rest[end:]...)
	if _, err := io.WriteString(w.to, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Count returns a number with its noun, which gets an s unless the number is 1: 2 subgraphs.
func Count[N ~int | ~int64 | ~uint64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprint(n, " ", noun)
}
