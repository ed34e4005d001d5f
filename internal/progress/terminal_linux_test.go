package progress_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rivo/uniseg"
	"golang.org/x/sys/unix"

	"resolwe/internal/progress"
	"resolwe/internal/test/check"
	"resolwe/internal/test/ptytest"
)

// A bar fits on one line of any terminal, whatever it counts.
func TestMeter_BarFits(t *testing.T) {
	t.Parallel()
	for _, columns := range []uint16{40, 60, 80, 132} {
		for _, total := range []int64{40, 400, 1_234_567_890, -1} {
			for _, what := range []string{"learn", "import a/long/path/to/stub-meta-history.xml.gz", "漢字漢字漢字漢字漢字漢字"} {
				t.Run(fmt.Sprintf("columns=%d/total=%d/%.8s", columns, total, what), func(t *testing.T) {
					t.Parallel()
					fits(t, columns, total, what)
				})
			}
		}
	}
}

// fits draws a bar twice and checks that its lines fit the width of the terminal.
func fits(t *testing.T, columns uint16, total int64, what string) {
	t.Helper()
	keeper, screen := ptytest.Open(t)
	check.OK(t, unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}))
	m := progress.New(progress.Options{Mode: progress.Auto, Writer: screen, Now: time.Now}, what, "subgraphs", total)
	m.Add(10)
	time.Sleep(barShown)
	m.Add(10)
	fmt.Fprint(screen, "$")
	shown := ptytest.ReadUntil(t, keeper, "$")
	m.Close()
	check.Contains(t, shown, what[:3], "screen")
	for line := range strings.SplitSeq(strings.TrimSuffix(shown, "$"), "\r") {
		check.AtMost(t, uniseg.StringWidth(line), int(columns), "columns of %q", line)
	}
}

// barShown is the time after which a bar is drawn again.
const barShown = 110 * time.Millisecond

func TestMeter_DrawsBarOnTerminal(t *testing.T) {
	t.Parallel()
	for _, total := range []int64{40, -1, 0} {
		t.Run(fmt.Sprintf("total=%d", total), func(t *testing.T) {
			t.Parallel()
			keeper, screen := ptytest.Open(t)
			var c clock
			m := progress.New(progress.Options{Mode: progress.Auto, Writer: screen, Now: c.read}, "learning", "subgraphs", total)
			c.pass(time.Second)
			m.Add(10)
			m.Close()
			fmt.Fprint(screen, "$")

			shown := ptytest.ReadUntil(t, keeper, "$")
			if got, want := strings.Contains(shown, "learning"), total != 0; got != want {
				t.Errorf("bar shown: got %v, want %v: %q", got, want, shown)
			}
			line := shown[strings.LastIndex(shown, "\r")+1:]
			if line != "$" {
				t.Errorf("last line: got %q, want the bar removed", line)
			}
		})
	}
}
