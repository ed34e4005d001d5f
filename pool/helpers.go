package pool

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Helpers lets a worker that has several tasks share them with workers that have none.
type Helpers struct{ idle atomic.Int64 }

// NewHelpers returns the helpers of n workers, all of them idle.
func NewHelpers(workers int) *Helpers {
	h := &Helpers{}
	h.idle.Store(int64(workers))
	return h
}

// Begin and End enclose what a worker does for itself.
func (h *Helpers) Begin() { h.idle.Add(-1) }

// End is described with Begin.
func (h *Helpers) End() { h.idle.Add(1) }

// Lanes returns how many tasks would run at once now.
func (h *Helpers) Lanes() int { return 1 + int(max(0, h.idle.Load())) }

// take takes an idle worker's place, and returns false where there is none.
func (h *Helpers) take() bool {
	for {
		n := h.idle.Load()
		if n <= 0 {
			return false
		}
		if h.idle.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

// Run runs task(0) to task(n-1), on goroutines of its own too while workers are idle, and returns when all are done. A
// panic in a task is one of Run.
func (h *Helpers) Run(n int, task func(i int)) {
	var next atomic.Int64
	h.Join(n, func(int) {
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			task(int(i))
		}
	})
}

// Join has the caller and as many idle workers as there are, at most n in all, do work together: work(0) is the
// caller's. It returns when all have ended. A panic in one of them is one of Join.
func (h *Helpers) Join(most int, work func(i int)) {
	var panicked atomic.Pointer[any]
	guarded := func(i int) {
		defer func() {
			if v := recover(); v != nil {
				panicked.Store(&v)
			}
		}()
		work(i)
	}
	var group sync.WaitGroup
	for i := 1; i < most && h.take(); i++ {
		group.Go(func() {
			defer h.End()
			debug.SetPanicOnFault(true)
			guarded(i)
		})
	}
	guarded(0)
	group.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
}
