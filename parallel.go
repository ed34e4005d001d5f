package resolwe

import (
	"sync"
	"sync/atomic"
)

// helpers lets a worker that has several tasks share them with workers that have none.
type helpers struct{ idle atomic.Int64 }

func newHelpers(workers int) *helpers {
	h := &helpers{}
	h.idle.Store(int64(workers))
	return h
}

// begin and end enclose what a worker does for itself.
func (h *helpers) begin() { h.idle.Add(-1) }
func (h *helpers) end()   { h.idle.Add(1) }

// lanes returns how many tasks would run at once now.
func (h *helpers) lanes() int { return 1 + int(max(0, h.idle.Load())) }

// take takes an idle worker's place, and returns false where there is none.
func (h *helpers) take() bool {
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

// run runs task(0) to task(n-1), on goroutines of its own too while workers are idle, and returns when all are done. A
// panic in a task is one of run.
func (h *helpers) run(n int, task func(i int)) {
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
	for k := 1; k < n && h.take(); k++ {
		group.Go(func() {
			defer h.end()
			work()
		})
	}
	work()
	group.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
}
