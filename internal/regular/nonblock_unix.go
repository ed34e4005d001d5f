//go:build unix

package regular

import "golang.org/x/sys/unix"

// nonblock keeps the opening of a pipe from waiting for a writer.
const nonblock = unix.O_NONBLOCK
