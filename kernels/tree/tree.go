// Package tree solves a component of a log-linear model exactly on a junction tree (Lauritzen and Spiegelhalter, 1988): the
// logarithm of its partition function, the marginals of its atoms, expectation and covariance of its formulas' counts, and its
// most probable state (Dawid, 1992).
//
// The variables are the atoms, but those that clauses fix or make equal, and groups of which at most one atom can be true,
// which are one variable of as many values (see variables). They are eliminated one by one, by the least number of edges that
// this adds, or along a sweep through the graph where that is cheaper or the only way; the table of a node is over its variable and its separator, those of the variables that it was then connected
// with. Time and memory grow with the entries of all tables, which are known before any is computed: see [Tree.Bind].
//
// Results depend on the network and the weights alone.
package tree

import (
	"fmt"
	"math"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// Tree is a junction tree of one component. The zero value is ready for [Tree.Bind]; its memory is reused by the next one.
// It may not be used by two goroutines at once.
type Tree struct {
	m       *loglinear.Model
	vars    variables
	factors factors
	order   order

	entries    []int // by node: of its separator
	at         []int // by node: entries of the separators before
	slopeAt    []int // by node: the same, each times the variable's values but the first
	childStart []uint32
	child      []uint32 // child[childStart[n]:childStart[n+1]] are those of node n, ascending
	ownStart   []uint32
	own        []uint32 // likewise: its factors
	constants  []uint32 // factors without variables

	node   node
	up     []float64 // by separator's entry: the message to the parent; later its probability
	given  []float64 // by separator's entry and value but the first: its probability there
	logs   []bool    // by node: its message is of logarithms
	low    []float64 // by node: the least logarithm of its message but minus infinity; the largest is 0. Of Mode: see magnitude
	spread []float64 // probabilities of the values of all variables
	first  []int     // by variable: where its values are in spread
	logZ   float64

	mode mode
	sums sums
}

// WidthError is a component whose junction tree is too large.
type WidthError struct {
	Atoms int    // of the component
	First uint32 // its first atom
	Width int    // of a separator that elimination comes upon: more variables than this less one cannot be avoided by it
}

// Error implements error.
func (e *WidthError) Error() string {
	return fmt.Sprintf("component of %d atoms: its junction tree is too large, of a width of %d or more", e.Atoms, e.Width)
}

// Bind finds the tree of a component of the model, whose atoms are ascending; the model must stay bound to its network while
// the tree is in use. Weights play no part. The error is a *WidthError, for a tree of more entries than so many, or than
// [MostEntries], or with a table of more than [Largest].
func (t *Tree) Bind(m *loglinear.Model, atoms []uint32, entries int) error {
	t.m = m
	entries = min(entries, MostEntries)
	width := math.MaxInt
	// A group has more values than the two of an atom, which may be in a table without the others.
	for g := allGroups; ; g = t.vars.found - 1 {
		if t.bind(atoms, entries, g) {
			t.link()
			return nil
		}
		width = min(width, t.order.width)
		if t.vars.found == ungrouped || len(atoms) > mostRegrouped {
			t.order.width = width
			return &WidthError{Atoms: len(atoms), First: atoms[0], Width: width}
		}
	}
}

func (t *Tree) bind(atoms []uint32, entries int, g grouping) bool {
	t.vars.bind(t.m, atoms, g)
	n := len(t.vars.arity)
	t.order.width = mostWidth + 1
	if !t.factors.bind(&t.vars) || !t.factors.connect(&t.order.graph, n) {
		return false
	}
	found := t.order.find(t.vars.arity, entries)
	if found && t.order.total <= sweepBeyond {
		return true
	}
	if found {
		entries = t.order.total - 1
	}
	width := t.order.width
	t.factors.connect(&t.order.graph, n)
	if t.order.follow(t.order.graph.sweep(), t.vars.arity, entries) {
		return true
	}
	if found {
		t.factors.connect(&t.order.graph, n)
		return t.order.find(t.vars.arity, entries+1)
	}
	t.order.width = width
	return false
}

// mostRegrouped is the largest component that is tried again without groups.
const mostRegrouped = 2000

// sweepBeyond is the most entries of a tree for which no other order is tried.
const sweepBeyond = 1 << 16

// Width returns the variables of the widest separator.
func (t *Tree) Width() int { return t.order.width }

// Entries returns the entries of all tables.
func (t *Tree) Entries() int { return t.order.total }

// link sets what is by node.
func (t *Tree) link() {
	nodes := len(t.order.variable)
	t.entries, t.at, t.slopeAt = grow.To(t.entries, nodes), grow.To(t.at, nodes+1), grow.To(t.slopeAt, nodes+1)
	t.at[0], t.slopeAt[0] = 0, 0
	t.childStart = grow.Zeroed(t.childStart, nodes+2)
	children := 0
	for n := range nodes {
		entries := 1
		separator := t.order.separator(uint32(n))
		for _, s := range separator {
			entries *= t.values(s)
		}
		t.entries[n] = entries
		t.at[n+1] = t.at[n] + entries
		t.slopeAt[n+1] = t.slopeAt[n] + entries*(t.values(uint32(n))-1)
		if len(separator) > 0 {
			t.childStart[separator[0]+2]++
			children++
		}
	}
	t.child = grow.To(t.child, children)
	for n := range nodes {
		t.childStart[n+2] += t.childStart[n+1]
	}
	for n := range uint32(nodes) { // childStart[p+1] moves from the beginning of p's list to its end
		if separator := t.order.separator(n); len(separator) > 0 {
			at := &t.childStart[separator[0]+1]
			t.child[*at] = n
			*at++
		}
	}
	t.assign()
}

// assign gives each factor to the node of the first of its variables that is eliminated.
func (t *Tree) assign() {
	nodes, owned := len(t.order.variable), 0
	t.ownStart, t.constants = grow.Zeroed(t.ownStart, nodes+2), t.constants[:0]
	for i := range uint32(len(t.factors.list)) {
		if n := t.owner(i); n != none {
			t.ownStart[n+2]++
			owned++
			continue
		}
		t.constants = append(t.constants, i)
	}
	t.own = grow.To(t.own, owned)
	for n := range nodes {
		t.ownStart[n+2] += t.ownStart[n+1]
	}
	for i := range uint32(len(t.factors.list)) { // ownStart[n+1] moves from the beginning of n's list to its end
		if n := t.owner(i); n != none {
			at := &t.ownStart[n+1]
			t.own[*at] = i
			*at++
		}
	}
}

// owner returns the node of a factor, none for one without variables.
func (t *Tree) owner(i uint32) uint32 {
	owner := uint32(none)
	for _, v := range t.factors.of(i) {
		owner = min(owner, t.order.node[v])
	}
	return owner
}

// values returns how many a node's variable has.
func (t *Tree) values(n uint32) int { return int(t.vars.arity[t.order.variable[n]]) }

// children returns the nodes that a node gets messages from.
func (t *Tree) children(n uint32) []uint32 { return t.child[t.childStart[n]:t.childStart[n+1]] }

// root reports whether a node has no parent: the first of its separator.
func (t *Tree) root(n uint32) bool { return len(t.order.separator(n)) == 0 }

// unsatisfiable returns the error of a node whose table is empty: of its last constraint, or of the last one before it.
func (t *Tree) unsatisfiable(n uint32) error {
	for _, i := range slices.Backward(t.own[:t.ownStart[n+1]]) {
		if f := &t.factors.list[i]; f.hard() {
			return t.m.Unsatisfiable(f.constraint(t.m.Net), true)
		}
	}
	panic("kernels/tree: no state without a constraint")
}
