package selection

import (
	"resolwe/format/subgraph"
	"resolwe/kernels/join"
)

// Part is the counts of a task's candidates on a subgraph, or on a share of it. The shares of one subgraph that several
// counters have counted are merged and then added to the totals of any one of them: the sums are the same as if that
// one had counted the subgraph by itself.
type Part struct {
	selected [][]int64 // by candidate and position in masks
	all      [][]int64 // by enforcer: the default distributions, which share 0 counts
}

// NewPart returns counts of 0.
func (t *Task) NewPart() *Part {
	p := &Part{}
	for _, c := range t.compiled {
		p.selected = append(p.selected, make([]int64, len(c.masks)))
	}
	for _, e := range t.defaults {
		p.all = append(p.all, make([]int64, len(e.masks)))
	}
	return p
}

// Merge adds the counts of another share of the same subgraph.
func (p *Part) Merge(o *Part) {
	addCounts(p.selected, o.selected)
	addCounts(p.all, o.all)
}

func addCounts(dst, src [][]int64) {
	for i, counts := range src {
		for k, n := range counts {
			dst[i][k] += n
		}
	}
}

// Clear sets all counts to 0.
func (p *Part) Clear() {
	for _, counts := range p.selected {
		clear(counts)
	}
	for _, counts := range p.all {
		clear(counts)
	}
}

// AddPart adds to p the counts of the index-th of several shares of a subgraph; shares is at least 1. The values of an
// output are divided among them one by one, so that each share does about as much; what does not depend on these is done
// by every share. The totals stay as they are until AddCounted. The error is join.ErrOverflow.
func (c *Counter) AddPart(sub *subgraph.Subgraph, index, shares int, p *Part) error {
	if err := c.count(sub, join.Share{Index: index, Of: shares}); err != nil {
		return err
	}
	p.Merge(c.part)
	return nil
}

// AddCounted adds the counts of a subgraph whose shares have been merged into p.
func (c *Counter) AddCounted(p *Part) {
	for i, cand := range c.task.compiled {
		var all []int64
		if cand.enforcer >= 0 {
			all = p.all[cand.enforcer]
		}
		c.Totals[i].add(cand, p.selected[i], all)
	}
}
