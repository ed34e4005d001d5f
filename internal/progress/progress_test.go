package progress_test

import (
	"bytes"
	"log/slog"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"resolwe/internal/progress"
	"resolwe/internal/test/check"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// plainLog returns a logger that writes lines without the time to w.
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

// clock is a clock that tests advance.
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
			"level=INFO msg=progress job=learning subgraphs=8 per_second=0.8 total=100 left=2m5s\n" +
				"level=INFO msg=progress job=learning subgraphs=16 per_second=0.8 total=100 left=1m55s\n",
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
	m.Close()
	check.Is(t, lines.String(), "level=INFO msg=progress job=learning subgraphs=0 per_second=0 total=5\n", "String")
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
	// Output: level=INFO msg=progress job=learning subgraphs=100 per_second=10 total=400 left=32s
}

// While nothing is counted, lines go on, and they end with the job.
func TestMeter_Ticks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines bytes.Buffer
		m := progress.New(progress.Options{Mode: progress.Auto, Writer: &lines, Log: plainLog(&lines), Now: time.Now}, "learning", "subgraphs", 40)
		time.Sleep(5500 * time.Millisecond)
		m.Add(10)
		time.Sleep(16 * time.Second)
		m.Close()
		m.Add(10)
		time.Sleep(time.Minute)
		check.Equal(t, "lines", lines.String(), "level=INFO msg=progress job=learning subgraphs=10 per_second=1 total=40 left=13s\n"+
			"level=INFO msg=progress job=learning subgraphs=10 per_second=0.5 total=40 left=\"over 12s\"\n")
	})
}
