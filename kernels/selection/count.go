package selection

import (
	"resolwe/format/subgraph"
	"resolwe/kernels/derive"
	"resolwe/kernels/join"
)

// Counter counts a task's candidates on subgraphs and sums the counts. Each goroutine needs its own; their totals can be added.
type Counter struct {
	// Totals is by candidate.
	Totals Sums
	// Trace, unless nil, is called with the index of a candidate before it is counted. Candidates that share a matrix are counted with the
	// first.
	Trace func(i int)

	task    *Task
	derive  *derive.Scratch
	scratch *join.Scratch

	selected [][]int64 // on the current subgraph, by candidate and position in masks
	all      [][]int64 // likewise: for the default distribution
	products

	counting

	words uint64 // number of words intersected or counted
}

// counting is the candidate being counted.
type counting struct {
	index   int
	counts  []int64
	cand    *candidate
	binding []uint32
	holds   []bool // by target: whether its atom is true, once complete
	meet    []uint64
}

// NewCounter returns a counter with empty totals.
func NewCounter(t *Task) *Counter {
	c := &Counter{Totals: t.NewSums(), task: t, derive: derive.NewScratch(t.derived), scratch: join.NewScratch(t.prog)}
	for _, cand := range t.compiled {
		c.selected = append(c.selected, make([]int64, len(cand.masks)))
		c.all = append(c.all, make([]int64, len(cand.defaults)))
	}
	c.pairs = make([][]join.Pair, len(t.matrices))
	return c
}

// Stop makes counting call ask now and then; an error ends it.
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
	c.reset(sub)
	if err := c.scratch.Counting(c.countAll); err != nil {
		return err
	}
	for i, cand := range c.task.compiled {
		c.Totals[i].add(cand, c.selected[i], c.all[i])
	}
	return nil
}

// countAll counts every candidate. Call it only under Counting.
func (c *Counter) countAll() error {
	c.defaults()
	c.prefetch()
	for i := range c.task.compiled {
		if c.Trace != nil {
			c.Trace(i)
		}
		c.count(i)
	}
	c.multiply()
	return nil
}

// reset starts a subgraph with its derived relations.
func (c *Counter) reset(sub *subgraph.Subgraph) {
	c.scratch.Reset(sub)
	for i := range c.selected {
		clear(c.selected[i])
		clear(c.all[i])
	}
}

// Work returns the cost of counting so far.
func (c *Counter) Work() join.Work {
	w := c.scratch.Work()
	w.Words += c.words
	return w
}

// defaults counts the default distributions. Call it only under Counting.
func (c *Counter) defaults() {
	for i, cand := range c.task.compiled {
		for m, terms := range cand.defaults {
			for _, t := range terms {
				c.all[i][m] += t.sign * c.scratch.Total(t.query)
			}
		}
	}
}

// count counts the groundings of a candidate's enforcer that its selector selects; those left to products are counted by multiply.
func (c *Counter) count(i int) {
	cand := c.task.compiled[i]
	c.index, c.cand, c.counts = i, cand, c.selected[i]
	if !cand.dense {
		c.enumerate()
		return
	}
	if !c.scratch.Possible(cand.query) {
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
		c.tally()
		return
	}
	c.binding = append(c.binding[:0], make([]uint32, n)...)
	c.bind(0)
}
