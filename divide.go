package resolwe

import (
	"context"
	"sync"

	"resolwe/format/source"
	"resolwe/format/subgraph"
	"resolwe/kernels/join"
	"resolwe/kernels/selection"
	"resolwe/pool"
)

// divider has several goroutines count a large subgraph: the work on one grows faster than its size, and one worker would be
// at it while the others have nothing left to do.
type divider struct {
	selector *Selector
	helpers  *pool.Helpers
	workers  int
	read     int64 // subgraphs
	bytes    int64 // of these
}

// A subgraph is large where it has timesMean times the mean bytes of those before it, and at least leastLarge.
const (
	timesMean  = 4
	leastLarge = 1 << 17
)

// isLarge is asked about the subgraphs of a stream in turn.
func (d *divider) isLarge(h *source.Handle) bool {
	size := h.Bytes()
	large := d.workers > 1 && size >= leastLarge && size*d.read > timesMean*d.bytes && d.read > 0
	d.read++
	d.bytes += size
	return large
}

// add counts a large subgraph on a worker and on helpers with counters of their own, which are released.
func (d *divider) add(c *counter, sub *subgraph.Subgraph, newCounter func() *counter, out *SelectionCounts) error {
	sub, err := d.selector.task.NewDeriver().Extend(sub)
	if err != nil {
		return err
	}
	sum := d.selector.task.NewCounts()
	var mu sync.Mutex // of sum and err
	var steps pool.Steps
	d.helpers.Join(d.workers, func(i int) {
		own, part := c, d.selector.task.NewCounts()
		if i > 0 {
			own = newCounter()
			defer d.selector.release(own, out)
		}
		failed := own.CountPart(sub, join.Partition{Of: d.workers, Backwards: i%2 == 1, Next: steps.Next}, part)
		mu.Lock()
		defer mu.Unlock()
		if failed != nil {
			err = failed
			return
		}
		sum.Merge(part)
	})
	if err == nil {
		c.AddCounts(sum)
	}
	return err
}

// counter is a worker's counts, and its memory.
type counter struct {
	*selection.Counter
	memory memory // of the subgraph that is counted
	used   int    // subgraphs
	work   Work   // before the present stream
}

// counter returns a worker's memory.
func (s *Selector) counter(ctx context.Context, trace tracer) *counter {
	c, ok := s.idle.Get().(*counter)
	if !ok {
		c = &counter{Counter: selection.NewCounter(s.task)}
	}
	c.Trace = trace
	c.Stop(func() error { return context.Cause(ctx) })
	return c
}

// release adds a worker's counts, and keeps its memory.
func (s *Selector) release(c *counter, to *SelectionCounts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := c.Work()
	to.Work.Add(total.Sub(c.work))
	to.Subgraphs += uint64(c.used)
	_ = to.Sums.Add(c.Totals) // of one task
	c.Totals, c.used, c.work = s.task.NewSums(), 0, total
	s.idle.Put(c)
}
