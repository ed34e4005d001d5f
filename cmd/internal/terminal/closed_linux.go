package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// Closed reports whether a standard output was closed before the program began. Go's runtime then opens the null device in its
// place, to be read and written and by itself. What shells, daemons and most languages open as a null output can only be
// written, or is shared by other descriptors; Python's subprocess.DEVNULL, by itself, cannot be told from a closed one.
func Closed(f *os.File) bool {
	fd := int(f.Fd())
	var there, null unix.Stat_t
	if unix.Fstat(fd, &there) != nil || unix.Stat(os.DevNull, &null) != nil || there.Mode&unix.S_IFMT != unix.S_IFCHR || there.Rdev != null.Rdev {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return false
	}
	for other := range 3 {
		if other != fd && shared(fd, other) {
			return false
		}
	}
	return true
}

// shared reports whether two descriptors are one open file, which the flags are of.
func shared(a, b int) bool {
	was, err := unix.FcntlInt(uintptr(b), unix.F_GETFL, 0)
	if err != nil {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(a), unix.F_GETFL, 0)
	if err != nil {
		return false
	}
	if _, err := unix.FcntlInt(uintptr(a), unix.F_SETFL, flags^unix.O_APPEND); err != nil {
		return true // it cannot be told
	}
	now, err := unix.FcntlInt(uintptr(b), unix.F_GETFL, 0)
	_, restored := unix.FcntlInt(uintptr(a), unix.F_SETFL, flags)
	return err != nil || restored != nil || now != was
}
