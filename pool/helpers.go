package pool

import (
	"runtime"
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

// Run runs task(0) to task(n-1), using further goroutines while workers are idle, and returns when all are done. If tasks panic, Run
// panics with the *PanicError of the first of them, whose Item is its number; if the first that did not return ended its goroutine, Run
// ends the caller's. Tasks after it may be left out.
func (h *Helpers) Run(n int, task func(i int)) {
	var next atomic.Int64
	var mu sync.Mutex
	first, fault := n, (*PanicError)(nil) // the first task that did not return; nil if it did not panic
	attempt := func(i int) {
		returned := false
		defer func() {
			v := recover()
			if returned {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			next.Store(int64(n))
			if i < first {
				if first, fault = i, nil; v != nil {
					fault = NewPanicError(uint64(i), v) // #nosec G115 -- not negative
				}
			}
		}()
		task(i)
		returned = true
	}
	work := func() {
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			attempt(int(i))
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
	defer func() { // even if a task ends this goroutine
		h.End() // so that the remaining tasks can use this worker's place
		group.Wait()
		h.Begin()
		switch {
		case fault != nil:
			panic(fault)
		case first < n:
			runtime.Goexit()
		}
	}()
	work()
}
