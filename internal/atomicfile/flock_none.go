//go:build solaris || aix

package atomicfile

import "golang.org/x/sys/unix"

func flock(int) error { return unix.ENOTSUP }
