package pool

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Helpers lets a worker with several tasks share them with idle workers.
type Helpers struct{ idle atomic.Int64 }

// NewHelpers returns the helpers of n workers, all of them idle.
func NewHelpers(workers int) *Helpers {
	h := &Helpers{}
	h.idle.Store(int64(workers))
	return h
}

// Begin and End enclose a worker's own work.
func (h *Helpers) Begin() { h.idle.Add(-1) }

// End is described with Begin.
func (h *Helpers) End() { h.idle.Add(1) }

// Lanes returns how many tasks could run at once now.
func (h *Helpers) Lanes() int { return 1 + int(max(0, h.idle.Load())) }

// take takes an idle worker's place, and returns false if there is none.
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

// Run runs task(0) to task(n-1), using further goroutines while workers are idle, and returns when all are done. A panic in a task
// becomes a panic of Run.
func (h *Helpers) Run(n int, task func(i int)) {
	var next atomic.Int64
	var panicked atomic.Pointer[any]
	work := func() {
		defer func() {
			if v := recover(); v != nil {
				panicked.Store(&v)
			}
		}()
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			task(int(i))
		}
	}
	var group sync.WaitGroup
	for i := 1; i < n && h.take(); i++ {
		group.Go(func() {
			defer h.End()
			debug.SetPanicOnFault(true)
			work()
		})
	}
	work()
	h.End() // so that the remaining tasks can use this worker's place
	group.Wait()
	h.Begin()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
}
