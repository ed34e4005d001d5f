package pool_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"resolwe/internal/test/check"
	"resolwe/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var workerCounts = []int{0, 1, 2, 7, 32}

// upTo is a source of 0..n-1.
func upTo(n int) func(context.Context) (int, error) {
	next := 0
	return func(context.Context) (int, error) {
		if next == n {
			return 0, io.EOF
		}
		next++
		return next - 1, nil
	}
}

func noScratch() struct{} { return struct{}{} }

// stagger lets the goroutines overtake each other.
func stagger(seed uint64, item int) {
	for range rand.New(rand.NewPCG(seed, uint64(item))).IntN(20) {
		runtime.Gosched()
	}
}

func collect(into *[]int) func(int) error {
	return func(v int) error {
		*into = append(*into, v)
		return nil
	}
}

func TestMap_KeepsOrder(t *testing.T) {
	t.Parallel()
	for _, workers := range workerCounts {
		for _, n := range []int{0, 1, 2, 3, 500} {
			t.Run(fmt.Sprintf("workers=%d/items=%d", workers, n), func(t *testing.T) {
				t.Parallel()
				got, want := []int{}, []int{}
				for i := range n {
					want = append(want, i*i)
				}
				square := func(_ context.Context, _ struct{}, i int) (int, error) {
					stagger(1, i)
					return i * i, nil
				}
				check.OK(t, pool.Map(t.Context(), workers, upTo(n), noScratch, square, collect(&got)))
				check.Equal(t, "results", got, want)
			})
		}
	}
}

func TestMap_ScratchIsNotShared(t *testing.T) {
	t.Parallel()
	const workers = 7
	var made atomic.Int32
	newScratch := func() *atomic.Int32 {
		made.Add(1)
		return new(atomic.Int32)
	}
	use := func(_ context.Context, busy *atomic.Int32, i int) (int, error) {
		if !busy.CompareAndSwap(0, 1) {
			return 0, errors.New("scratch is in use")
		}
		stagger(2, i)
		busy.Store(0)
		return i, nil
	}
	check.OK(t, pool.Map(t.Context(), workers, upTo(300), newScratch, use, func(int) error { return nil }))
	if got := made.Load(); got < 1 || got > workers {
		t.Errorf("scratches made: got %d, want 1 to %d", got, workers)
	}
}

type itemError int

func (e itemError) Error() string { return fmt.Sprintf("item %d is bad", int(e)) }

// failing lists the items at which source, fn and sink fail.
type failing struct {
	source, sink int // -1: never
	fn           []int
}

func TestMap_EarliestErrorWins(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		at   failing
		want int
	}{
		{"first item", failing{-1, -1, []int{0}}, 0},
		{"one item", failing{-1, -1, []int{40}}, 40},
		{"two items, the earlier slower", failing{-1, -1, []int{40, 41}}, 40},
		{"every item from some on", failing{-1, -1, []int{17, 18, 19, 20, 21, 22, 23}}, 17},
		{"source", failing{30, -1, nil}, 30},
		{"source after fn", failing{30, -1, []int{29}}, 29},
		{"sink", failing{-1, 25, nil}, 25},
		{"sink before fn", failing{-1, 25, []int{26}}, 25},
		{"sink after fn", failing{-1, 25, []int{24}}, 24},
		{"last item", failing{-1, -1, []int{99}}, 99},
	}
	for _, tt := range tests {
		for _, workers := range workerCounts {
			t.Run(fmt.Sprintf("%s/workers=%d", tt.name, workers), func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(20) {
					got, err := mapFailing(t.Context(), workers, seed, tt.at)
					if want := itemError(tt.want); !errors.Is(err, want) {
						t.Fatalf("seed %d: error: got %v, want %v", seed, err, want)
					}
					check.Is(t, len(got), tt.want, "seed %d: results before the error", seed)
				}
			})
		}
	}
}

