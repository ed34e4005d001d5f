package cut

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"resolwe/format/lex"
	"resolwe/format/recipe"
)

// join replaces components i and k, the second of which may be an atom, by their join.
func (p *rulePlanner) join(i, k int) {
	a, b := p.parts[i], p.parts[k]
	var c *component
	switch {
	case b.table != nil:
		c = p.lookup(a, b, i, k)
	case p.within(b, a):
		c = p.semijoin(a, b, i, k)
	case p.within(a, b):
		c = p.semijoin(b, a, i, k)
	case a.rows >= b.rows:
		c = p.joinNodes(a, b, i, k)
	default:
		c = p.joinNodes(b, a, i, k)
	}
	p.parts[i] = c
	p.parts = slices.Delete(p.parts, k, k+1)
}

// within reports whether b is a whole local relation over variables of a.
func (p *rulePlanner) within(b, a *component) bool {
	return b.table == nil && p.graph.nodes[b.node].kind == nodeRelation &&
		!slices.ContainsFunc(b.vars, func(v int) bool { return !slices.Contains(a.vars, v) })
}

// columnsOf returns the columns of atom b that the center or component a binds, those with the fewest rows first, and the other needed
// ones, those for the head first: this keeps the head's groups and repetitions together.
func (p *rulePlanner) columnsOf(a, b *component, without ...int) (bound, fresh []int) {
	r := p.relations[b.table.relation]
	bound = slices.Clone(b.table.center)
	var rest []int
	for _, v := range b.vars {
		column := b.table.column[v]
		switch {
		case slices.Contains(a.vars, v):
			bound = append(bound, column)
		case p.keep[v]:
			fresh = append(fresh, column)
		case p.needed(v, without...):
			rest = append(rest, column)
		}
	}
	slices.SortFunc(bound, func(x, y int) int {
		return cmp.Or(cmp.Compare(r.columnStats(x).fanOut, r.columnStats(y).fanOut), cmp.Compare(x, y))
	})
	return bound, append(fresh, rest...)
}

// lookup joins component a with atom b through an index, by shared variables, by the center, or else by a window. The result replaces the
// parts without.
func (p *rulePlanner) lookup(a, b *component, without ...int) *component {
	bound, fresh := p.columnsOf(a, b, without...)
	variable := map[int]int{} // by column
	for v, column := range b.table.column {
		variable[column] = v
	}
	var windows []window
	if len(bound) == 0 {
		var column int
		if column, windows = p.windowsOf(a, b); len(windows) > 0 {
			fresh = slices.Insert(slices.DeleteFunc(fresh, func(c int) bool { return c == column }), 0, column)
		}
	}
	pattern := b.table.pattern
	pattern.columns, pattern.keyed = slices.Concat(bound, fresh), len(bound) > 0
	var n node
	var slots map[int]int
	if len(fresh) == 0 {
		n, slots = p.reopen(a)
	} else {
		n, slots = node{kind: nodeLookup, child: a.node, width: len(a.vars), fresh: len(fresh)}, slotsOf(a)
	}
	key := make([]int, len(bound))
	for i, column := range bound {
		if v, ok := variable[column]; ok {
			key[i] = slots[v]
		} else {
			key[i] = slotCenter
		}
	}
	for i := range windows {
		windows[i].slot = slots[windows[i].slot]
	}
	n.windows = windows
	for f, column := range fresh {
		slots[variable[column]] = n.slotFresh() + f
	}
	if x := p.index(&pattern); len(fresh) == 0 {
		n.checks = append(n.checks, check{kind: checkIndex, index: x, key: key})
	} else {
		n.index, n.key = x, key
	}
	return p.close(n, slots, p.joined(a, b), without...)
}

// index returns the index of a pattern.
func (p *planner) index(t *pattern) *index {
	key := fmt.Sprint(*t)
	if x := p.indexes[key]; x != nil {
		return x
	}
	x := p.relations[t.relation].buildIndex(t, &p.sorter)
	x.id = p.made
	p.made++
	p.indexes[key] = x
	return x
}

// semijoin keeps the rows of a that match local relation b.
func (p *rulePlanner) semijoin(a, b *component, i, k int) *component {
	n, slots := p.reopen(a)
	c := check{kind: checkRelation, relation: p.graph.nodes[b.node].relation}
	for _, v := range b.vars {
		c.key = append(c.key, slots[v])
	}
	n.checks = append(n.checks, c)
	return p.close(n, slots, p.joined(a, b), i, k)
}

