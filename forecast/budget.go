package forecast

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrBudget says that the time of Options.Budget is over.
var ErrBudget = errors.New("the time of forecast.Options.Budget is over")

// grace is how long after its end a part of a forecast may go on, to end by itself.
const grace = time.Second

// budget says whether there is time, which contexts bound.
type budget struct {
	bounded bool
	tell    func(int) // of progress; may be nil

	mu   sync.Mutex
	over bool // parts that go on have no say
}

// progress passes progress on as long as there is time.
func (b *budget) progress(n int) {
	_ = b.within(func() {
		if b.tell != nil {
			b.tell(n)
		}
	})
}

// within calls f unless the time is over, which is an error.
func (b *budget) within(f func()) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return ErrBudget
	}
	f()
	return nil
}

// bounded runs a part of a forecast until the time is over. What it computes it returns: a part that is given up goes on, and
// must change nothing but by way of within.
func bounded[T any](ctx context.Context, b *budget, part func(context.Context) (T, error)) (T, error) {
	if !b.bounded {
		return part(ctx)
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := part(ctx)
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r.value, r.err
	case <-time.After(grace):
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	var none T
	return none, context.Cause(ctx)
}