func mapFailing(ctx context.Context, workers int, seed uint64, at failing) ([]int, error) {
	items := upTo(100)
	source := func(ctx context.Context) (int, error) {
		i, err := items(ctx)
		if err == nil && i == at.source {
			return 0, itemError(i)
		}
		return i, err
	}
	fn := func(_ context.Context, _ struct{}, i int) (int, error) {
		stagger(seed, i)
		if slices.Contains(at.fn, i) {
			return 0, itemError(i)
		}
		return i, nil
	}
	var got []int
	sink := func(i int) error {
		if i == at.sink {
			return itemError(i)
		}
		got = append(got, i)
		return nil
	}
	return got, pool.Map(ctx, workers, source, noScratch, fn, sink)
}

func TestMap_WrappedEOFIsNoEnd(t *testing.T) {
	t.Parallel()
	source := func(context.Context) (int, error) { return 0, fmt.Errorf("record 3: %w", io.EOF) }
	fn := func(context.Context, struct{}, int) (int, error) { return 0, nil }
	err := pool.Map(t.Context(), 2, source, noScratch, fn, func(int) error { return nil })
	check.ErrorIs(t, err, io.EOF, "error")
}

func TestMap_PanicsBecomeErrors(t *testing.T) {
	t.Parallel()
	boom := itemError(5)
	blow := func(at string, here string, i int) {
		if at == here && i == 5 {
			panic(boom)
		}
	}
	for _, at := range []string{"source", "fn"} {
		for _, workers := range workerCounts {
			t.Run(fmt.Sprintf("%s/workers=%d", at, workers), func(t *testing.T) {
				t.Parallel()
				items := upTo(10)
				source := func(ctx context.Context) (int, error) {
					i, err := items(ctx)
					blow(at, "source", i)
					return i, err
				}
				fn := func(_ context.Context, _ struct{}, i int) (int, error) {
					blow(at, "fn", i)
					return i, nil
				}
				var got []int
				err := pool.Map(t.Context(), workers, source, noScratch, fn, collect(&got))
				checkPanic(t, err, 5, boom)
				check.Is(t, len(got), 5, "results before the panic")
			})
		}
	}
}

func checkPanic(t *testing.T, err error, item uint64, value error) {
	t.Helper()
	pe, ok := errors.AsType[*pool.PanicError](err)
	if !ok {
		t.Fatalf("error: got %v (%T), want a PanicError", err, err)
	}
	if pe.Item != item || !errors.Is(pe, value) {
		t.Errorf("panic: got item %d value %v, want item %d value %v", pe.Item, pe.Value, item, value)
	}
	if !bytes.Contains(pe.Stack, []byte("_test.go")) {
		t.Errorf("stack does not reach the place of the panic:\n%s", pe.Stack)
	}
}

func TestMap_NewScratchPanics(t *testing.T) {
	t.Parallel()
	newScratch := func() int { panic(itemError(0)) }
	fn := func(_ context.Context, s, _ int) (int, error) { return s, nil }
	err := pool.Map(t.Context(), 3, upTo(9), newScratch, fn, func(int) error { return nil })
	checkPanic(t, err, 0, itemError(0))
}

func TestMap_SinkPanicPassesThrough(t *testing.T) {
	t.Parallel()
	defer func() {
		check.Is(t, recover(), "sink", "recovered")
	}()
	fn := func(_ context.Context, _ struct{}, i int) (int, error) { return i, nil }
	_ = pool.Map(t.Context(), 3, upTo(100), noScratch, fn, func(int) error { panic("sink") })
}

func TestGoexitIsAnError(t *testing.T) {
	t.Parallel()
	for _, workers := range workerCounts {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			t.Parallel()
			exit := func(context.Context, struct{}, int) (int, error) {
				runtime.Goexit()
				return 0, nil
			}
			check.Fails(t, pool.Map(t.Context(), workers, upTo(100), noScratch, exit, func(int) error { return nil }), "Map")
			exitAcc := func(context.Context, struct{}, int) error {
				runtime.Goexit()
				return nil
			}
			check.Fails(t, check.Err(pool.Reduce(t.Context(), workers, upTo(100), noScratch, exitAcc)), "Reduce")
		})
	}
}

func TestPanicError_Text(t *testing.T) {
	t.Parallel()
	err := &pool.PanicError{Item: 3, Value: "index out of range", Stack: []byte("long")}
	check.Is(t, err.Error(), "panic at item 3: index out of range", "text")
	if got := err.Unwrap(); got != nil {
		t.Errorf("unwrapped: got %v, want nil", got)
	}
}
