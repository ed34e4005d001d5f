//go:build unix

package input

import (
	"os"

	"golang.org/x/sys/unix"
)

// nonblock keeps opening a pipe from waiting for a writer.
const nonblock = unix.O_NONBLOCK

func load(f *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
}

// release is only advice, so a failure does not matter.
func release(data []byte) { _ = unix.Madvise(data, unix.MADV_DONTNEED) }

func unload(data []byte) error { return unix.Munmap(data) }
