package watch

import (
	"fmt"
	"time"

	"resolwe"
	"resolwe/format/subgraph"
)

// pend returns a block of subgraphs whose truth is not known yet.
func (w *watcher) pend(items []*item) (p *pending, err error) {
	p = &pending{Since: w.state.Since, Layout: w.state.Layout}
	if p.Block, p.Atoms, err = w.join(w.program.Load(), items); err != nil {
		return nil, err
	}
	p.Last = w.known(p.Block, p.Atoms)
	for _, it := range items {
		t, err := w.timeOf(it)
		if err != nil {
			return nil, err
		}
		if t.Compare(p.Latest) > 0 {
			p.Latest = t
		}
		p.Places = append(p.Places, it.index)
		it.program, it.rows, it.atoms = nil, nil, nil
	}
	if w.opt.Adapt == AdaptStructure {
		p.items = items
	}
	return p, nil
}

// timeOf returns the time of a subgraph, if truth takes time.
func (w *watcher) timeOf(it *item) (t subgraph.Time, err error) {
	if w.opt.Wait == 0 {
		return t, nil
	}
	if t = it.sub.Time; !t.Known {
		return t, &resolwe.OptionError{Option: "watch.Options.Delay", Reason: fmt.Sprintf("subgraph %s has no time: give the delay as a number of subgraphs", it.sub.Name)}
	}
	return t, nil
}

// proceed sets the clock, if truth takes time, to that of the subgraph to be predicted next.
func (w *watcher) proceed(next *item) error {
	t, err := w.timeOf(next)
	if err == nil && t.Compare(w.state.Clock) > 0 {
		w.state.Clock = t
	}
	return err
}

// isKnown reports whether the truth of a subgraph is known.
func (w *watcher) isKnown(it *item) (bool, error) {
	t, err := w.timeOf(it)
	return w.settled(&pending{Places: []int{it.index}, Latest: t}), err
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
