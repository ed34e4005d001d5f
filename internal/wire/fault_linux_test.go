package wire_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"resolwe/internal/test/check"
)

// TestChecksum_TouchesNothingBeyond reads bytes that lie against a page that cannot be touched, on either side.
func TestChecksum_TouchesNothingBeyond(t *testing.T) {
	t.Parallel()
	page := os.Getpagesize()
	memory, err := unix.Mmap(-1, 0, 3*page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	check.OK(t, err)
	data := memory[page : 2*page]
	check.OK(t, unix.Mprotect(data, unix.PROT_READ|unix.PROT_WRITE))
	copy(data, random(1, 0, page))
	for n := range 1200 {
		checkTwin(t, data[:n], "behind the fence", 1)
		checkTwin(t, data[page-n:], "before the fence", 1)
	}
	check.OK(t, unix.Munmap(memory))
}
