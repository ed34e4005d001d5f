package selection

import (
	"math/bits"

	"resolwe/format/subgraph"
	"resolwe/kernels/bitset"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// Counter counts a task's candidates on subgraphs and sums the counts. It belongs to one goroutine; the totals of
// several are merged.
type Counter struct {
	// Totals is by candidate.
	Totals []Totals
	// Trace, unless nil, is called with the index of a candidate before it is counted, for several that share a matrix
	// with that of the first.
	Trace func(i int)

	task    *Task
	scratch *join.Scratch

	part  *Part      // counts on the current subgraph
	share join.Share // of it that is counted
	slice join.Slice // of what is not counted by products
	products

	// The candidate being counted.
	index   int
	counts  []int64
	cand    *candidate
	binding []uint32
	holds   []bool     // by target: its atom is true, where it is complete
	level   [][]uint64 // memory of the candidates at each level
	meet    []uint64
	words   uint64 // that were intersected or counted
}

// NewCounter returns a counter with empty totals.
func NewCounter(t *Task) *Counter {
	c := &Counter{task: t, scratch: join.NewScratch(t.prog), part: t.NewPart()}
	for _, cand := range t.compiled {
		c.Totals = append(c.Totals, newTotals(len(cand.targets), t.Criterion))
	}
	c.pairs = make([][]join.Pair, len(t.matrices))
	return c
}

// Add counts every candidate on a subgraph whose relations are in the order of the model's schema. The error is
// join.ErrOverflow.
func (c *Counter) Add(sub *subgraph.Subgraph) error {
	if err := c.count(sub, join.Share{}); err != nil {
		return err
	}
	c.AddCounted(c.part)
	return nil
}

// candidatesOf counts the candidates for which a condition holds.
func (c *Counter) candidatesOf(holds func(*candidate) bool) {
	c.want(holds)
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

func (c *Counter) reset(sub *subgraph.Subgraph, share join.Share) {
	c.scratch.Reset(sub)
	c.share, c.slice = share, join.Slice{}
	c.part.Clear()
}

// Count returns one candidate's counts on a subgraph, for each set of its target literals that the criterion needs, in
// the order of Masks: the groundings of the enforcer that the selector selects in which the literals of the set are
// true. Borrowed until the next call.
func (c *Counter) Count(sub *subgraph.Subgraph, cand int) []int64 {
	c.reset(sub, join.Share{})
	c.selected(cand)
	c.multiply()
	return c.part.selected[cand]
}

// Work returns what counting has cost so far.
func (c *Counter) Work() join.Work {
	w := c.scratch.Work()
	w.Words += c.words
	return w
}

// Masks returns the sets of target literals that are counted for a candidate.
func (t *Task) Masks(cand int) []uint32 { return t.compiled[cand].masks }

// defaults counts the default distributions.
func (c *Counter) defaults() error {
	for i, e := range c.task.defaults {
		for m, terms := range e.terms {
			for _, t := range terms {
				c.part.all[i][m] += t.sign * c.total(t.query)
			}
		}
	}
	return nil
}

// total counts the solutions of a query without outputs.
func (c *Counter) total(q *plan.Query) int64 {
	if !q.Reduced {
		n := int64(0)
		c.scratch.Enumerate(q, true, func(_ []uint32, k int64) bool {
			n = k
			return true
		})
		return n
	}
	if !c.scratch.Guards(q.Conj) {
		return 0
	}
	n := int64(1)
	for _, id := range q.Scalars {
		n = join.Mul(n, c.scratch.Count(id))
	}
	return n
}

// selected counts the groundings of a candidate's enforcer that its selector selects; what is left to products is there
// after multiply.
func (c *Counter) selected(i int) {
	cand := c.task.compiled[i]
	c.index, c.cand, c.counts = i, cand, c.part.selected[i]
	if !cand.dense || len(cand.query.Outputs) == 0 { // not divided
		if !c.slice.Has(i) {
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

// bind counts over the values of output d and those after it: the last one as a set, the others one by one.
func (c *Counter) bind(d int) {
	if d == len(c.binding)-2 && c.cand.product.matrix != plan.None {
		c.collect(d)
		return
	}
	set := c.candidates(d)
	if d == len(c.binding)-1 {
		c.last(d, set)
		return
	}
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			v := uint32(i<<6 + bits.TrailingZeros64(w))
			c.binding[d] = v
			for k := range c.cand.targets {
				if t := &c.cand.targets[k]; t.level == d {
					c.holds[k] = bitset.Has(c.atoms(t.truth, t), v)
				}
			}
			if !c.coincide(d) {
				c.bind(d + 1)
			}
		}
	}
}

// typeOf returns the type of output d.
func (c *Counter) typeOf(d int) int {
	q := c.cand.query
	return q.Conj.Types[q.Outputs[d]]
}

// candidates returns the values of output d for which the selector can hold and the target atoms that d completes are
// known, given the outputs before it.
func (c *Counter) candidates(d int) []uint64 {
	s, q := c.scratch, c.cand.query
	size := s.Size(c.typeOf(d))
	words := bitset.Words(size)
	for len(c.level) <= d {
		c.level = append(c.level, nil)
	}
	if cap(c.level[d]) < words {
		c.level[d] = make([]uint64, words)
	}
	set := c.level[d][:words]
	bitset.Fill(set, size)
	c.words += uint64(words * (1 + len(q.Vectors) + len(q.Mats) + len(c.cand.targets)))
	for _, f := range q.Vectors {
		if f.Var == d {
			bitset.AndInto(set, s.Set(f.Node))
		}
	}
	for i := range c.cand.targets {
		switch t := &c.cand.targets[i]; d {
		case t.level:
			bitset.AndInto(set, c.atoms(t.known, t))
		case t.other:
			bitset.AndInto(set, s.Set(t.some))
		}
	}
	for _, f := range q.Mats {
		if f.Col == d && !c.cand.multiplies(f) {
			bitset.AndInto(set, s.Row(f.Node, c.binding[f.Row]))
		}
	}
	if d == max(len(q.Outputs)-2, 0) && c.cand.product.matrix == plan.None {
		c.restrict(set)
	}
	return set
}

// restrict removes from a set what belongs to other slices of the subgraph.
func (c *Counter) restrict(set []uint64) {
	if c.slice.Of <= 1 {
		return
	}
	for i := range set {
		set[i] &= c.slice.Mask(i)
	}
}

// want announces the rows that the candidates for which a condition holds will ask for of the matrices between their first
// output and another.
func (c *Counter) want(holds func(*candidate) bool) {
	for _, cand := range c.task.compiled {
		c.cand = cand
		if !holds(cand) || !cand.dense || !c.possible() {
			continue
		}
		var rows []uint64
		for _, f := range cand.query.Mats {
			if f.Row > 0 || cand.multiplies(f) {
				continue
			}
			if rows == nil {
				rows = c.candidates(0)
			}
			c.scratch.Want(f.Node, rows)
		}
	}
	c.scratch.Build()
}

// atoms returns the values of a target's last output for which its atom is in a node's relation.
func (c *Counter) atoms(id plan.NodeID, t *target) []uint64 {
	if t.other < 0 {
		return c.scratch.Set(id)
	}
	return c.scratch.Row(id, c.binding[t.other])
}

// last counts over a set of values of the last output.
func (c *Counter) last(d int, set []uint64) {
	for _, p := range c.cand.pairs {
		a, b := &c.cand.targets[p[0]], &c.cand.targets[p[1]]
		if max(a.level, b.level) != d {
			continue
		}
		switch v, equal, all := c.coincidence(a, b, d); {
		case all:
			return
		case equal && int(v>>6) < len(set):
			bitset.Clear(set, v)
		}
	}
	if !bitset.Any(set) {
		return
	}
	for m, mask := range c.cand.masks {
		c.counts[m] += c.countTrue(d, set, mask)
	}
}

// countTrue counts the members of set for which the target literals of mask are true.
func (c *Counter) countTrue(d int, set []uint64, mask uint32) int64 {
	meet := set
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros32(mask)
		t := &c.cand.targets[i]
		if t.level != d {
			if !c.holds[i] {
				return 0
			}
			continue
		}
		if &meet[0] == &set[0] {
			c.meet = append(c.meet[:0], set...)
			meet = c.meet
		}
		bitset.AndInto(meet, c.atoms(t.truth, t))
		c.words += uint64(len(set))
	}
	c.words += uint64(len(set))
	return int64(bitset.Count(meet))
}

// tally adds n to the counts of the sets whose literals all hold.
func (c *Counter) tally(n int64) {
	for m, mask := range c.cand.masks {
		all := true
		for ; mask != 0; mask &= mask - 1 {
			all = all && c.holds[bits.TrailingZeros32(mask)]
		}
		if all {
			c.counts[m] += n
		}
	}
}

// coincide reports whether two target literals that output d completes are one atom.
func (c *Counter) coincide(d int) bool {
	for _, p := range c.cand.pairs {
		a, b := &c.cand.targets[p[0]], &c.cand.targets[p[1]]
		if max(a.level, b.level) != d {
			continue
		}
		if _, _, all := c.coincidence(a, b, d+1); all {
			return true
		}
	}
	return false
}

// coincidence compares the atoms of two literals of one predicate while outputs from d on are unbound: they are equal
// for every value of d (all), for the value v, or for none.
func (c *Counter) coincidence(a, b *target, d int) (v uint32, equal, all bool) {
	need := int64(-1)
	for k := range a.args {
		x, y := c.value(a.args[k], d), c.value(b.args[k], d)
		if x == unbound {
			x, y = y, x
		}
		switch {
		case x == y:
		case y != unbound || (need >= 0 && need != x):
			return 0, false, false
		default:
			need = x
		}
	}
	if need < 0 {
		return 0, true, true
	}
	return uint32(need), true, false
}

const unbound = -2

func (c *Counter) value(a plan.Arg, d int) int64 {
	switch {
	case !a.IsVar():
		return int64(c.scratch.Const(a))
	case int(a) >= d:
		return unbound
	}
	return int64(c.binding[a])
}

// enumerate counts by listing the selected groundings.
func (c *Counter) enumerate() {
	tuples := make([][]uint32, len(c.cand.targets))
	for i := range c.cand.targets {
		tuples[i] = make([]uint32, len(c.cand.targets[i].args))
	}
	c.holds = append(c.holds[:0], make([]bool, len(c.cand.targets))...)
	c.scratch.Enumerate(c.cand.query, false, func(binding []uint32, _ int64) bool {
		c.binding = append(c.binding[:0], binding...)
		for i := range c.cand.targets {
			t := &c.cand.targets[i]
			for k, a := range t.args {
				tuples[i][k] = uint32(c.value(a, len(binding)))
			}
			c.holds[i] = join.Contains(&c.scratch.Sub.Relations[t.pred].True, tuples[i])
		}
		for _, p := range c.cand.pairs {
			if _, _, all := c.coincidence(&c.cand.targets[p[0]], &c.cand.targets[p[1]], len(binding)); all {
				return true
			}
		}
		c.tally(1)
		return true
	})
}
