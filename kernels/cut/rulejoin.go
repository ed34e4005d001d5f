package cut

import (
	"cmp"
	"maps"
	"slices"

	"resolwe/format/recipe"
)

// join puts the component of parts a and b, the second of which may be an atom, in place of the first.
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
	case a.size.rows >= b.size.rows:
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

// columnsOf returns the columns of atom b that component a binds, the ones with the fewest rows first, and the others that
// are needed.
func (p *rulePlanner) columnsOf(a, b *component, i, k int) (bound, fresh []int) {
	r := p.relations[b.table.relation]
	for _, v := range b.vars {
		column := b.table.column[v]
		if slices.Contains(a.vars, v) {
			bound = append(bound, column)
		} else if p.needed(v, i, k) {
			fresh = append(fresh, column)
		}
	}
	slices.SortFunc(bound, func(x, y int) int {
		return cmp.Or(cmp.Compare(r.columnStats(x).fanOut, r.columnStats(y).fanOut), cmp.Compare(x, y))
	})
	slices.Sort(fresh)
	return bound, fresh
}

// lookup joins component a with atom b through an index, by the variables that they share or else by a window.
func (p *rulePlanner) lookup(a, b *component, i, k int) *component {
	bound, fresh := p.columnsOf(a, b, i, k)
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
	s := p.joinedSize(a, b)
	var n node
	var slots map[int]int
	if len(fresh) == 0 {
		n, slots = p.reopen(a)
	} else {
		n, slots = node{kind: nodeLookup, child: a.node, width: len(a.vars), fresh: len(fresh)}, slotsOf(a)
	}
	key := make([]int, len(bound))
	for i, column := range bound {
		key[i] = slots[variable[column]]
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
	return p.close(n, slots, s, i, k)
}

// fromTable returns the rows of part i, an atom, that the center determines, or all of them.
func (p *rulePlanner) fromTable(b *component, i int) *component {
	t := b.table
	n := node{kind: nodeLookup, child: p.graph.intern(node{kind: nodeUnit})}
	slots := map[int]int{}
	pattern := t.pattern
	pattern.columns, pattern.keyed = slices.Clone(t.center), len(t.center) > 0
	for range t.center {
		n.key = append(n.key, slotCenter)
	}
	s := b.size.clone()
	s.rows = p.fanOut(t, t.center)
	s.limit()
	headFirst := slices.SortedStableFunc(slices.Values(b.vars), func(v, w int) int { return rank(p.keep[v]) - rank(p.keep[w]) })
	for _, v := range headFirst { // so that what the head groups by, and repeats, stays together
		if p.needed(v, i) {
			pattern.columns = append(pattern.columns, t.column[v])
			slots[v] = n.slotFresh() + n.fresh
			n.fresh++
		}
	}
	n.index = p.index(&pattern)
	return p.close(n, slots, s, i)
}

// rank orders what is kept before what is not.
func rank(kept bool) int {
	if kept {
		return 0
	}
	return 1
}

// index returns the index of a pattern.
func (p *planner) index(t *pattern) *index {
	key := t.key()
	if x := p.indexes[key]; x != nil {
		return x
	}
	x := p.relations[t.relation].buildIndex(t, &p.sorter)
	x.id = p.made
	p.made++
	p.indexes[key] = x
	return x
}

// semijoin lets a keep the rows that local relation b has.
func (p *rulePlanner) semijoin(a, b *component, i, k int) *component {
	n, slots := p.reopen(a)
	c := check{kind: checkRelation, relation: p.graph.nodes[b.node].relation}
	for _, v := range b.vars {
		c.key = append(c.key, slots[v])
	}
	n.checks = append(n.checks, c)
	return p.close(n, slots, p.joinedSize(a, b), i, k)
}

// joinNodes joins the rows of two nodes, the second of which is sorted by what they share.
func (p *rulePlanner) joinNodes(a, b *component, i, k int) *component {
	n := node{kind: nodeJoin, child: a.node, width: len(a.vars)}
	slots := slotsOf(a)
	var order, rest []int // columns of b
	for column, v := range b.vars {
		if slot, ok := slots[v]; ok {
			order = append(order, column)
			n.key = append(n.key, slot)
		} else {
			rest = append(rest, column)
		}
	}
	for f, column := range rest {
		slots[b.vars[column]] = n.slotFresh() + f
	}
	n.fresh = len(rest)
	arrange := node{kind: nodeArrange, child: b.node, width: len(b.vars), key: slices.Concat(order, rest)}
	n.other = p.graph.intern(arrange)
	return p.close(n, slots, p.joinedSize(a, b), i, k)
}

// slotsOf returns the slots of a component's variables in the frame of a node that reads it.
func slotsOf(c *component) map[int]int {
	slots := map[int]int{}
	for i, v := range c.vars {
		slots[v] = slotChild + i
	}
	return slots
}

// reopen returns a copy of a component's node that takes more checks, and the slots of its variables.
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

// reduce applies the checks to a component that it has the variables for, and drops columns that nothing needs.
func (p *rulePlanner) reduce(c *component, i int) *component {
	n, slots := p.reopen(c)
	return p.close(n, slots, c.size, i)
}

// close adds the checks that the node's variables allow, and chooses its columns. without are the parts that it is for.
func (p *rulePlanner) close(n node, slots map[int]int, s *size, without ...int) *component {
	p.addChecks(&n, slots, s)
	c := &component{size: s}
	n.out = nil
	for _, v := range slices.SortedFunc(maps.Keys(slots), func(v, w int) int { return slots[v] - slots[w] }) {
		if !p.needed(v, without...) {
			n.distinct = true
			continue
		}
		n.out, c.vars = append(n.out, slots[v]), append(c.vars, v)
	}
	s.project(c.vars)
	c.node = p.intern(n)
	return c
}

// addChecks moves the comparisons and negated atoms whose variables have slots into the node.
func (p *rulePlanner) addChecks(n *node, slots map[int]int, s *size) {
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
		s.filter(selectivity(c.Op))
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

// side returns the slot of a term, divided by another that has a kind.
func (p *rulePlanner) side(n *node, t, over recipe.Term, slots map[int]int) int {
	slot := p.operand(n, t, slots)
	if over.Kind == 0 {
		return slot
	}
	return n.quotient(slot, p.operand(n, over, slots), t.Type, over.Type)
}

// negation returns the check that a relation does not hold a tuple.
func (p *rulePlanner) negation(n *node, a *recipe.Atom, slots map[int]int) check {
	c := check{kind: checkRelation, relation: a.Relation, negated: true}
	t := atom{pattern: pattern{relation: a.Relation, keyed: true}}
	for column, term := range a.Args {
		if p.relations[a.Relation] != nil {
			p.mustHold(&t.pattern, column, term)
		}
		if p.relations[a.Relation] != nil && (term.Kind == recipe.TermEntity || term.Kind == recipe.TermValue) {
			t.constants = append(t.constants, fixedColumn{column: column, op: recipe.OpEqual, value: p.constant(term)})
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
