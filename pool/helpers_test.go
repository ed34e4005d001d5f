package pool_test

import (
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

// A panic in a task, on whichever goroutine, becomes one of the worker, after the other tasks are done.
func TestHelpers_Panic(t *testing.T) {
	t.Parallel()
	var done atomic.Int32
	defer func() {
		if v := recover(); v != "broken" || done.Load() == 0 {
			t.Errorf("got panic %v after %d tasks", v, done.Load())
		}
	}()
	share(3, 0, 10, func(i int) {
		if i == 4 {
			panic("broken")
		}
		done.Add(1)
	})
	t.Error("got no panic")
}
