// Package progress tells people how far a long job is: by a bar on a terminal, by a log line now and then elsewhere.
package progress

import (
	"io"
	"log/slog"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Mode says whether progress is shown.
type Mode string

// The modes.
const (
	Auto  Mode = "auto"  // a bar on a terminal, else log lines
	Never Mode = "never" // nothing
)

const (
	lineInterval = 10 * time.Second
	barInterval  = 100 * time.Millisecond
)

// Options say how progress is shown. All fields are required, but for [Never] no more than Mode.
type Options struct {
	Mode   Mode
	Writer io.Writer        // people's messages; a bar appears if it is a terminal
	Log    *slog.Logger     // gets the lines if it is not
	Now    func() time.Time // the clock for the lines
}

// Meter counts what is done of one job. It is for one goroutine at a time.
type Meter struct {
	bar  *progressbar.ProgressBar // nil where lines are logged
	log  *slog.Logger             // nil where nothing is
	now  func() time.Time
	unit string

	total, done int64
	start, last time.Time // of the job; of the last line
}

// New starts a meter. what names the job, unit what it counts, in the plural; total is the number of units to do, -1 where it is not
// known.
func New(o Options, what, unit string, total int64) *Meter {
	switch {
	case o.Mode == Never:
		return &Meter{}
	case columns(o.Writer) > 0:
		return &Meter{bar: newBar(o.Writer, columns(o.Writer), what, unit, total)}
	}
	now := o.Now()
	return &Meter{log: o.Log.With("job", what), now: o.Now, unit: unit, total: total, start: now, last: now}
}

// columns returns the width of a terminal, 0 where w is none.
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

// Columns that the parts of a bar's line take at most, beside the job's name.
const (
	frame     = len(" 100% ||")
	times     = len(" [99h59m59s:99h59m59s]")
	rate      = len(", 123456789 /s)")
	leastName = 4
)

// newBar returns a bar that is no wider than the terminal: where there is no room for them it leaves out the rate, then the
// count, and cuts the job's name.
func newBar(w io.Writer, columns int, what, unit string, total int64) *progressbar.ProgressBar {
	count := len(" (123456789/-)")
	if total >= 0 {
		count = len(" (/)") + 2*len(strconv.FormatInt(total, 10))
	}
	room := columns - frame - times
	what = clipped(what, max(room, leastName))
	room -= uniseg.StringWidth(what)
	options := []progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetItsString(unit),
		progressbar.OptionThrottle(barInterval),
		progressbar.OptionSetSpinnerChangeInterval(0), // else a goroutine turns it
		progressbar.OptionClearOnFinish(),
	}
	if room >= count {
		options = append(options, progressbar.OptionShowCount())
	} else if total > 0 { // else nothing would be seen before 1%
		options = append(options, progressbar.OptionSetRenderBlankState(true))
	}
	if room >= count+rate+len(unit) {
		options = append(options, progressbar.OptionShowIts())
	}
	return progressbar.NewOptions64(total, options...)
}

// clipped returns the beginning of a text, of at most a number of columns.
func clipped(text string, columns int) string {
	for uniseg.StringWidth(text) > columns {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

// Add counts n more units.
func (m *Meter) Add(n int64) {
	if m.bar != nil {
		_ = m.bar.Add64(n) // a bar that cannot be drawn is no reason to stop
		return
	}
	if m.log == nil {
		return
	}
	m.done += n
	if now := m.now(); now.Sub(m.last) >= lineInterval {
		m.last = now
		m.line(now.Sub(m.start).Seconds())
	}
}

// line logs the state of the job after a number of seconds.
func (m *Meter) line(seconds float64) {
	rate := float64(m.done) / seconds
	attrs := []any{slog.Int64(m.unit, m.done), slog.Float64("per_second", rate)}
	if m.total >= 0 {
		attrs = append(attrs, slog.Int64("total", m.total))
	}
	if m.total >= m.done && m.done > 0 {
		left := time.Duration(float64(m.total-m.done) / rate * float64(time.Second))
		attrs = append(attrs, slog.Duration("left", left.Round(time.Second)))
	}
	m.log.Info("progress", attrs...)
}

// Close removes the bar. The meter must not be used after it.
func (m *Meter) Close() {
	if m.bar != nil {
		_ = m.bar.Finish() // as in Add
	}
}
