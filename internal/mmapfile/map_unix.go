//go:build unix

package mmapfile

import (
	"os"

	"golang.org/x/sys/unix"
)

func load(f *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
}

func unload(data []byte) error { return unix.Munmap(data) }

// advise passes on advice for data[start:end]; the system wants whole pages.
func advise(data []byte, start, end int, advice Advice) error {
	start -= start % os.Getpagesize()
	kind := unix.MADV_SEQUENTIAL
	if advice == WillNeed {
		kind = unix.MADV_WILLNEED
	}
	return unix.Madvise(data[start:end], kind)
}
