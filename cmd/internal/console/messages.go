package console

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"

	"resolwe/internal/printable"
	"resolwe/internal/render"
)

// Messages is a slog.Handler that writes for people: "resolwe: warning: text key=value". Texts may have several lines; terminal
// control sequences are escaped.
type Messages struct {
	name  string
	warn  string // beginning of a warning
	w     io.Writer
	least slog.Level
	attrs string // attributes of every message
	mu    *sync.Mutex
}

// NewMessages returns a handler that writes a program's messages at or above a level, with one call of Write for each. The word
// warning is yellow on a terminal that shows colours.
func NewMessages(program string, w io.Writer, least slog.Level) *Messages {
	m := &Messages{name: program, warn: "warning:", w: w, least: least, mu: &sync.Mutex{}}
	if render.Colours(w) {
		m.warn = render.Yellow(m.warn)
	}
	return m
}

// Enabled reports whether messages of a level are written.
func (m *Messages) Enabled(_ context.Context, level slog.Level) bool { return level >= m.least }

// Handle writes a message with one call of Write.
func (m *Messages) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	lead := ""
	switch {
	case r.Level >= slog.LevelError:
		lead = "error: "
	case r.Level >= slog.LevelWarn:
		lead = m.warn + " "
	case r.Level < slog.LevelInfo:
		lead = "debug: "
	}
	b.WriteString(r.Message)
	b.WriteString(m.attrs)
	r.Attrs(func(a slog.Attr) bool {
		b.WriteString(attrText(a))
		return true
	})
	b.WriteByte('\n')
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := io.WriteString(m.w, m.name+": "+lead+printable.Escape(b.String()))
	return err
}

// attrText prints an attribute after a space, numbers to four digits.
func attrText(a slog.Attr) string {
	value := a.Value.String()
	if a.Value.Kind() == slog.KindFloat64 {
		value = strconv.FormatFloat(a.Value.Float64(), 'g', 4, 64)
	}
	return " " + a.Key + "=" + value
}

// WithAttrs returns a handler that adds attributes.
func (m *Messages) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *m
	for _, a := range attrs {
		out.attrs += attrText(a)
	}
	return &out
}

// WithGroup ignores groups.
func (m *Messages) WithGroup(string) slog.Handler { return m }
