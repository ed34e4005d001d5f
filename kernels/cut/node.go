package cut

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"resolwe/format/lex"
	"resolwe/format/recipe"
	"resolwe/internal/isotime"
)

// nodeKind is the operation of a node on its child's rows.
type nodeKind uint8

const (
	nodeUnit     nodeKind = iota + 1 // one row without columns
	nodeRelation                     // the rows of a local relation
	nodeArrange                      // the child's columns in the order of out, sorted
	nodeFilter                       // the child's rows that pass the checks
	nodeLookup                       // each of the child's rows joined with each row of the index that begins with key
	nodeJoin                         // each of the child's rows joined with each arranged row of the other node that begins with key
)

// node computes rows from the rows of other nodes. It uses a frame for each row: the center, the child's columns, the columns added by a
// look-up or join, then constants. Columns are identified by their slots in the frame.
type node struct {
	kind      nodeKind
	relation  int
	child     int // a node
	other     int // a nodeArrange
	index     *index
	width     int   // of the child
	key       []int // slots
	windows   []window
	fresh     int // number of added columns
	constants []uint64
	computed  []computed // stored in slots of constants before the checks
	checks    []check
	out       []int // slots of the columns of the result
	distinct  bool  // the result may repeat rows, which are removed if that is cheap
	varying   int   // for distinct results: the only slot of out that differs among rows with one first column, or 0
	fixed     bool  // the result does not depend on the center
}

// checkKind is the kind of condition of a check.
type checkKind uint8

const (
	checkCompare  checkKind = iota + 1 // comparison of two slots
	checkRelation                      // a local relation has a tuple of slots
	checkIndex                         // an index has a row that begins with some slots
)

// check is a condition on a frame.
type check struct {
	kind     checkKind
	op       lex.Comparison
	a, b     int
	shift    recipe.Shift // of b
	float    bool         // a and b hold floats
	relation int
	index    *index
	key      []int
	negated  bool
}

// computed is a slot that holds the quotient of two others, or the whole days from b to a. A frame fails if a quotient is not finite.
type computed struct {
	slot, a, b     int
	floatA, floatB bool  // of a quotient
	unit           int64 // for days: slot units in a day; 0 for a quotient
}

// compute returns the slot for a computed value.
func (n *node) compute(c computed) int {
	c.slot = n.frameSize()
	n.constants = append(slices.Clip(n.constants), 0)
	n.computed = append(slices.Clip(n.computed), c)
	return c.slot
}

// put writes the computed value into the frame, and reports whether it is finite. Days between times whose difference exceeds 64 bits are
// limited to the largest representable.
func (c *computed) put(frame []uint64) bool {
	if c.unit == 0 {
		x := c.quotient(frame[c.a], frame[c.b])
		frame[c.slot] = encodeFloat(x)
		return !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	to, from := decodeInt(frame[c.a]), decodeInt(frame[c.b])
	d := to - from
	switch {
	case to >= from && d < 0:
		d = math.MaxInt64
	case to < from && d >= 0:
		d = math.MinInt64
	}
	frame[c.slot] = encodeInt(isotime.FloorDiv(d, c.unit))
	return true
}

// quotient divides two slots. Whole numbers are not rounded before that.
func (c *computed) quotient(a, b uint64) float64 {
	if !c.floatA && !c.floatB && decodeInt(b) != 0 && (isLarge(decodeInt(a)) || isLarge(decodeInt(b))) {
		x, _ := new(big.Rat).SetFrac(big.NewInt(decodeInt(a)), big.NewInt(decodeInt(b))).Float64()
		return x
	}
	return number(a, c.floatA) / number(b, c.floatB)
}

// isLarge reports whether a whole number may lack a float of the same value.
func isLarge(n int64) bool { return n > 1<<53 || n < -1<<53 }

// number returns the number in a slot.
func number(v uint64, float bool) float64 {
	if float {
		return decodeFloat(v)
	}
	return float64(decodeInt(v))
}

// Slots of a frame.
const (
	slotCenter = 0
	slotChild  = 1 // the first of the child's columns
)

func (n *node) slotFresh() int    { return slotChild + n.width }
func (n *node) slotConstant() int { return n.slotFresh() + n.fresh }
func (n *node) frameSize() int    { return n.slotConstant() + len(n.constants) }

// constant returns the slot of a constant.
func (n *node) constant(v uint64) int {
	for i, c := range n.constants {
		slot := n.slotConstant() + i
		if c == v && !slices.ContainsFunc(n.computed, func(c computed) bool { return c.slot == slot }) {
			return slot
		}
	}
	n.constants = append(slices.Clip(n.constants), v)
	return n.frameSize() - 1
}

// id returns a text that is equal for nodes with the same result.
func (n *node) id() string {
	var b strings.Builder
	fmt.Fprint(&b, n.kind, n.relation, n.child, n.other, n.index.number(), n.key, n.windows, n.constants, n.computed, n.out, n.distinct)
	for _, c := range n.checks {
		fmt.Fprint(&b, c.kind, c.op, c.a, c.b, c.shift, c.float, c.relation, c.index.number(), c.key, c.negated)
	}
	return b.String()
}

// usesCenter reports whether the node uses the center.
func (n *node) usesCenter() bool {
	is := func(slots []int) bool { return slices.Contains(slots, slotCenter) }
	return is(n.key) || is(n.out) || slices.ContainsFunc(n.checks, func(c check) bool {
		return c.kind == checkRelation || c.kind == checkCompare && (c.a == slotCenter || c.b == slotCenter) || is(c.key)
	})
}

// varyingSlot returns the only slot of the result that varies among the child's rows with one entry in their first column; 0 if there is
// none or several.
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

// graph holds the nodes of all rules, each after those it reads.
type graph struct {
	nodes []node
	ids   map[string]int
}

// intern returns the number of a node, adding it if it is new.
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
	if n.kind == nodeRelation {
		return n.width
	}
	return len(n.out)
}
