package render

import (
	"io"
	"os"

	"golang.org/x/term"

	"resolwe/internal/printable"
)

// Screen writes to a terminal. Control sequences are escaped, except the colours of [Heading].
type Screen struct {
	to      io.Writer
	text    *printable.Writer
	columns int
	colour  bool
}

// NewScreen returns a screen with a number of columns, at least 1, that writes to w.
func NewScreen(w io.Writer, columns int, colour bool) *Screen {
	return &Screen{w, printable.NewWriter(w), columns, colour}
}

// Open returns the screen of a file, or the file itself if it is not a terminal.
func Open(f *os.File) io.Writer {
	if !term.IsTerminal(int(f.Fd())) {
		return f
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns < 1 {
		columns = 80
	}
	return NewScreen(f, columns, Colours(f))
}

// Colours reports whether w is a terminal that shows colours, and its user wants them: NO_COLOR is not set (no-color.org),
// and TERM is not dumb.
func Colours(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	kind := os.Getenv("TERM")
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && kind != "" && kind != "dumb"
}

// Write writes text.
func (s *Screen) Write(p []byte) (int, error) { return s.text.Write(p) }

// Through returns w and to if to is not a screen. Otherwise it returns a screen like to that writes to w, and the writer to which
// w's contents are then to be copied unchanged.
func Through(to, w io.Writer) (page, raw io.Writer) {
	s, ok := to.(*Screen)
	if !ok {
		return w, to
	}
	return NewScreen(w, s.columns, s.colour), s.to
}

// Columns returns the width of a screen, or 0 if w is not a screen, in which case nothing is to be wrapped.
func Columns(w io.Writer) int {
	if s, ok := w.(*Screen); ok {
		return s.columns
	}
	return 0
}

// Heading writes text, in bold if colours are shown.
func Heading(w io.Writer, text string) error {
	s, ok := w.(*Screen)
	if !ok || !s.colour {
		_, err := io.WriteString(w, text)
		return err
	}
	_, err := io.WriteString(s.to, Bold(printable.Escape(text)))
	return err
}

// Bold returns text in bold letters.
func Bold(text string) string { return "\x1b[1m" + text + "\x1b[0m" }

// Yellow returns text in yellow.
func Yellow(text string) string { return "\x1b[33m" + text + "\x1b[0m" }
