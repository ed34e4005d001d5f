package console

import (
	"errors"
	"io"
	"sync/atomic"
	"syscall"
)

// Tracked is a writer that remembers whether a write failed, for example on a full disk.
type Tracked struct {
	io.Writer
	failed atomic.Bool
}

// Write writes p.
func (t *Tracked) Write(p []byte) (int, error) {
	n, err := t.Writer.Write(p)
	if err != nil && !errors.Is(err, syscall.EPIPE) { // a reader that has gone loses nothing
		t.failed.Store(true)
	}
	return n, err
}

// Failed reports whether something was not written.
func (t *Tracked) Failed() bool { return t.failed.Load() }

// Fd returns the descriptor of a file, or else an invalid one.
func (t *Tracked) Fd() uintptr {
	if f, ok := t.Writer.(interface{ Fd() uintptr }); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}
