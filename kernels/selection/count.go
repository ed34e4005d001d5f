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

	counted counts // on the current subgraph
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
	c := &Counter{
		Totals: t.NewSums(), task: t, derive: derive.NewScratch(t.derived), scratch: join.NewScratch(t.prog), counted: t.newCounts(),
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
	if err := c.scratch.Counting(c.count); err != nil {
		return err
	}
	for i, cand := range c.task.compiled {
		c.Totals[i].add(cand, c.counted.selected[i], c.counted.all[i])
	}
	return nil
}

// count counts every candidate. Call it only under Counting.
func (c *Counter) count() error {
	c.defaults()
	c.prefetch()
	for i := range c.task.compiled {
		if c.Trace != nil {
			c.Trace(i)
		}
		c.selected(i)
	}
	c.multiply()
	return nil
}

// reset starts a subgraph with its derived relations.
func (c *Counter) reset(sub *subgraph.Subgraph) {
	c.scratch.Reset(sub)
	clear(c.counted.memory)
}

// counts are the counts of a task's candidates on a subgraph.
type counts struct {
	selected [][]int64 // by candidate and position in masks
	all      [][]int64 // by candidate, likewise: for the default distribution
	memory   []int64   // all of them
}

func (t *Task) newCounts() counts {
	n := 0
	for _, c := range t.compiled {
		n += len(c.masks) + len(c.defaults)
	}
	out := counts{memory: make([]int64, n)}
	rest := out.memory
	for _, c := range t.compiled {
		k, l := len(c.masks), len(c.defaults)
		out.selected, out.all, rest = append(out.selected, rest[:k]), append(out.all, rest[k:k+l]), rest[k+l:]
	}
	return out
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
				c.counted.all[i][m] += t.sign * c.scratch.Total(t.query)
			}
		}
	}
}

// selected counts the groundings of a candidate's enforcer that its selector selects; those left to products are counted by multiply.
func (c *Counter) selected(i int) {
	cand := c.task.compiled[i]
	c.index, c.cand, c.counts = i, cand, c.counted.selected[i]
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
		c.tally(1)
		return
	}
	c.binding = append(c.binding[:0], make([]uint32, n)...)
	c.bind(0)
}
