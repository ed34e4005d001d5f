package source

import (
	"fmt"
	"io"
	"sync"

	"resolwe/internal/atomicfile"
)

// tape is a pipe. Until it is closed it records what is read, so that it can be read again.
type tape struct {
	in   io.Reader
	kept bool // it is not closed before the set is

	mu     sync.Mutex // an archive's decoder reads in a goroutine of its own
	past   atomicfile.Spool
	closed bool
}

// reader returns a reader from the beginning.
func (t *tape) reader() io.Reader { return &playback{of: t} }

// Close ends the recording and discards what was recorded. A reader that is at its end goes on with the pipe.
func (t *tape) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	return t.past.Close()
}

// playback reads a tape: what was recorded, then the pipe.
type playback struct {
	of *tape
	at int64
}

func (p *playback) Read(b []byte) (n int, err error) {
	t := p.of
	t.mu.Lock()
	defer t.mu.Unlock()
	defer func() { p.at += int64(n) }()
	if left := t.past.Size() - p.at; left > 0 {
		return t.past.ReadAt(b[:min(left, int64(len(b)))], p.at)
	}
	n, err = t.in.Read(b)
	if !t.closed {
		if _, failed := t.past.Write(b[:n]); failed != nil {
			return n, fmt.Errorf("keeping a pipe for a second pass: %w", failed)
		}
	}
	return n, err
}
