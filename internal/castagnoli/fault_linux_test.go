package castagnoli_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestUpdate_TouchesNothingBeyond reads bytes that lie against a page that cannot be touched, on either side.
func TestUpdate_TouchesNothingBeyond(t *testing.T) {
	t.Parallel()
	page := os.Getpagesize()
	memory, err := unix.Mmap(-1, 0, 3*page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	data := memory[page : 2*page]
	if err := unix.Mprotect(data, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	copy(data, random(1, 0, page))
	for n := range 1200 {
		checkTwin(t, 0, data[:n], "behind the fence", 1)
		checkTwin(t, 0, data[page-n:], "before the fence", 1)
	}
	if err := unix.Munmap(memory); err != nil {
		t.Fatal(err)
	}
}
