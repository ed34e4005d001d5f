// Package progress shows the progress of a long job: by a bar on a terminal, elsewhere by occasional log lines.
package progress

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// Mode says whether progress is shown.
type Mode string

// The modes.
const (
	Auto  Mode = "auto"  // a bar on a terminal, log lines elsewhere
	Never Mode = "never" // nothing
)

const (
	lineInterval = 10 * time.Second
	barInterval  = 100 * time.Millisecond
	tick         = time.Second // after which a bar or line may be due even if nothing was counted
)

// Options say how to show progress. All fields are required, but with [Never] only Mode is.
type Options struct {
	Mode   Mode
	Writer io.Writer        // for messages to people; a bar appears if it is a terminal
	Log    *slog.Logger     // gets the lines if it is not
	Now    func() time.Time // the clock
}

// Meter counts the finished units of one job.
type Meter struct {
	screen  io.Writer // nil if lines are logged
	columns int       // of the screen
	log     *slog.Logger
	now     func() time.Time
	what    string
	unit    string

	mu          sync.Mutex
	ended       bool
	total, done int64
	start, last time.Time // of the job; of the last line or bar
	asked       time.Time // when the estimate was asked for
	left        estimate
	drawn       int           // columns of the bar on the screen
	end         chan struct{} // closed by Close
	ticking     sync.WaitGroup
}

// New starts a meter, which must be closed. what names the job, and unit the things it counts, in the plural; total is the number of
// units, or -1 if not known.
func New(o Options, what, unit string, total int64) *Meter {
	m := &Meter{what: what, unit: unit, total: total, now: o.Now, log: o.Log, ended: o.Mode == Never, end: make(chan struct{})}
	if m.ended {
		return m
	}
	m.start = m.now()
	m.last = m.start
	if m.columns = columns(o.Writer); m.columns > 0 {
		m.screen = o.Writer
	}
	m.ticking.Go(func() {
		t := time.NewTicker(tick)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				m.Add(0)
			case <-m.end:
				return
			}
		}
	})
	return m
}

// columns returns the width of a terminal, or 0 if w is not one.
func columns(w io.Writer) int {
	f, ok := w.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
		return n
	}
	return 80
}

// Add counts n more units. It does nothing after Close.
func (m *Meter) Add(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended || m.total == 0 {
		return
	}
	m.done += n
	now, interval := m.now(), lineInterval
	if m.screen != nil {
		interval = barInterval
	}
	if now.Sub(m.asked) < barInterval {
		return
	}
	m.asked = now
	left := m.left.at(now.Sub(m.start), m.done, m.total)
	if now.Sub(m.last) < interval {
		return
	}
	m.last = now
	if m.screen != nil {
		m.draw(m.bar(now.Sub(m.start), left))
		return
	}
	m.line(now.Sub(m.start), left)
}

// rate returns the units done in a second.
func (m *Meter) rate(elapsed time.Duration) float64 {
	return float64(m.done) / elapsed.Seconds()
}

// line logs the state of the job.
func (m *Meter) line(elapsed time.Duration, left string) {
	attrs := []any{slog.String("job", m.what), slog.Int64(m.unit, m.done), slog.Float64("per_second", m.rate(elapsed))}
	if m.total >= 0 {
		attrs = append(attrs, slog.Int64("total", m.total))
	}
	if left != "" {
		attrs = append(attrs, slog.String("left", left))
	}
	m.log.Info("progress", attrs...)
}

// Columns of the parts of a bar's line: the fewest of the bar and of the job's name, and the most of the bar.
const leastBar, leastName, mostBar = 5, 4, 40

// bar returns the line of a bar, which is no wider than the terminal. To fit, it leaves out the rate, then the count, then the bar,
// and then cuts the job's name.
func (m *Meter) bar(elapsed time.Duration, left string) string {
	end := "  " + round(elapsed)
	if left != "" {
		end = "  " + left + " left"
	}
	count, rate := fmt.Sprintf("  %d %s", m.done, m.unit), ", "+perSecond(m.rate(elapsed))
	share := ""
	if m.total > 0 {
		count = fmt.Sprintf("  %d/%d %s", m.done, m.total, m.unit)
		share = fmt.Sprintf("  %3d%%", min(100, 100*m.done/m.total))
	}
	name := clipped(m.what, max(m.columns-len(share)-len(end), leastName))
	room := m.columns - uniseg.StringWidth(name) - len(share) - len(end)
	middle := count + rate
	if room < len(middle) {
		middle = count
	}
	if room < len(middle) {
		middle = ""
	}
	room -= len(middle)
	if frame := len(" ||"); m.total > 0 && room >= leastBar+frame {
		width := min(room-frame, mostBar)
		full := int(min(int64(width), int64(width)*m.done/m.total))
		share += " |" + strings.Repeat("█", full) + strings.Repeat(" ", width-full) + "|"
	}
	return name + share + middle + end
}

// perSecond returns a rate with at least two digits.
func perSecond(rate float64) string {
	if rate < 10 {
		return fmt.Sprintf("%.2g/s", rate)
	}
	return fmt.Sprintf("%.0f/s", rate)
}

// draw replaces the bar on the screen. Failing to draw it is no reason to stop.
func (m *Meter) draw(text string) {
	width := uniseg.StringWidth(text)
	fill := strings.Repeat(" ", max(0, m.drawn-width))
	if m.drawn = width; text == "" {
		fill += "\r"
	}
	_, _ = io.WriteString(m.screen, "\r"+text+fill)
}

// clipped returns the beginning of a text, up to a number of columns.
func clipped(text string, columns int) string {
	for uniseg.StringWidth(text) > columns {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

// Close removes the bar.
func (m *Meter) Close() {
	m.mu.Lock()
	if !m.ended && m.drawn > 0 {
		m.draw("")
	}
	m.ended = true
	m.mu.Unlock()
	close(m.end)
	m.ticking.Wait()
}
