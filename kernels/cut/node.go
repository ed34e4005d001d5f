package cut

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"resolwe/format/recipe"
	"resolwe/format/table"
	"resolwe/internal/isotime"
)

// nodeKind is what a node does with the rows of its child.
type nodeKind uint8

const (
	nodeUnit     nodeKind = iota + 1 // one row without columns
	nodeRelation                     // the rows of a local relation
	nodeArrange                      // the child's columns in the order of key, sorted
	nodeFilter                       // the child's rows that pass the checks
	nodeLookup                       // each of the child's rows with each row of the index that begins with key
	nodeJoin                         // each of the child's rows with each of the other's, arranged, that begins with key
)

// node makes rows out of the rows of other nodes. It works on a frame for each row: the center, then the child's
// columns, then those that a look-up or join adds, then constants. Columns are named by their slot in the frame.
type node struct {
	kind      nodeKind
	relation  int
	child     int // a node
	other     int // a nodeArrange
	index     *index
	width     int   // of the child
	key       []int // slots; of nodeArrange columns
	windows   []window
	fresh     int // columns that are added
	constants []uint64
	quotients []quotient // that are computed into slots of constants, before the checks are made,
	spans     []span     // and before the result is
	checks    []check
	out       []int // slots of the columns of the result
	distinct  bool  // the result may repeat rows, which are dropped where that is cheap
	varying   int   // of distinct results: the only slot of out that is not the same for rows of one first column, or 0
	fixed     bool  // the result is the same for all centers
}

// checkKind is what a check tests.
type checkKind uint8

const (
	checkCompare  checkKind = iota + 1 // two slots compare
	checkRelation                      // a tuple of slots is in a local relation
	checkIndex                         // an index has a row that begins with slots
)

// check is a condition on a frame.
type check struct {
	kind     checkKind
	op       recipe.Op
	a, b     int
	shift    recipe.Shift // of b
	float    bool         // a and b hold floats
	relation int
	index    *index
	key      []int
	negated  bool
}

// span is the whole days between two slots.
type span struct {
	slot, from, to int
	unit           int64 // of the slots, in a day
}

// quotient is that of two slots. It comes before the checks: a frame where it is not a finite number fails.
type quotient struct {
	slot, a, b     int
	floatA, floatB bool
}

// quotient returns the slot of the quotient of two operands.
func (n *node) quotient(a, b int, typeA, typeB recipe.Type) int {
	q := quotient{n.frameSize(), a, b, isFloat(typeA), isFloat(typeB)}
	n.constants = append(slices.Clip(n.constants), 0)
	n.quotients = append(slices.Clip(n.quotients), q)
	return q.slot
}

// compute writes the quotient into the frame. It reports whether it is a finite number.
func (q *quotient) compute(frame []uint64) bool {
	x := number(frame[q.a], q.floatA) / number(frame[q.b], q.floatB)
	frame[q.slot] = encodeFloat(x)
	return !math.IsNaN(x) && !math.IsInf(x, 0)
}

// number returns the number that a slot holds.
func number(v uint64, float bool) float64 {
	if float {
		return decodeFloat(v)
	}
	return float64(decodeInt(v))
}

// days returns the slot of the whole days from one slot to another, both of the type.
func (n *node) days(to, from int, t recipe.Type) int {
	s := span{slot: n.frameSize(), from: from, to: to, unit: 1}
	if t.Kind == table.KindTime {
		s.unit = isotime.SecondsOfDay
	}
	n.constants = append(slices.Clip(n.constants), 0)
	n.spans, n.distinct = append(slices.Clip(n.spans), s), false
	return s.slot
}

// compute writes the days into the frame; those of times that are further apart than 64 bits tell are the most that these can.
func (s *span) compute(frame []uint64) {
	to, from := decodeInt(frame[s.to]), decodeInt(frame[s.from])
	d := to - from
	if (to >= from) != (d >= 0) {
		d = math.MaxInt64
		if to < from {
			d = math.MinInt64
		}
	}
	frame[s.slot] = encodeInt(isotime.FloorDiv(d, s.unit))
}

// Slots of a frame.
const (
	slotCenter = 0
	slotChild  = 1 // the first of the child's columns
)

func (n *node) slotFresh() int    { return slotChild + n.width }
func (n *node) slotConstant() int { return n.slotFresh() + n.fresh }
func (n *node) frameSize() int    { return n.slotConstant() + len(n.constants) }

// constant returns the slot of a value.
func (n *node) constant(v uint64) int {
	for i, c := range n.constants {
		slot := n.slotConstant() + i
		if c == v && !slices.ContainsFunc(n.spans, func(s span) bool { return s.slot == slot }) &&
			!slices.ContainsFunc(n.quotients, func(q quotient) bool { return q.slot == slot }) {
			return slot
		}
	}
	n.constants = append(slices.Clip(n.constants), v)
	return n.frameSize() - 1
}

// id returns a text that nodes share which have the same result.
func (n *node) id() string {
	var b strings.Builder
	fmt.Fprint(&b, n.kind, n.relation, n.child, n.other, n.index.number(), n.key, n.windows, n.constants, n.quotients, n.spans, n.out, n.distinct)
	for _, c := range n.checks {
		fmt.Fprint(&b, c.kind, c.op, c.a, c.b, c.shift, c.float, c.relation, c.index.number(), c.key, c.negated)
	}
	return b.String()
}

// usesCenter reports whether the center takes part.
func (n *node) usesCenter() bool {
	is := func(slots []int) bool { return slices.Contains(slots, slotCenter) }
	if n.kind != nodeArrange && is(n.key) || is(n.out) {
		return true
	}
	for _, c := range n.checks {
		if c.kind == checkRelation || c.kind == checkCompare && (c.a == slotCenter || c.b == slotCenter) || is(c.key) {
			return true
		}
	}
	return false
}

// varyingSlot returns the slot of the result that alone is not the same for all of the child's rows with one entry in
// their first column; 0 where there is none or several.
func (n *node) varyingSlot() int {
	found := 0
	for _, s := range n.out {
		switch {
		case s == slotCenter || s >= n.slotConstant() || s == slotChild && n.width > 0 || s == found:
		case found > 0:
			return 0
		default:
			found = s
		}
	}
	return found
}

// graph is the nodes of all rules: each stands behind those that it reads.
type graph struct {
	nodes []node
	ids   map[string]int
}

// intern returns the number of a node, which it adds where it is new.
func (g *graph) intern(n node) int {
	n.varying = 0
	if n.distinct {
		n.varying = n.varyingSlot()
	}
	key := n.id()
	if i, ok := g.ids[key]; ok {
		return i
	}
	switch n.kind {
	case nodeUnit:
		n.fixed = true
	case nodeRelation:
	case nodeJoin:
		n.fixed = g.nodes[n.child].fixed && g.nodes[n.other].fixed && !n.usesCenter()
	case nodeArrange, nodeFilter, nodeLookup:
		n.fixed = g.nodes[n.child].fixed && !n.usesCenter()
	}
	g.nodes = append(g.nodes, n)
	g.ids[key] = len(g.nodes) - 1
	return len(g.nodes) - 1
}

// resultWidth returns the number of columns of a node's result.
func (n *node) resultWidth() int {
	switch n.kind {
	case nodeUnit:
		return 0
	case nodeRelation:
		return n.width
	case nodeArrange:
		return len(n.key)
	case nodeFilter, nodeLookup, nodeJoin:
	}
	return len(n.out)
}
