package selection

import (
	"resolwe/format/subgraph"
	"resolwe/kernels/derive"
	"resolwe/kernels/join"
)

// Counter counts a task's candidates on subgraphs and sums the counts. It belongs to one goroutine; the totals of
// several add up.
type Counter struct {
	// Totals is by candidate.
	Totals Sums
	// Trace, unless nil, is called with the index of a candidate before it is counted, for several that share a matrix
	// with that of the first.
	Trace func(i int)

	task    *Task
	derive  *derive.Scratch
	scratch *join.Scratch

	counted   *Counts        // on the current subgraph
	partition join.Partition // of it
	stride    join.Stride    // of what is not counted by products
	products

	counting

	words uint64 // that were intersected or counted
}

// counting is the candidate being counted.
type counting struct {
	index   int
	counts  []int64
	cand    *candidate
	binding []uint32
	holds   []bool     // by target: its atom is true, where it is complete
	level   [][]uint64 // memory of the candidates at each level
	meet    []uint64
}

// NewCounter returns a counter with empty totals.
func NewCounter(t *Task) *Counter {
	c := &Counter{
		Totals: t.NewSums(), task: t, derive: t.NewDeriver(), scratch: join.NewScratch(t.prog), counted: t.NewCounts(),
	}
	c.pairs = make([][]join.Pair, len(t.matrices))
	return c
}

// Stop has counting ask now and then; an error ends it.
func (c *Counter) Stop(ask func() error) {
	c.scratch.Stop = ask
	c.derive.Stop(ask)
}

// Add counts every candidate on a subgraph whose relations are in the order of the model's schema. The error is
// that of [derive.Scratch.Extend], of Stop, or join.ErrOverflow.
func (c *Counter) Add(sub *subgraph.Subgraph) error {
	sub, err := c.derive.Extend(sub)
	if err != nil {
		return err
	}
	if err := c.count(sub, join.Partition{}); err != nil {
		return err
	}
	c.AddCounts(c.counted)
	return nil
}

// candidatesOf counts the candidates for which a condition holds.
func (c *Counter) candidatesOf(holds func(*candidate) bool) {
	c.prefetch(holds)
	for i, cand := range c.task.compiled {
		if !holds(cand) {
			continue
		}
		if c.Trace != nil {
			c.Trace(i)
		}
		c.selected(i)
	}
}

// reset begins a subgraph with its derived relations, or a part of it.
func (c *Counter) reset(sub *subgraph.Subgraph, part join.Partition) {
	c.scratch.Reset(sub)
	c.partition, c.stride = part, join.Stride{}
	c.counted.Clear()
}

// Work returns what counting has cost so far.
func (c *Counter) Work() join.Work {
	w := c.scratch.Work()
	w.Words += c.words
	return w
}

// defaults counts the default distributions. It must run under Counting.
func (c *Counter) defaults() {
	for i, cand := range c.task.compiled {
		for m, terms := range cand.defaults {
			for _, t := range terms {
				c.counted.all[i][m] += t.sign * c.scratch.Total(t.query)
			}
		}
	}
}

// selected counts the groundings of a candidate's enforcer that its selector selects; what is left to products is there
// after multiply.
func (c *Counter) selected(i int) {
	cand := c.task.compiled[i]
	c.index, c.cand, c.counts = i, cand, c.counted.selected[i]
	if !cand.dense || len(cand.query.Outputs) == 0 { // not divided
		if !c.stride.Has(i) {
			return
		}
	}
	if !cand.dense {
		c.enumerate()
		return
	}
	if !c.possible() {
		return
	}
	c.holds = append(c.holds[:0], make([]bool, len(cand.targets))...)
	for i := range cand.targets {
		t := &cand.targets[i]
		if t.level >= 0 {
			continue
		}
		if !c.scratch.Holds(t.known) {
			return
		}
		c.holds[i] = c.scratch.Holds(t.truth)
	}
	if c.coincide(-1) {
		return
	}
	n := len(cand.query.Outputs)
	if n == 0 {
		c.tally(1)
		return
	}
	c.binding = append(c.binding[:0], make([]uint32, n)...)
	c.bind(0)
}

// possible reports whether the parts of the selector that mention no output hold.
func (c *Counter) possible() bool {
	if !c.scratch.Guards(c.cand.query.Conj) {
		return false
	}
	for _, id := range c.cand.query.Scalars {
		if !c.scratch.Holds(id) {
			return false
		}
	}
	return true
}
