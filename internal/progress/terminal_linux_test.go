package progress_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"resolwe/internal/check"
	"resolwe/internal/progress"
)

// openTerminal opens a pseudoterminal: what is written to screen can be read
// from keeper.
func openTerminal(t *testing.T) (keeper, screen *os.File) {
	t.Helper()
	keeper, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	t.Cleanup(func() { keeper.Close() })
	if err := unix.IoctlSetPointerInt(int(keeper.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip("no terminals here: ", err)
	}
	number, err := unix.IoctlGetInt(int(keeper.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	t.Cleanup(func() { screen.Close() })
	return keeper, screen
}

func TestMeter_DrawsBarOnTerminal(t *testing.T) {
	t.Parallel()
	for _, total := range []int64{40, -1, 0} {
		t.Run(fmt.Sprintf("total=%d", total), func(t *testing.T) {
			t.Parallel()
			keeper, screen := openTerminal(t)
			m := progress.New(progress.Options{Mode: progress.Auto, Writer: screen}, "learning", "subgraphs", total)
			m.Add(10)
			m.Close()
			fmt.Fprint(screen, "$")

			buf := make([]byte, 1<<16)
			var shown string
			for !strings.Contains(shown, "$") {
				n, err := keeper.Read(buf)
				check.OK(t, err)
				shown += string(buf[:n])
			}
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
