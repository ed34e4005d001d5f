package progress_test

import (
	"bytes"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"strings"
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

// Whatever the pace of a job, what is said of the time left never grows, is in the end near 0, and is called a lower bound while the
// job is slower than it says. Of even work it is right within a fifth.
func TestLeft(t *testing.T) {
	t.Parallel()
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 0))
	const total = 1000
	for name, cost := range map[string]func(share float64) float64{ // of a unit, in relative time
		"even":         func(float64) float64 { return 1 },
		"slow start":   func(s float64) float64 { return 1 + 20*math.Exp(-s*20) },
		"slow end":     func(s float64) float64 { return 1 + 9*max(0, s-.8)*5 },
		"ever slower":  func(s float64) float64 { return .1 + 2*s },
		"ever faster":  func(s float64) float64 { return 2.1 - 2*s },
		"bursts":       func(s float64) float64 { return float64(1 - min(1, int(math.Round(s*total))%50)) },
		"uneven":       func(float64) float64 { return r.ExpFloat64() * r.ExpFloat64() },
		"few dominate": func(float64) float64 { return math.Pow(r.Float64()+1e-3, -1.2) },
		"a long pause": func(s float64) float64 { return 1 + 500*float64(1-min(1, int(math.Abs(s-.5)*total))) },
	} {
		for _, length := range []float64{30, 300, 20_000} { // seconds
			costs, sum := make([]float64, total), 0.0
			for i := range costs {
				costs[i] = cost(float64(i) / total)
				sum += costs[i]
			}
			var left progress.Estimate
			last, said, overs := math.Inf(1), 0, 0
			now, done, begun := 0.0, int64(0), 0.0 // begun: time of the unit in work
			for ; done < total; now += .1 {
				for done < total && now-begun >= costs[done]*length/sum {
					begun += costs[done] * length / sum
					done++
				}
				text := left.At(time.Duration(now*1e9), done, total)
				if text == "" {
					continue
				}
				value, over := strings.CutPrefix(text, "over ")
				if over {
					overs++
				}
				if value = strings.TrimSuffix(value, "m"); value != strings.TrimPrefix(text, "over ") {
					value += "m0s"
				}
				d, err := time.ParseDuration(value)
				check.OK(t, err)
				if d.Seconds() > last || d < time.Second {
					t.Fatalf("%s, %v s (seed %d): at %.1f s %q after %v s", name, length, seed, now, text, last)
				}
				last = d.Seconds()
				said++
				if rest := length - now; name == "even" && now > 10 && math.Abs(last-rest) > .2*rest+5+60*max(0, math.Floor(rest/3600)) {
					t.Errorf("%s: at %.1f s %q of %.1f s", name, now, text, rest)
				}
			}
			if last > .02*length+5 || said == 0 {
				t.Errorf("%s, %v s (seed %d): at last %v s left, said %d times", name, length, seed, last, said)
			}
			if slower := name == "slow end" || name == "ever slower" || name == "a long pause"; slower && overs == 0 && length > 100 || (name == "even" || name == "bursts") && overs > 0 {
				t.Errorf("%s, %v s: called a lower bound %d times", name, length, overs)
			}
		}
	}
}

// Without a total, or a unit done, or more done than that, nothing is said.
func TestLeft_Unknown(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]int64{{0, 10}, {5, -1}, {11, 10}, {10, 10}, {0, 0}} {
		var left progress.Estimate
		check.Equal(t, "left", left.At(time.Minute, c[0], c[1]), "")
	}
}
