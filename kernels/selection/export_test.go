package selection

import "resolwe/format/subgraph"

// Defaults returns a candidate's counts of the default distribution on a subgraph, in the order of Masks.
func (c *Counter) Defaults(sub *subgraph.Subgraph, cand int) ([]int64, error) {
	sub, err := c.derive.Extend(sub)
	if err != nil {
		return nil, err
	}
	c.reset(sub)
	if err := c.scratch.Counting(func() error { c.defaults(); return nil }); err != nil {
		return nil, err
	}
	return c.all[cand], nil
}

// Dense reports whether a candidate is counted by rows of bits.
func (t *Task) Dense(cand int) bool { return t.compiled[cand].dense }

// Count returns one candidate's counts on a subgraph, for each set of its target literals that the criterion needs, in
// the order of Masks: the groundings of the enforcer that the selector selects in which the literals of the set are
// true. Borrowed until the next call. The error is that of Add.
func (c *Counter) Count(sub *subgraph.Subgraph, cand int) ([]int64, error) {
	sub, err := c.derive.Extend(sub)
	if err != nil {
		return nil, err
	}
	c.reset(sub)
	c.count(cand)
	c.multiply()
	return c.selected[cand], nil
}

// Masks returns the sets of target literals that are counted for a candidate.
func (t *Task) Masks(cand int) []uint32 { return t.compiled[cand].masks }
