package pool_test

import (
	"sync"
	"sync/atomic"
	"testing"

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
		if got := int(most.Load()); got > max(1, 4-busy) {
			t.Errorf("%d of 4 busy: %d tasks ran at once", busy, got)
		}
	}
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
