package selection

import (
	"resolwe/format/subgraph"
	"resolwe/kernels/join"
)

// Defaults returns a candidate's counts of the default distribution on a subgraph, in the order of Masks.
func (c *Counter) Defaults(sub *subgraph.Subgraph, cand int) ([]int64, error) {
	sub, err := c.derive.Extend(sub)
	if err != nil {
		return nil, err
	}
	c.reset(sub, join.Partition{})
	if err := c.scratch.Counting(func() error { c.defaults(); return nil }); err != nil {
		return nil, err
	}
	return c.counted.all[c.task.compiled[cand].enforcer], nil
}

// Dense reports whether a candidate is counted by rows of bits.
func (t *Task) Dense(cand int) bool { return t.compiled[cand].dense }
