package selection

import (
	"resolwe/format/subgraph"
	"resolwe/kernels/derive"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Counts are those of a task's candidates on a subgraph, or on a part of it. What several counters have counted of one
// subgraph is merged and then added to the totals of any one of them: the sums are the same as if that one had counted
// the subgraph by itself.
type Counts struct {
	selected [][]int64 // by candidate and position in masks
	all      [][]int64 // by candidate, likewise: of the default distribution
	memory   []int64   // all of them
}

// NewCounts returns counts of 0.
func (t *Task) NewCounts() *Counts {
	n := 0
	for _, c := range t.compiled {
		n += len(c.masks) + len(c.defaults)
	}
	p := &Counts{memory: make([]int64, n)}
	rest := p.memory
	for _, c := range t.compiled {
		k, l := len(c.masks), len(c.defaults)
		p.selected, p.all, rest = append(p.selected, rest[:k]), append(p.all, rest[k:k+l]), rest[k+l:]
	}
	return p
}

// Merge adds the counts of another part of the same subgraph.
func (p *Counts) Merge(o *Counts) {
	for i, n := range o.memory {
		p.memory[i] += n
	}
}

// Clear sets all counts to 0.
func (p *Counts) Clear() { clear(p.memory) }

// NewDeriver returns memory in which one goroutine adds the relations to a subgraph that the task's formulas derive.
func (t *Task) NewDeriver() *derive.Scratch { return derive.NewScratch(t.derived) }

// CountPart adds to p the counts of a part of a subgraph, which a deriver of the task has extended: once for all parts. The
// parts of a partition add up to the counts of the subgraph, however much each of them is. The totals stay as they are until
// AddCounts. The error is join.ErrOverflow.
func (c *Counter) CountPart(sub *subgraph.Subgraph, part join.Partition, p *Counts) error {
	if err := c.count(sub, part); err != nil {
		return err
	}
	p.Merge(c.counted)
	return nil
}

// count counts every candidate on a part of a subgraph with its derived relations: what is counted in strides, and what by products. Of the parts
// one half begins with the former, the other with the latter, so that what both prepare is little.
func (c *Counter) count(sub *subgraph.Subgraph, part join.Partition) error {
	c.reset(sub, part)
	return c.scratch.Counting(func() error {
		switch {
		case part.Of <= 1:
			c.defaults()
			c.candidatesOf(func(*candidate) bool { return true })
			c.multiply()
		case part.Backwards:
			c.multiplied()
			c.strides()
		default:
			c.strides()
			c.multiplied()
		}
		return nil
	})
}

// strides counts the strides that are left to do.
func (c *Counter) strides() {
	for {
		stride, ok := c.partition.Stride()
		if !ok {
			return
		}
		c.stride = stride
		if stride.Index == 0 {
			c.defaults()
		}
		c.candidatesOf(func(cand *candidate) bool { return cand.product.matrix == plan.None })
	}
}

// multiplied counts the parts of what is counted by products.
func (c *Counter) multiplied() {
	c.candidatesOf(func(cand *candidate) bool { return cand.product.matrix != plan.None })
	c.multiply()
}

// AddCounts adds the counts of a subgraph whose parts have been merged into p.
func (c *Counter) AddCounts(p *Counts) {
	for i, cand := range c.task.compiled {
		c.Totals[i].add(cand, p.selected[i], p.all[i])
	}
}
