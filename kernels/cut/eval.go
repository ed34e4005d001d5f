package cut

import (
	"cmp"

	"resolwe/format/recipe"
	"resolwe/internal/elementary"
	"resolwe/internal/exactsum"
	"resolwe/internal/grow"
	"resolwe/kernels/bitset"
)

// evaluator runs the nodes for one center at a time, reusing its memory.
type evaluator struct {
	graph   *graph
	fixed   []func() *rows // by node: the result if it does not depend on the center; else nil
	domains []int          // by relation: number of possible entities of a local unary relation, else -1
	center  uint64
	covered Coverage

	local   []rows     // by relation
	sets    [][]uint64 // by relation: its members as bits, nil if not built
	cleared [][]uint64 // by relation: zeroed bits for building it
	slots   []rows     // by node
	done    []bool     // by node
	frame   []uint64
	key     []uint64
	seen    [1 << seenBits]seen // by hash: the latest number in the only varying slot of a result
	since   uint64              // counts when seen was last forgotten
	most    int                 // rows of a distinct result before repetitions are removed
	picked  []uint32            // rows of an index
	total   exactsum.Sum
	sorter
}

func newEvaluator(g *graph, fixed []func() *rows, domains []int) *evaluator {
	return &evaluator{
		graph: g, fixed: fixed, domains: domains,
		local: make([]rows, len(domains)), sets: make([][]uint64, len(domains)), cleared: make([][]uint64, len(domains)),
		slots: make([]rows, len(g.nodes)), done: make([]bool, len(g.nodes)),
	}
}

// begin starts a new center.
func (e *evaluator) begin(center uint64) {
	e.center = center
	clear(e.done)
	for i, set := range e.sets {
		if set == nil {
			continue
		}
		for _, v := range e.local[i].data {
			set[v>>6] = 0
		}
		e.cleared[i], e.sets[i] = set, nil
	}
	for i := range e.local {
		e.local[i].reset(e.local[i].width)
	}
}

// rows returns the result of a node: a view, valid until begin.
func (e *evaluator) rows(id int) *rows {
	n := &e.graph.nodes[id]
	switch {
	case e.fixed[id] != nil:
		return e.fixed[id]()
	case n.kind == nodeRelation:
		return &e.local[n.relation]
	case !e.done[id]:
		e.evaluate(n, &e.slots[id])
		e.done[id] = true
	}
	return &e.slots[id]
}

func (e *evaluator) evaluate(n *node, dst *rows) {
	dst.reset(n.resultWidth())
	if n.kind == nodeUnit {
		dst.n = 1
		return
	}
	child, other := e.rows(n.child), (*rows)(nil)
	switch n.kind {
	case nodeArrange:
		e.arrange(n, child, dst)
		return
	case nodeJoin:
		other = e.rows(n.other)
	case nodeUnit, nodeRelation, nodeFilter, nodeLookup:
	}
	frame, plain := e.load(n), e.plainOf(n)
	for i := range child.n {
		if i > 0 && n.varying > 0 && child.row(i)[0] != frame[slotChild] {
			e.since++
		}
		copy(frame[slotChild:], child.row(i))
		switch n.kind {
		case nodeFilter:
			e.emit(n, frame, dst)
		case nodeLookup:
			e.lookup(n, plain, frame, dst)
		case nodeJoin:
			e.join(n, other, frame, dst)
		case nodeUnit, nodeRelation, nodeArrange:
		}
	}
}

const (
	fewRepeats = 1 << 12 // possibly repeated rows above which they are sorted
	seenBits   = 12
)

// seen is a number that a result has at a time, until evaluator.since moves on.
type seen struct{ number, since uint64 }

// load returns a frame for a node, with the center and the constants set.
func (e *evaluator) load(n *node) []uint64 {
	size := n.frameSize()
	e.frame = grow.To(e.frame, size)
	e.frame[slotCenter] = e.center
	copy(e.frame[n.slotConstant():], n.constants)
	e.most = fewRepeats
	e.since++
	return e.frame
}

// arrange permutes the columns of the child and sorts its rows.
func (e *evaluator) arrange(n *node, child, dst *rows) {
	for i := range child.n {
		row := child.row(i)
		for _, s := range n.out {
			dst.data = append(dst.data, row[s-slotChild])
		}
	}
	dst.n = child.n
	e.normalize(dst)
}

// keyOf returns the values in the slots, in scratch memory.
func (e *evaluator) keyOf(slots []int, frame []uint64) []uint64 {
	e.key = e.key[:0]
	for _, s := range slots {
		e.key = append(e.key, frame[s])
	}
	return e.key
}

// emit appends the frame to the result if it passes the checks.
func (e *evaluator) emit(n *node, frame []uint64, dst *rows) {
	for i := range n.computed {
		if !n.computed[i].put(frame) {
			return
		}
	}
	for i := range n.checks {
		if !e.passes(&n.checks[i], frame) {
			return
		}
	}
	if n.varying > 0 {
		now := seen{frame[n.varying], e.since}
		at := &e.seen[now.number*elementary.Golden>>(64-seenBits)]
		if *at == now {
			return
		}
		*at = now
	}
	for _, s := range n.out {
		dst.data = append(dst.data, frame[s])
	}
	dst.n++
	if n.distinct && dst.n >= e.most {
		e.normalize(dst)
		e.most = max(fewRepeats, 2*dst.n)
	}
}

// join appends the other node's rows that begin with the key of a frame.
func (e *evaluator) join(n *node, other *rows, frame []uint64, dst *rows) {
	fresh, skip := n.slotFresh(), len(n.key)
	lo, hi := other.find(e.keyOf(n.key, frame))
	for row := lo; row < hi; row++ {
		copy(frame[fresh:fresh+n.fresh], other.row(row)[skip:])
		e.emit(n, frame, dst)
	}
}

func (e *evaluator) passes(c *check, frame []uint64) bool {
	switch c.kind {
	case checkCompare:
		if c.shift != (recipe.Shift{}) {
			return c.op.HoldsFor(compareShifted(frame[c.a], frame[c.b], c.shift, c.float))
		}
		return c.op.HoldsFor(cmp.Compare(frame[c.a], frame[c.b]))
	case checkIndex:
		lo, hi := c.index.find(e.keyOf(c.key, frame))
		return lo < hi != c.negated
	case checkRelation:
		return e.contains(c, frame) != c.negated
	}
	panic("cut: a check without kind")
}

// contains reports whether a local relation holds the tuple of a check.
func (e *evaluator) contains(c *check, frame []uint64) bool {
	domain := e.domains[c.relation]
	if domain < 0 {
		lo, hi := e.local[c.relation].find(e.keyOf(c.key, frame))
		return lo < hi
	}
	v := frame[c.key[0]]
	return v < uint64(domain) && bitset.Has(e.setOf(c.relation), uint32(v))
}

// setOf returns the members of a local unary relation of entities as bits.
func (e *evaluator) setOf(relation int) []uint64 {
	if e.sets[relation] != nil {
		return e.sets[relation]
	}
	set := e.cleared[relation]
	if set == nil {
		set = make([]uint64, bitset.Words(e.domains[relation]))
	}
	for _, v := range e.local[relation].data {
		bitset.Set(set, uint32(v))
	}
	e.sets[relation] = set
	return set
}
