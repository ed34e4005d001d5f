package render_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"resolwe/internal/render"
	"resolwe/internal/test/check"
)

func TestScreen_EscapesAllButColours(t *testing.T) {
	t.Parallel()
	for colour, want := range map[bool]string{true: "\x1b[1mhead \\x1b[2J\x1b[0m\\x1b[2J", false: `head \x1b[2J\x1b[2J`} {
		var b bytes.Buffer
		s := render.NewScreen(&b, 80, colour)
		check.OK(t, render.Heading(s, "head \x1b[2J"))
		_, err := io.WriteString(s, "\x1b[2J")
		check.OK(t, err)
		check.Equal(t, "text", b.String(), want)
	}
}

// What is held back on its way to a screen is made up for it once.
func TestThrough(t *testing.T) {
	t.Parallel()
	var shown, held bytes.Buffer
	page, raw := render.Through(render.NewScreen(&shown, 40, true), &held)
	check.Equal(t, "columns", render.Columns(page), 40)
	check.OK(t, render.Heading(page, "x\x07"))
	_, err := held.WriteTo(raw)
	check.OK(t, err)
	check.Equal(t, "text", shown.String(), "\x1b[1mx\\x07\x1b[0m")

	page, raw = render.Through(&shown, &held)
	check.Equal(t, "no screen", page == io.Writer(&held) && raw == io.Writer(&shown), true)
}

func TestFiles(t *testing.T) {
	t.Setenv("TERM", "xterm")
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	check.OK(t, err)
	defer f.Close()
	w := render.Open(f)
	check.Equal(t, "columns", render.Columns(w), 0)
	check.Equal(t, "colours", render.Colours(f), false)
	check.OK(t, render.Heading(w, "x\x07\n"))
	data, err := os.ReadFile(f.Name())
	check.OK(t, err)
	check.Equal(t, "text", string(data), "x\x07\n")
}