// joinNodes joins the rows of two nodes; those of the second are sorted by the shared variables.
func (p *rulePlanner) joinNodes(a, b *component, i, k int) *component {
	n := node{kind: nodeJoin, child: a.node, width: len(a.vars)}
	slots := slotsOf(a)
	var order, rest []int // slots of b's columns in the frame of a node that reads it
	for column, v := range b.vars {
		if slot, ok := slots[v]; ok {
			order = append(order, slotChild+column)
			n.key = append(n.key, slot)
		} else {
			rest = append(rest, slotChild+column)
		}
	}
	for f, slot := range rest {
		slots[b.vars[slot-slotChild]] = n.slotFresh() + f
	}
	n.fresh = len(rest)
	arrange := node{kind: nodeArrange, child: b.node, width: len(b.vars), out: slices.Concat(order, rest)}
	n.other = p.graph.intern(arrange)
	return p.close(n, slots, p.joined(a, b), i, k)
}

// slotsOf returns the slots of a component's variables in the frame of a node that reads it.
func slotsOf(c *component) map[int]int {
	slots := map[int]int{}
	for i, v := range c.vars {
		slots[v] = slotChild + i
	}
	return slots
}

// reopen returns a copy of a component's node for more checks, and the slots of its variables.
func (p *rulePlanner) reopen(c *component) (node, map[int]int) {
	n := p.graph.nodes[c.node]
	slots := map[int]int{}
	switch n.kind {
	case nodeFilter, nodeLookup, nodeJoin:
		for i, v := range c.vars {
			slots[v] = n.out[i]
		}
		n.checks = slices.Clone(n.checks)
		return n, slots
	case nodeUnit, nodeRelation, nodeArrange:
	}
	return node{kind: nodeFilter, child: c.node, width: len(c.vars)}, slotsOf(c)
}

// close adds the checks that the node's variables allow, and chooses its columns. The node replaces the parts without.
func (p *rulePlanner) close(n node, slots map[int]int, rows float64, without ...int) *component {
	c := &component{rows: rows}
	p.addChecks(&n, slots, c)
	n.out = nil
	for _, v := range slices.SortedFunc(maps.Keys(slots), func(v, w int) int { return slots[v] - slots[w] }) {
		if !p.needed(v, without...) {
			n.distinct = true
			continue
		}
		n.out, c.vars = append(n.out, slots[v]), append(c.vars, v)
	}
	c.node = p.intern(n)
	return c
}

// addChecks moves the comparisons and negated atoms whose variables have slots into the node of a component.
func (p *rulePlanner) addChecks(n *node, slots map[int]int, of *component) {
	ready := func(t recipe.Term) bool {
		_, ok := slots[t.Var]
		return ok || t.Kind != recipe.TermVariable
	}
	p.comparisons = slices.DeleteFunc(p.comparisons, func(c recipe.Comparison) bool {
		if slices.ContainsFunc(c.Terms(), func(t recipe.Term) bool { return !ready(t) }) {
			return false
		}
		a, b := p.side(n, c.A, c.Over[0], slots), p.side(n, c.B, c.Over[1], slots)
		n.checks = append(n.checks, check{kind: checkCompare, op: c.Op, a: a, b: b, shift: c.Shift, float: isFloat(c.B.Type)})
		of.rows *= selectivity(c.Op)
		return true
	})
	p.negative = slices.DeleteFunc(p.negative, func(a recipe.Atom) bool {
		if slices.ContainsFunc(a.Args, func(t recipe.Term) bool { return !ready(t) }) {
			return false
		}
		n.checks = append(n.checks, p.negation(n, &a, slots))
		return true
	})
}

// side returns the slot of a term, divided by over unless that has no kind.
func (p *rulePlanner) side(n *node, t, over recipe.Term, slots map[int]int) int {
	slot := p.operand(n, t, slots)
	if over.Kind == 0 {
		return slot
	}
	return n.compute(computed{a: slot, b: p.operand(n, over, slots), floatA: isFloat(t.Type), floatB: isFloat(over.Type)})
}

// negation returns the check that a relation does not contain a tuple.
func (p *rulePlanner) negation(n *node, a *recipe.Atom, slots map[int]int) check {
	c := check{kind: checkRelation, relation: a.Relation, negated: true}
	t := atom{pattern: pattern{relation: a.Relation, keyed: true}}
	for column, term := range a.Args {
		if p.relations[a.Relation] != nil {
			p.mustHold(&t.pattern, column, term)
		}
		if p.relations[a.Relation] != nil && (term.Kind == recipe.TermEntity || term.Kind == recipe.TermValue) {
			t.bounds = append(t.bounds, fixedColumn{column: column, op: lex.SameAs, value: p.constant(term)})
			continue
		}
		t.columns = append(t.columns, column)
		c.key = append(c.key, p.operand(n, term, slots))
	}
	if p.relations[a.Relation] != nil {
		c.kind, c.index = checkIndex, p.index(&t.pattern)
	}
	return c
}
