package pool_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"resolwe/internal/test/check"
	"resolwe/pool"
)

func TestMap_HoldsFourItemsForEachWorker(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 2, 7} {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			t.Parallel()
			var held, most atomic.Int64
			items := upTo(400)
			source := func(ctx context.Context) (int, error) {
				i, err := items(ctx)
				if err == nil {
					most.Store(max(most.Load(), held.Add(1))) // source runs on one goroutine
				}
				return i, err
			}
			fn := func(_ context.Context, _ struct{}, i int) (int, error) {
				stagger(3, i)
				return i, nil
			}
			sink := func(int) error {
				held.Add(-1)
				return nil
			}
			check.OK(t, pool.Map(t.Context(), workers, source, noScratch, fn, sink))
			check.AtMost(t, most.Load(), int64(4*workers), "items held")
		})
	}
}

func TestMap_SlowFirstItemStopsTheSource(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const workers = 3
		gate := make(chan struct{})
		var read atomic.Int64
		items := upTo(100)
		source := func(ctx context.Context) (int, error) {
			read.Add(1)
			return items(ctx)
		}
		fn := func(_ context.Context, _ struct{}, i int) (int, error) {
			if i == 0 {
				<-gate
			}
			return i, nil
		}
		var got []int
		done := make(chan error, 1)
		go func() { done <- pool.Map(t.Context(), workers, source, noScratch, fn, collect(&got)) }()
		synctest.Wait()
		check.Is(t, read.Load(), 4*workers, "items read while the first one runs")
		close(gate)
		if err := <-done; err != nil || len(got) != 100 {
			t.Errorf("after the gate opened: got %d results and error %v, want 100 and nil", len(got), err)
		}
	})
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	cause := errors.New("the user left")
	blockedSource := func(ctx context.Context) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	blockedFn := func(ctx context.Context, _ struct{}, _ int) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	quickFn := func(_ context.Context, _ struct{}, i int) (int, error) { return i, nil }
	tests := []struct {
		name   string
		source func(context.Context) (int, error)
		fn     func(context.Context, struct{}, int) (int, error)
	}{
		{"source blocks", blockedSource, quickFn},
		{"fn blocks", upTo(100), blockedFn},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(cause) })
				err := pool.Map(ctx, 3, tt.source, noScratch, tt.fn, func(int) error { return nil })
				check.ErrorIs(t, err, cause, "Map")
			})
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(cause) })
				_, err := pool.Reduce(ctx, 3, tt.source, noScratch, func(ctx context.Context, s struct{}, i int) error {
					_, err := tt.fn(ctx, s, i)
					return err
				})
				check.ErrorIs(t, err, cause, "Reduce")
			})
		})
	}
}

func TestMap_CancelledInSink(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	fn := func(_ context.Context, _ struct{}, i int) (int, error) { return i, nil }
	err := pool.Map(ctx, 4, upTo(100), noScratch, fn, func(int) error {
		calls++
		if calls == 10 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls != 10 {
		t.Errorf("got %d calls of sink and error %v, want 10 and %v", calls, err, context.Canceled)
	}
}

// A failure stops a source that would otherwise block forever.
func TestFailureEndsTheSource(t *testing.T) {
	t.Parallel()
	endless := func() func(context.Context) (int, error) {
		first := true
		return func(ctx context.Context) (int, error) {
			if first {
				first = false
				return 0, nil
			}
			<-ctx.Done()
			return 0, ctx.Err()
		}
	}
	fn := func(context.Context, struct{}, int) (int, error) { return 0, itemError(0) }
	check.ErrorIs(t, pool.Map(t.Context(), 2, endless(), noScratch, fn, func(int) error { return nil }), itemError(0), "Map")
	fold := func(context.Context, struct{}, int) error { return itemError(0) }
	check.ErrorIs(t, check.Err(pool.Reduce(t.Context(), 2, endless(), noScratch, fold)), itemError(0), "Reduce")
}
