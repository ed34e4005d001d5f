//go:build unix

package mmapfile

import (
	"os"

	"golang.org/x/sys/unix"
)

func load(f *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
}

// release is advice: that it fails matters to nobody.
func release(data []byte) { _ = unix.Madvise(data, unix.MADV_DONTNEED) }

func unload(data []byte) error { return unix.Munmap(data) }
