package ptytest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"resolwe/internal/test/check"
)

// Open opens a pseudoterminal: what is written to screen can be read from keeper.
func Open(t *testing.T) (keeper, screen *os.File) {
	t.Helper()
	keeper, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	t.Cleanup(func() { _ = keeper.Close() })
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
	t.Cleanup(func() { _ = screen.Close() })
	return keeper, screen
}

// ReadUntil reads what a terminal shows, up to and including end.
func ReadUntil(t *testing.T, keeper *os.File, end string) string {
	t.Helper()
	buf, shown := make([]byte, 1<<16), ""
	for !strings.Contains(shown, end) {
		n, err := keeper.Read(buf)
		check.OK(t, err)
		shown += string(buf[:n])
	}
	return shown
}
