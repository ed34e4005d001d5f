package progress_test

import (
	"bytes"
	"log/slog"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"resolwe/internal/progress"
	"resolwe/internal/test/check"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// plainLog writes lines without the time to w.
func plainLog(w *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

// clock is a time that tests move.
type clock struct{ now time.Time }

func (c *clock) read() time.Time { return c.now }

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

func TestMeter_LogsEveryTenSeconds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		total int64
		want  string
	}{
		{
			"total known", 100,
			"level=INFO msg=progress job=learning subgraphs=8 per_second=0.8 total=100 left=1m55s\n" +
				"level=INFO msg=progress job=learning subgraphs=16 per_second=0.8 total=100 left=1m45s\n",
		},
		{
			"total unknown", -1,
			"level=INFO msg=progress job=learning subgraphs=8 per_second=0.8\n" +
				"level=INFO msg=progress job=learning subgraphs=16 per_second=0.8\n",
		},
		{
			"more than the total", 10,
			"level=INFO msg=progress job=learning subgraphs=8 per_second=0.8 total=10 left=3s\n" +
				"level=INFO msg=progress job=learning subgraphs=16 per_second=0.8 total=10\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var lines, screen bytes.Buffer
			var c clock
			m := progress.New(progress.Options{Mode: progress.Auto, Writer: &screen, Log: plainLog(&lines), Now: c.read},
				"learning", "subgraphs", tt.total)
			for range 11 {
				c.pass(2500 * time.Millisecond)
				m.Add(2)
			}
			m.Close()
			check.Equal(t, "lines", lines.String(), tt.want)
			if screen.Len() > 0 {
				t.Errorf("writer that is no terminal: got %q, want nothing", screen.String())
			}
		})
	}
}

func TestMeter_NothingDoneYet(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	var c clock
	m := progress.New(progress.Options{Mode: progress.Auto, Log: plainLog(&lines), Now: c.read}, "learning", "subgraphs", 5)
	c.pass(time.Minute)
	m.Add(0)
	if got, want := lines.String(), "level=INFO msg=progress job=learning subgraphs=0 per_second=0 total=5\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMeter_NeverShowsNothing(t *testing.T) {
	t.Parallel()
	m := progress.New(progress.Options{Mode: progress.Never}, "learning", "subgraphs", 10)
	m.Add(10)
	m.Close()
}

func Example() {
	now := time.Unix(0, 0)
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	m := progress.New(progress.Options{
		Mode: progress.Auto, Writer: new(bytes.Buffer), Log: log, Now: func() time.Time { return now },
	}, "learning", "subgraphs", 400)
	now = now.Add(10 * time.Second)
	m.Add(100)
	m.Close()
	// Output: level=INFO msg=progress job=learning subgraphs=100 per_second=10 total=400 left=30s
}
