package pool

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"
)

// ErrTurn reports that an item must wait for its turn.
var ErrTurn = errors.New("pool: an earlier item comes first")

// Turns limits the workers of a Map while memory is short. Then only the first item in stream order continues; the others give up,
// and start again when their turn comes. Afterwards, each round in which there was room allows one more item at a time.
type Turns struct {
	short func() bool // nil for never

	mu     sync.Mutex
	taken  uint64 // items whose results the sink has taken
	window uint64 // how many items from there on may be processed
	grown  uint64 // items taken since the window grew
}

// NewTurns returns Turns. short reports whether memory is short; nil for never.
func NewTurns(short func() bool) *Turns { return &Turns{short: short, window: math.MaxUint64} }

// turnInterval is how often a waiting worker checks.
const turnInterval = 2 * time.Millisecond

// Taken counts an item whose result the sink has taken.
func (t *Turns) Taken() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken++
	if t.grown++; t.window < math.MaxUint64 && t.grown >= t.window {
		t.window, t.grown = t.window+1, 0
	}
}

// Short reports whether memory is short.
func (t *Turns) Short() bool { return t.short != nil && t.short() }

// Ask returns ErrTurn if the item of a number, from 0, must give up. Call it repeatedly while working on the item.
func (t *Turns) Ask(number uint64) error {
	if !t.Short() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.window, t.grown = 1, 0
	if number > t.taken {
		return ErrTurn
	}
	return nil
}

// First reports whether the sink has taken the results of all items before that of a number.
func (t *Turns) First(number uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return number <= t.taken
}

// WaitFirst returns once First is true, or ctx is done.
func (t *Turns) WaitFirst(ctx context.Context, number uint64) { await(ctx, number, t.First) }

// Wait returns once the item of a number may begin, or ctx is done.
func (t *Turns) Wait(ctx context.Context, number uint64) { await(ctx, number, t.may) }

func await(ctx context.Context, number uint64, may func(uint64) bool) {
	for !may(number) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(turnInterval):
		}
	}
}

func (t *Turns) may(number uint64) bool {
	if t.Ask(number) != nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return number-t.taken < t.window
}
