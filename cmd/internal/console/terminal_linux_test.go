package console_test

import (
	"fmt"
	"log/slog"
	"testing"

	"golang.org/x/sys/unix"

	"resolwe/cmd/internal/console"
	"resolwe/internal/render"
	"resolwe/internal/test/check"
	"resolwe/internal/test/ptytest"
)

// A terminal shows colours unless its kind or its user says otherwise; its width is read, and names are escaped at any rate.
func TestTerminals(t *testing.T) {
	for _, tt := range []struct {
		term, noColor string
		colour        bool
	}{{"xterm-256color", "", true}, {"xterm-256color", "1", false}, {"dumb", "", false}, {"", "", false}} {
		t.Run(fmt.Sprintf("TERM=%s/NO_COLOR=%s", tt.term, tt.noColor), func(t *testing.T) {
			t.Setenv("TERM", tt.term)
			t.Setenv("NO_COLOR", tt.noColor)
			keeper, file := ptytest.Open(t)
			check.OK(t, unix.IoctlSetWinsize(int(file.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 57}))
			screen := render.Open(file)
			check.Equal(t, "columns", render.Columns(screen), 57)
			check.OK(t, render.Heading(screen, "head\x1b"))
			slog.New(console.NewMessages("resolwe", file, slog.LevelInfo)).Warn("odd\x1b")
			fmt.Fprint(screen, "$")
			want := "head\\x1bresolwe: warning: odd\\x1b\r\n$"
			if tt.colour {
				want = "\x1b[1mhead\\x1b\x1b[0mresolwe: \x1b[33mwarning:\x1b[0m odd\\x1b\r\n$"
			}
			check.Equal(t, "shown", ptytest.ReadUntil(t, keeper, "$"), want)
		})
	}
}
