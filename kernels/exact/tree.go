package exact

import (
	"fmt"
	"math"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// Tree is a junction tree of one component (Lauritzen and Spiegelhalter, 1988). The zero value is ready for [Tree.Bind], which reuses its
// memory. It must not be used by several goroutines at once.
//
// The variables are the atoms, except that atoms fixed or made equal by clauses are merged, and a group in which at most one atom can be
// true is one variable with a value for each (see variables). They are eliminated one by one, by the least number of added edges, or along
// a sweep through the graph if that is cheaper or the only way; the table of a node is over its variable and its separator, the variables
// connected with it at that time. Time and memory grow with the entries of all tables, which are known before any is computed: see
// [Tree.Bind].
type Tree struct {
	m        *loglinear.Model
	vars     variables
	factors  factors
	order    order
	cliques  []clique   // by node; and the end
	children grow.Lists // nodes whose messages a node receives
	own      grow.Lists // factors of each node; after the last, those without variables

	node   node
	up     []float64 // by separator's entry: the message to the parent; later its probability
	given  []float64 // by separator's entry and value except the first: its probability there
	spread []float64 // probabilities of the values of all variables
	first  []int     // by variable: offset of its values in spread
	logZ   float64

	mode mode
	sums sums
}

// clique locates a node's separator in the arrays, and describes its message.
type clique struct {
	at, from int     // offset in Tree.up, and in Tree.given
	logs     bool    // the message consists of logarithms
	low      float64 // the least finite logarithm of the message; the largest is 0. For Mode: see magnitude
}

// WidthError reports a component whose junction tree is too large.
type WidthError struct {
	Atoms int // of the component
	Width int // of a separator met in elimination: this approach needs at least as many variables less one
}

// Error implements error.
func (e *WidthError) Error() string {
	return fmt.Sprintf("component of %d atoms: its junction tree is too large, of a width of %d or more", e.Atoms, e.Width)
}

// Bind finds the tree of a component of the model, whose atoms are ascending; the model must stay bound to its network while the tree is in
// use. Weights are not used. The error is a *WidthError, for a tree with more than entries entries, or more than [MostEntries], or with a
// table of more than [Largest].
func (t *Tree) Bind(m *loglinear.Model, atoms []uint32, entries int) error {
	t.m = m
	entries = min(entries, MostEntries)
	width := math.MaxInt
	// A group has more values than an atom, which may be in a table without the others.
	for g := allGroups; ; g = t.vars.found - 1 {
		if t.bind(atoms, entries, g) {
			t.link()
			return nil
		}
		width = min(width, t.order.width)
		if t.vars.found == ungrouped || len(atoms) > mostRegrouped {
			t.order.width = width
			return &WidthError{Atoms: len(atoms), Width: width}
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

// sweepBeyond is the largest number of entries of a tree for which no other order is tried.
const sweepBeyond = 1 << 16

// Width returns the number of variables of the widest separator.
func (t *Tree) Width() int { return t.order.width }

// Entries returns the total number of entries of the tables.
func (t *Tree) Entries() int { return t.order.total }

// link lays out the tables of the nodes, and assigns each factor to the node of its first eliminated variable.
func (t *Tree) link() {
	nodes := uint32(len(t.order.variable))
	t.cliques = append(t.cliques[:0], clique{})
	for n := range nodes {
		entries, c := 1, t.cliques[n]
		for _, s := range t.order.separator(n) {
			entries *= t.values(s)
		}
		t.cliques = append(t.cliques, clique{at: c.at + entries, from: c.from + entries*(t.values(n)-1)})
	}
	t.children.Build(int(nodes), func(emit func(node, child uint32)) {
		for n := range nodes {
			if !t.root(n) {
				emit(t.order.separator(n)[0], n)
			}
		}
	})
	t.own.Build(int(nodes)+1, func(emit func(node, factor uint32)) {
		for i := range t.factors.list {
			owner := nodes
			for _, v := range t.factors.scope(&t.factors.list[i]) {
				owner = min(owner, t.order.node[v])
			}
			emit(owner, uint32(i))
		}
	})
}

// values returns the number of values of a node's variable.
func (t *Tree) values(n uint32) int { return int(t.vars.arity[t.order.variable[n]]) }

// constants returns the factors without variables.
func (t *Tree) constants() []uint32 { return t.own.Of(uint32(len(t.cliques) - 1)) }

// message returns a node's message to its parent, the first node of its separator.
func (t *Tree) message(n uint32) []float64 { return t.up[t.cliques[n].at:t.cliques[n+1].at] }

// conditionals returns the probabilities of the values of a node's variable except the first, by separator's entry.
func (t *Tree) conditionals(n uint32) []float64 {
	return t.given[t.cliques[n].from:t.cliques[n+1].from]
}

// root reports whether a node has no parent.
func (t *Tree) root(n uint32) bool { return len(t.order.separator(n)) == 0 }

// unsatisfiable returns the error for a node whose table is empty: for its last constraint, or the last one before it.
func (t *Tree) unsatisfiable(n uint32) error {
	for ; ; n-- {
		for _, own := range slices.Backward(t.own.Of(n)) {
			if f := &t.factors.list[own]; f.kind == hard {
				return t.m.Unsatisfiable(int(f.index), true)
			}
		}
	}
}
