package join

import (
	"sync"

	"resolwe/kernels/plan"
)

// Share divides the work on one subgraph among several scratches, so that they end together: what each does is decided as
// it gets there, by Claims, which all shares have in common. All of them make the same calls of Pairs on a node, in the
// same order, and each call is divided into parts. What else there is to do is divided into slices. The zero value has
// everything, and claims nothing.
type Share struct {
	Index, Of int
	Claims    *Claims // not nil where Of is 2 or more
}

// Slice has those rows, or other things, that are Index modulo Of. The zero value has all.
type Slice struct{ Index, Of int }

// Has reports whether the slice has the i-th of some things.
func (l Slice) Has(i int) bool { return l.Of <= 1 || i%l.Of == l.Index }

// Mask returns the members of the i-th word of a set that the slice has.
func (l Slice) Mask(i int) uint64 {
	if l.Of <= 1 {
		return ^uint64(0)
	}
	mask := uint64(0)
	for at := (l.Index - i*64%l.Of + l.Of) % l.Of; at < 64; at += l.Of {
		mask |= 1 << at
	}
	return mask
}

// Backwards reports whether a share does things from the last to the first. Of two neighbours one does, so that each makes
// preparations of its own, and keeps rows of its own, until they meet.
func (h Share) Backwards() bool { return h.Index%2 == 1 }

// Order returns the i-th of n things that the share does.
func (h Share) Order(i, n int) int {
	if h.Backwards() {
		return n - 1 - i
	}
	return i
}

// Claim returns a slice that no share has claimed; false where none is left. There are as many slices as shares, of which
// a share may claim any number.
func (h Share) Claim() (Slice, bool) {
	i := h.Claims.slice(h.Of, h.Backwards())
	return Slice{Index: i, Of: h.Of}, i < h.Of
}

// The runs of rows, side by side, that are claimed at a time: a power of two of them, of which there are leastRuns for
// each share unless they are of one row.
const (
	longestRun = 64
	leastRuns  = 16
)

// run returns the length of the runs of n rows.
func (h Share) run(n int) int {
	run := longestRun
	for h.Of > 1 && run > 1 && run*leastRuns*h.Of > n {
		run /= 2
	}
	return run
}

// Claims hands out the slices of a subgraph and the parts of the calls of Pairs on it, each to the share that is first to
// ask for it. It may be used by several goroutines. The zero value has handed out nothing.
type Claims struct {
	mu     sync.Mutex
	slices span
	calls  []span // by matrix node
}

// span is what is left of the latest call that a share has come to; its number is from 1.
type span struct {
	call       uint32
	first, end int
}

// Reset begins a subgraph.
func (c *Claims) Reset() {
	c.slices = span{}
	clear(c.calls)
}

// slice returns one of n slices, the last or the first that is left; n where none is.
func (c *Claims) slice(n int, last bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.slices.take(1, n, last)
}

// part returns one of n parts of a call on a node, the last or the first that is left; n where none is.
func (c *Claims) part(id plan.NodeID, call uint32, n int, last bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if more := int(id) + 1 - len(c.calls); more > 0 {
		c.calls = append(c.calls, make([]span, more)...)
	}
	return c.calls[id].take(call, n, last)
}

// take returns one of n parts of a call, n where none is left: that is so where another share has come to a later call.
func (left *span) take(call uint32, n int, last bool) int {
	if left.call < call {
		*left = span{call: call, end: n}
	}
	switch {
	case left.call > call || left.first == left.end:
		return n
	case last:
		left.end--
		return left.end
	default:
		left.first++
		return left.first - 1
	}
}
