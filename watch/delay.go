package watch

import (
	"time"

	"resolwe/format/subgraph"
	"resolwe/kernels/watch"
)

// pend returns a block of subgraphs whose truth is not known yet.
func (w *watcher) pend(items []*item) (p *pending, err error) {
	p = &pending{Since: w.state.Since, Layout: w.state.Layout}
	filled, err := w.filled(w.program.Load(), items)
	if err != nil {
		return nil, err
	}
	p.Block, p.Atoms = joined(filled)
	p.Last = w.known(p.Block, p.Atoms, (*watch.Rows).Merge)
	p.hidden = w.unknowns(filled)
	for _, it := range items {
		p.Latest = w.timeOf(it) // subgraphs are in the order of time
		p.Places = append(p.Places, it.index)
		it.program, it.atomRows = nil, atomRows{}
	}
	if w.opt.Adapt == AdaptStructure {
		p.items = items
	}
	return p, nil
}

// timeOf returns the time of a subgraph, if truth takes time.
func (w *watcher) timeOf(it *item) (t subgraph.Time) {
	if w.opt.Wait > 0 {
		t = it.sub.Time
	}
	return t
}

// settled reports whether the truth of a block is known.
func (w *watcher) settled(p *pending) bool {
	switch s := &w.state; {
	case w.over:
		return true
	case w.opt.Wait > 0:
		return p.Latest.Unix+int64(w.opt.Wait/time.Second) <= s.Clock.Unix
	default:
		return p.Places[len(p.Places)-1] < s.Next-w.opt.Delay
	}
}
