//go:build unix && !solaris && !aix

package atomicfile

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// tryLock locks a file or folder for this process. The error is errLocked if another process holds it, or has put something else
// there.
func tryLock(name string) (*os.File, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, errLocked
	}
	f := os.NewFile(uintptr(fd), name)
	if err := lock(f); err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return f, nil
}

// lock locks an open file or folder until it is closed. Its error is that of tryLock.
func lock(f *os.File) error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			return errLocked
		}
		return err
	}
	mine, err := f.Stat()
	if there, lerr := os.Lstat(f.Name()); err != nil || lerr != nil || !os.SameFile(mine, there) {
		return errLocked
	}
	return nil
}

// noFollow keeps a link that appears at a name from being followed.
const noFollow = unix.O_NOFOLLOW

// isOwn reports whether a file belongs to this user.
func isOwn(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}

// syncDir makes a rename in dir durable, if the file system supports that.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}
