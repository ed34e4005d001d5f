package pool_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"resolwe/internal/test/check"
	"resolwe/pool"
)

func newSum() *int { return new(int) }

func TestReduce_FoldsEachItemOnce(t *testing.T) {
	t.Parallel()
	for _, workers := range workerCounts {
		for _, n := range []int{0, 1, 2, 1000} {
			t.Run(fmt.Sprintf("workers=%d/items=%d", workers, n), func(t *testing.T) {
				t.Parallel()
				sums, err := pool.Reduce(t.Context(), workers, upTo(n), newSum,
					func(_ context.Context, sum *int, i int) error {
						stagger(4, i)
						*sum += i
						return nil
					})
				check.OK(t, err)
				if workers > 0 && len(sums) > workers {
					t.Errorf("accumulators: got %d, want at most %d", len(sums), workers)
				}
				got := 0
				for _, sum := range sums {
					got += *sum
				}
				check.Is(t, got, n*(n-1)/2, "sum")
			})
		}
	}
}

func TestReduce_EarliestErrorWins(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		bad  []int
	}{
		{"first item", []int{0}},
		{"two items", []int{40, 41}},
		{"many items", []int{60, 61, 62, 63, 64, 65, 66, 67, 68}},
		{"last item", []int{99}},
	}
	for _, tt := range tests {
		for _, workers := range workerCounts {
			t.Run(fmt.Sprintf("%s/workers=%d", tt.name, workers), func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(20) {
					sums, err := pool.Reduce(t.Context(), workers, upTo(100), newSum,
						func(_ context.Context, _ *int, i int) error {
							stagger(seed, i)
							if slices.Contains(tt.bad, i) {
								return itemError(i)
							}
							return nil
						})
					if want := itemError(tt.bad[0]); !errors.Is(err, want) || sums != nil {
						t.Fatalf("seed %d: got %v and error %v, want nil and %v", seed, sums, err, want)
					}
				}
			})
		}
	}
}

func TestReduce_PanicBecomesError(t *testing.T) {
	t.Parallel()
	_, err := pool.Reduce(t.Context(), 3, upTo(50), newSum, func(_ context.Context, _ *int, i int) error {
		if i >= 20 {
			panic(itemError(i))
		}
		return nil
	})
	checkPanic(t, err, 20, itemError(20))
}

// A slow item holds up one worker, not the stream.
func TestReduce_SlowFirstItemStopsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		var folded atomic.Int64
		done := make(chan error, 1)
		go func() {
			_, err := pool.Reduce(t.Context(), 2, upTo(100), newSum, func(_ context.Context, _ *int, i int) error {
				if i == 0 {
					<-gate
				}
				folded.Add(1)
				return nil
			})
			done <- err
		}()
		synctest.Wait()
		check.Is(t, folded.Load(), int64(99), "items folded while the first one runs")
		close(gate)
		check.OK(t, <-done)
	})
}
