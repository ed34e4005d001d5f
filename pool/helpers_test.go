package pool_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"resolwe/internal/test/check"
	"resolwe/pool"
)

// share runs tasks as a worker does, while busy others are busy.
func share(workers, busy, n int, task func(i int)) {
	h := pool.NewHelpers(workers)
	for range busy {
		h.Begin()
	}
	h.Begin()
	defer h.End()
	h.Run(n, task)
}

// Tasks run concurrently if workers are idle: here each waits for the others.
func TestHelpers_AtOnce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ workers, busy, n int }{{2, 0, 2}, {3, 0, 3}, {8, 4, 4}, {1, 0, 1}} {
		var meeting sync.WaitGroup
		meeting.Add(test.n)
		share(test.workers, test.busy, test.n, func(int) {
			meeting.Done()
			meeting.Wait()
		})
	}
}

// Each task runs once, and no two concurrently if all other workers are busy.
func TestHelpers_Busy(t *testing.T) {
	t.Parallel()
	for _, busy := range []int{0, 1, 3, 9} {
		const n = 200
		var runs [n]atomic.Int32
		var running, most atomic.Int32
		share(4, busy, n, func(i int) {
			if now := running.Add(1); now > most.Load() {
				most.Store(now)
			}
			runs[i].Add(1)
			running.Add(-1)
		})
		for i := range runs {
			if got := runs[i].Load(); got != 1 {
				t.Errorf("%d busy: task %d ran %d times", busy, i, got)
			}
		}
		check.AtMost(t, int(most.Load()), max(1, 4-busy), "%d of 4 busy, tasks ran at once", busy)
	}
}

// A worker that has no task left, and waits for a helper's, lends it its place.
func TestHelpers_Lend(t *testing.T) {
	t.Parallel()
	goroutine := func() string {
		text := make([]byte, 64)
		return strings.Fields(string(text[:runtime.Stack(text, false)]))[1]
	}
	h := pool.NewHelpers(2)
	h.Begin()
	var meeting sync.WaitGroup
	meeting.Add(2)
	caller := goroutine()
	h.Run(2, func(int) {
		meeting.Done()
		meeting.Wait()
		for end := time.Now().Add(10 * time.Second); goroutine() != caller && h.Lanes() != 2; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Error("the waiting worker's place is not idle")
				return
			}
		}
	})
	check.Equal(t, "lanes at the end", h.Lanes(), 2)
}

// boom panics in a function of its own, which its stack names.
func boom(i int) { panic(fmt.Sprint("task ", i)) }

// The first of several panics, on whichever goroutine, becomes one of the worker, with its stack, after the running tasks are done.
func TestHelpers_Panic(t *testing.T) {
	t.Parallel()
	for workers := 1; workers <= 64; workers *= 2 {
		var running, done atomic.Int32
		err := failure(t, func() {
			share(workers, 0, 100, func(i int) {
				running.Add(1)
				defer running.Add(-1)
				switch {
				case i == 20:
					time.Sleep(time.Millisecond) // after later ones
					boom(i)
				case i > 20 && i%3 == 0:
					boom(i)
				}
				done.Add(1)
			})
		})
		p, ok := errors.AsType[*pool.PanicError](err)
		if !ok || p.Value != "task 20" || !strings.Contains(string(p.Stack), "pool_test.boom(") || strings.Contains(err.Error(), "pool_test") {
			t.Errorf("%d workers: got %v, want the panic of task 20 with its stack", workers, err)
		}
		check.Equal(t, "tasks that still run", running.Load(), int32(0))
		if done.Load() < 20 {
			t.Errorf("%d workers: got %d tasks done, want the 20 before the panic", workers, done.Load())
		}
	}
}

// failure returns the error of a Map with one item, on which f is called.
func failure(t *testing.T, f func()) error {
	t.Helper()
	return pool.Map(t.Context(), 1, upTo(1), noScratch, func(context.Context, struct{}, int) (struct{}, error) {
		f()
		return struct{}{}, nil
	}, func(struct{}) error { return nil })
}

// The panic of a task within a task keeps its own value and stack.
func TestHelpers_NestedPanic(t *testing.T) {
	t.Parallel()
	p := (*pool.PanicError)(nil)
	func() {
		defer func() { p = pool.NewPanicError(7, recover()) }()
		share(2, 0, 2, func(int) { share(2, 0, 4, boom) })
	}()
	if p.Item != 7 || p.Value != "task 0" || !strings.Contains(string(p.Stack), "pool_test.boom(") {
		t.Errorf("got item %d, value %v and stack %s", p.Item, p.Value, p.Stack)
	}
}

// A task that ends its goroutine, as a test's FailNow does, ends that of the worker too: it does not count as done.
func TestHelpers_Exit(t *testing.T) {
	t.Parallel()
	for workers := 1; workers <= 64; workers *= 2 {
		for _, exits := range []int{0, 20, 99} {
			h, passed := pool.NewHelpers(workers), false
			err := failure(t, func() {
				h.Begin()
				defer h.End()
				h.Run(100, func(i int) {
					switch {
					case i == exits:
						runtime.Goexit()
					case i > exits:
						boom(i)
					}
				})
				passed = true
			})
			if err == nil || errors.As(err, new(*pool.PanicError)) || passed {
				t.Errorf("%d workers: task %d ended its goroutine: got error %v and passed %v", workers, exits, err, passed)
			}
			check.Equal(t, "lanes at the end", h.Lanes(), workers+1)
		}
	}
}
