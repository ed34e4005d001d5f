package tablefile

import "io"

const aheadBlocks = 4

// ahead reads from a reader in a goroutine of its own, some blocks ahead.
type ahead struct {
	full, free chan block
	stop, done chan struct{}
	now        block
	rest       []byte // of now, not yet read
}

type block struct {
	buf []byte
	n   int
	err error // behind the n bytes
}

// readAhead starts reading from r. The caller closes.
func readAhead(r io.Reader) *ahead {
	a := &ahead{
		full: make(chan block, aheadBlocks), free: make(chan block, aheadBlocks),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	for range aheadBlocks {
		a.free <- block{buf: make([]byte, readSize)}
	}
	go a.run(r)
	return a
}

func (a *ahead) run(r io.Reader) {
	defer close(a.done)
	for {
		var b block
		select {
		case <-a.stop:
			return
		case b = <-a.free:
		}
		b.n, b.err = r.Read(b.buf)
		a.full <- b // has room for every block
		if b.err != nil {
			return
		}
	}
}

// Read returns what was read ahead.
func (a *ahead) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if a.now.buf != nil {
			a.free <- a.now
		}
		a.now = <-a.full
		a.rest = a.now.buf[:a.now.n]
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// close ends the goroutine. There is no Read after it.
func (a *ahead) close() {
	close(a.stop)
	<-a.done
}
