package pool_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/pool"
)

// While memory is short only the first item not yet taken continues; before and afterwards several do.
func TestTurns(t *testing.T) {
	t.Parallel()
	const n, workers = 200, 8
	var short atomic.Bool
	turns := pool.NewTurns(short.Load)
	var taken atomic.Int64
	work := func(ctx context.Context, _ struct{}, i int) (int, error) {
		for {
			turns.Wait(ctx, uint64(i))
			if i == 50 { // memory is short from here until 20 more are taken
				short.Store(true)
			}
			err := turns.Ask(uint64(i))
			if err == nil && short.Load() && i > 50 && i < 70 && taken.Load() < int64(i) {
				t.Errorf("item %d went on while %d were taken and memory was short", i, taken.Load())
			}
			if !errors.Is(err, pool.ErrTurn) {
				return i, err
			}
		}
	}
	next := 0
	err := pool.Map(t.Context(), workers, pool.Numbers(n), func() struct{} { return struct{}{} }, work, func(i int) error {
		check.Equal(t, "item", i, next)
		next++
		if next == 70 {
			short.Store(false)
		}
		taken.Add(1)
		turns.Taken()
		return nil
	})
	check.OK(t, err)
	check.Equal(t, "items", next, n)
}

// An item waiting for its turn ends with its context.
func TestTurns_Ended(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	turns := pool.NewTurns(func() bool { return true })
	turns.Wait(ctx, 5)
	check.ErrorIs(t, turns.Ask(5), pool.ErrTurn, "error")
	check.OK(t, turns.Ask(0))
	check.OK(t, pool.NewTurns(nil).Ask(5))
}
