package run

import (
	"context"
	"errors"
	"time"
)

// ErrBudget says that a Budget expired before there was a result.
var ErrBudget = errors.New("the budget expired")

// Budget is a limit on the time of a computation, which ends soon after it with what it has. nil is no limit. Results depend on the
// clock only if it expires.
type Budget struct {
	now   func() time.Time
	start time.Time
	limit time.Duration
}

// NewBudget returns a budget that begins now. The clock may be called by several goroutines; it never goes back.
func NewBudget(limit time.Duration, now func() time.Time) *Budget { return &Budget{now, now(), limit} }

// Left returns how much time is left: 0 if it has expired, and, without a limit, -1.
func (b *Budget) Left() time.Duration {
	if b == nil {
		return -1
	}
	return max(0, b.limit-b.now().Sub(b.start))
}

// Over reports whether the budget has expired.
func (b *Budget) Over() bool { return b.Left() == 0 }

// Stop returns Over, or nil without a limit.
func (b *Budget) Stop() func() bool {
	if b == nil {
		return nil
	}
	return b.Over
}

// Part returns a budget of a share of the time that is left.
func (b *Budget) Part(share float64) *Budget {
	if b == nil {
		return nil
	}
	return NewBudget(time.Duration(share*float64(b.Left())), b.now)
}

// Context returns a context that ends with ErrBudget as its cause when the budget expires.
func (b *Budget) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	if b == nil {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, b.Left(), ErrBudget)
}

// Expired reports whether err ended a computation under [Budget.Context] because the budget expired, and not its parent ctx.
func Expired(ctx context.Context, err error) bool {
	return errors.Is(err, ErrBudget) && ctx.Err() == nil
}

// ErrSpent ends a part of a computation whose budget has expired; the computation goes on with what it has.
var ErrSpent = errors.New("the budget of a part expired")

// Err returns ErrSpent if the budget has expired.
func (b *Budget) Err() error {
	if b.Over() {
		return ErrSpent
	}
	return nil
}

// Used returns the function that reports the used share of the time that is left now; nil without a limit.
func (b *Budget) Used() func() float64 {
	if b == nil {
		return nil
	}
	all := b.Left()
	return func() float64 { return 1 - float64(b.Left())/float64(max(all, 1)) }
}
