package selection

import (
	"resolwe/format/subgraph"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
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

// AddPart adds to p the counts of a share of a subgraph, whose shares are numbered from 0 and have their claims in common.
// What the shares count adds up to the counts of the subgraph, however much each of them does. The totals stay as they are
// until AddCounted. The error is join.ErrOverflow.
func (c *Counter) AddPart(sub *subgraph.Subgraph, share join.Share, p *Part) error {
	if err := c.count(sub, share); err != nil {
		return err
	}
	p.Merge(c.part)
	return nil
}

// count counts every candidate on a share of a subgraph: what is counted in slices, and what by products. Of several
// shares one half begins with the former, the other with the latter, so that what both prepare is little.
func (c *Counter) count(sub *subgraph.Subgraph, share join.Share) error {
	c.reset(sub, share)
	if share.Of <= 1 {
		if err := c.scratch.Counting(c.defaults); err != nil {
			return err
		}
		c.candidatesOf(func(*candidate) bool { return true })
		c.multiply()
		return nil
	}
	if share.Backwards() {
		c.multiplied()
		return c.sliced()
	}
	if err := c.sliced(); err != nil {
		return err
	}
	c.multiplied()
	return nil
}

// sliced counts the slices that the share can claim.
func (c *Counter) sliced() error {
	for {
		slice, ok := c.share.Claim()
		if !ok {
			return nil
		}
		c.slice = slice
		if slice.Index == 0 {
			if err := c.scratch.Counting(c.defaults); err != nil {
				return err
			}
		}
		c.candidatesOf(func(cand *candidate) bool { return cand.product.matrix == plan.None })
	}
}

// multiplied counts the share's parts of what is counted by products.
func (c *Counter) multiplied() {
	c.candidatesOf(func(cand *candidate) bool { return cand.product.matrix != plan.None })
	c.multiply()
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
