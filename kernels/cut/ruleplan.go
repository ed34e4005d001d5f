package cut

import (
	"maps"
	"slices"

	"resolwe/format/lex"
	"resolwe/format/recipe"
	"resolwe/format/table"
	"resolwe/internal/isotime"
)

// planner compiles rules into nodes.
type planner struct {
	recipe    *recipe.Recipe
	universe  *table.Universe
	relations []*relation // those that do not depend on the center; nil for others
	sizes     []float64   // estimated rows of the others
	graph     graph
	indexes   map[string]*index
	made      int // number of indexes
	sorter    sorter
}

// rulePlan describes how to compute a rule's tuples.
type rulePlan struct {
	rule      int          // of the recipe
	root      int          // a node
	aggregate *aggregation // of its rows, nil if they are the tuples
	floats    []int        // columns of whole numbers to convert to floats
}

// component is a part of a body to be joined: the rows of a node, or an atom reached only by look-ups.
type component struct {
	node  int
	vars  []int   // by column of the node
	rows  float64 // estimated
	table *atom   // nil for a node
}

// atom is an atom over a relation that does not depend on the center.
type atom struct {
	pattern
	column map[int]int // of a variable
	center []int       // columns that hold the center
}

// rulePlanner plans one rule: it joins the components two at a time, the pair with the least work first.
type rulePlanner struct {
	*planner
	rule        *recipe.Rule
	parts       []*component
	keep        []bool // by variable: the head needs it
	comparisons []recipe.Comparison
	negative    []recipe.Atom
}

func (p *planner) plan(rule int) (rulePlan, float64) {
	r := &p.recipe.Rules[rule]
	rp := &rulePlanner{planner: p, rule: r, keep: make([]bool, len(r.Vars))}
	rp.comparisons, rp.negative = slices.Clone(r.Comparisons), slices.Clone(r.Negative)
	for _, h := range r.Terms {
		for _, t := range []recipe.Term{h.Term, h.Second} {
			if t.Kind == recipe.TermVariable {
				rp.keep[t.Var] = true
			}
		}
		if isOverBindings(h.Aggregate) { // is over whole bindings
			for v := range rp.keep {
				rp.keep[v] = true
			}
		}
	}
	rp.start()
	for len(rp.parts) > 1 || rp.parts[0].table != nil {
		rp.step()
	}
	plan, rows := rp.head()
	plan.rule = rule
	return plan, rows
}

// start creates the first components. All atoms are set up before any is projected, because each needs to know which variables the others
// mention.
func (p *rulePlanner) start() {
	for i := range p.rule.Positive {
		a := &p.rule.Positive[i]
		if p.relations[a.Relation] != nil {
			p.parts = append(p.parts, p.tableOf(a))
		} else {
			p.parts = append(p.parts, p.localOf(a))
		}
	}
	if len(p.parts) == 0 {
		p.parts = append(p.parts, p.unit())
	}
	for i, c := range p.parts {
		switch {
		case c.table == nil:
			n, slots := p.reopen(c)
			p.parts[i] = p.close(n, slots, c.rows, i)
		case len(c.table.center) > 0:
			p.parts[i] = p.lookup(p.unit(), c, i)
		}
	}
}

// unit returns the component of an empty body.
func (p *rulePlanner) unit() *component {
	return &component{node: p.graph.intern(node{kind: nodeUnit}), rows: 1}
}

// tableOf returns the component of an atom reached through an index.
func (p *rulePlanner) tableOf(a *recipe.Atom) *component {
	t := &atom{pattern: pattern{relation: a.Relation}, column: map[int]int{}}
	for c, term := range a.Args {
		p.mustHold(&t.pattern, c, term)
		first, again := t.column[term.Var]
		switch {
		case term.Kind == recipe.TermCenter:
			t.center = append(t.center, c)
		case term.Kind != recipe.TermVariable:
			t.bounds = append(t.bounds, fixedColumn{column: c, op: lex.SameAs, value: p.constant(term)})
		case again:
			t.equal = append(t.equal, [2]int{first, c})
		default:
			t.column[term.Var] = c
		}
	}
	p.comparisons = slices.DeleteFunc(p.comparisons, func(c recipe.Comparison) bool { return p.pushDown(c, t) })
	return &component{table: t, vars: slices.Sorted(maps.Keys(t.column)), rows: p.fanOut(t, nil)}
}

// mustHold makes a pattern skip rows without an entry in the column of a term, unless the term is _.
func (p *rulePlanner) mustHold(t *pattern, column int, term recipe.Term) {
	if p.mustHave(p.relations[t.relation], column, term) {
		t.present = append(t.present, column)
	}
}

// mustHave reports whether rows of a relation without an entry in the column of a term are skipped.
func (p *rulePlanner) mustHave(r *relation, column int, term recipe.Term) bool {
	blank := term.Kind == recipe.TermVariable && p.rule.Vars[term.Var].Name == "_"
	return !blank && r.empty[column] != nil
}

// pushDown makes a pattern test the comparison of a variable with a value, and reports whether it can.
func (p *rulePlanner) pushDown(c recipe.Comparison, t *atom) bool {
	if c.IsQuotient() {
		return false
	}
	a, b, op := c.A, c.B, c.Op
	if a.Kind != recipe.TermVariable {
		a, b, op = b, a, op.Mirrored()
	}
	if a.Kind != recipe.TermVariable || b.Kind == recipe.TermVariable || b.Kind == recipe.TermCenter {
		return false
	}
	column, ok := t.column[a.Var]
	if ok {
		t.bounds = append(t.bounds, fixedColumn{column: column, op: op, value: p.constant(b)})
	}
	return ok
}

// localOf returns the component of an atom over a local relation, with all its variables.
func (p *rulePlanner) localOf(a *recipe.Atom) *component {
	width := len(a.Args)
	n := node{kind: nodeFilter, width: width, child: p.graph.intern(node{kind: nodeRelation, relation: a.Relation, width: width})}
	c := &component{rows: p.sizes[a.Relation]}
	columns := map[int]int{}
	view := p.recipe.Relations[a.Relation].View
	for i, term := range a.Args {
		slot := slotChild + i
		if view != nil && p.mustHave(p.relations[view.Of], i, term) {
			n.checks = append(n.checks, check{kind: checkCompare, op: lex.OtherThan, a: slot, b: n.constant(none)})
		}
		same, again := columns[term.Var]
		if term.Kind != recipe.TermVariable {
			same, again = p.operand(&n, term, nil), true
		}
		if again {
			n.checks = append(n.checks, check{kind: checkCompare, op: lex.SameAs, a: slot, b: same})
			c.rows *= selectivity(lex.SameAs)
			continue
		}
		columns[term.Var] = slot
		n.out, c.vars = append(n.out, slot), append(c.vars, term.Var)
	}
	c.node = p.intern(n)
	return c
}

// intern adds a node unless it is the identity.
func (p *rulePlanner) intern(n node) int {
	if n.kind == nodeFilter && len(n.checks) == 0 && isIdentity(n.out, slotChild) && len(n.out) == n.width {
		return n.child
	}
	return p.graph.intern(n)
}

// isIdentity reports whether the slots are consecutive from first on.
func isIdentity(slots []int, first int) bool {
	for i, s := range slots {
		if s != first+i {
			return false
		}
	}
	return true
}

// constant returns the number that represents a constant.
func (p *planner) constant(t recipe.Term) uint64 {
	switch {
	case t.Kind == recipe.TermEntity:
		return uint64(p.universe.Dicts[t.Type.Entity].Intern([]byte(t.Name)))
	case t.AsOf:
		return encodeInt(p.recipe.AsOf(&t))
	case isFloat(t.Type):
		return encodeFloat(t.Float)
	}
	return encodeInt(t.Int)
}

// operand returns the slot of a term; slots holds the variables' slots.
func (p *planner) operand(n *node, t recipe.Term, slots map[int]int) int {
	switch t.Kind {
	case recipe.TermVariable:
		return slots[t.Var]
	case recipe.TermCenter:
		return slotCenter
	case recipe.TermEntity, recipe.TermValue:
	}
	return n.constant(p.constant(t))
}

// step joins two components.
func (p *rulePlanner) step() {
	if i, k := p.cheapest(shares); i >= 0 {
		p.join(i, k)
		return
	}
	byWindow := func(a, b *component) bool {
		if b.table == nil {
			return false
		}
		_, bounds := p.windowsOf(a, b)
		return len(bounds) > 0
	}
	if i, k := p.cheapest(byWindow); i >= 0 {
		p.join(i, k)
		return
	}
	// Nothing is connected: take in the smallest atom, else join the two smallest components.
	if i := p.smallest(func(c *component) bool { return c.table != nil }, -1); i >= 0 {
		p.parts[i] = p.lookup(p.unit(), p.parts[i], i)
		return
	}
	all := func(*component) bool { return true }
	i := p.smallest(all, -1)
	p.join(i, p.smallest(all, i))
}

// cheapest returns the pair of connected components whose join is the least work, -1 for none.
func (p *rulePlanner) cheapest(connected func(a, b *component) bool) (int, int) {
	best, bestWork := [2]int{-1, -1}, 0.0
	for i, a := range p.parts {
		for k, b := range p.parts {
			if i == k || a.table != nil || !connected(a, b) || b.table == nil && k < i {
				continue
			}
			if w := p.work(a, b, i, k); best[0] < 0 || w < bestWork {
				best, bestWork = [2]int{i, k}, w
			}
		}
	}
	return best[0], best[1]
}

// smallest returns the smallest component of a kind other than without; -1 for none.
func (p *rulePlanner) smallest(kind func(*component) bool, without int) int {
	best := -1
	for i, c := range p.parts {
		if i != without && kind(c) && (best < 0 || c.rows < p.parts[best].rows) {
			best = i
		}
	}
	return best
}

// shares reports whether two components have a common variable.
func shares(a, b *component) bool {
	return slices.ContainsFunc(a.vars, func(v int) bool { return slices.Contains(b.vars, v) })
}

// needed reports whether the head, a later check, or a component not left out mentions a variable.
func (p *rulePlanner) needed(v int, without ...int) bool {
	is := func(t recipe.Term) bool { return t.Kind == recipe.TermVariable && t.Var == v }
	if p.keep[v] || slices.ContainsFunc(p.comparisons, func(c recipe.Comparison) bool { return slices.ContainsFunc(c.Terms(), is) }) ||
		slices.ContainsFunc(p.negative, func(a recipe.Atom) bool { return slices.ContainsFunc(a.Args, is) }) {
		return true
	}
	for i, c := range p.parts {
		if !slices.Contains(without, i) && slices.Contains(c.vars, v) {
			return true
		}
	}
	return false
}

// head computes the columns of the head from the last component.
func (p *rulePlanner) head() (rulePlan, float64) {
	last := p.parts[0]
	n, slots := p.reopen(last)
	p.addChecks(&n, slots, last)
	groups, rest, agg := p.columns(&n, slots)
	n.out = slices.Concat(groups, rest)
	plan := rulePlan{root: p.intern(n), aggregate: agg}
	for i, h := range p.rule.Terms {
		if h.ToFloat {
			plan.floats = append(plan.floats, i)
		}
	}
	return plan, last.rows
}

// groupsWithout returns the head terms that are neither aggregates nor a given variable.
func (p *rulePlanner) groupsWithout(v int) (terms []int) {
	for i, h := range p.rule.Terms {
		if h.Aggregate == recipe.AggregateNone && (h.Second.Kind != 0 || h.Term.Kind != recipe.TermVariable || h.Term.Var != v) {
			terms = append(terms, i)
		}
	}
	return terms
}

// columns returns the slots of the terms that are not aggregates, the slots that aggregates need, and the aggregation, nil for none.
func (p *rulePlanner) columns(n *node, slots map[int]int) (groups, rest []int, agg *aggregation) {
	agg = &aggregation{}
	whole, some := false, false
	for _, h := range p.rule.Terms {
		if h.Aggregate == recipe.AggregateNone {
			slot := p.operand(n, h.Term, slots)
			if h.Second.Kind != 0 {
				c := computed{a: slot, b: p.operand(n, h.Second, slots), floatA: isFloat(h.Term.Type), floatB: isFloat(h.Second.Type)}
				switch {
				case h.Quotient:
				case h.Term.Type.Kind == table.KindTime:
					c.unit = isotime.SecondsOfDay
				default:
					c.unit = 1
				}
				slot, n.distinct = n.compute(c), false
			}
			agg.terms = append(agg.terms, aggregateTerm{column: len(groups)})
			groups = append(groups, slot)
			continue
		}
		agg.terms = append(agg.terms, aggregateTerm{function: h.Aggregate, float: isFloat(h.Term.Type)})
		whole, some = whole || isOverBindings(h.Aggregate), true
	}
	if !some {
		return groups, nil, nil
	}
	agg.groups = len(groups)
	for i, h := range p.rule.Terms {
		if h.Aggregate == recipe.AggregateNone {
			continue
		}
		slot := slots[h.Term.Var]
		if !slices.Contains(rest, slot) {
			rest = append(rest, slot)
		}
		agg.terms[i].column = agg.groups + slices.Index(rest, slot)
		if h.Aggregate == recipe.AggregateRank {
			agg.terms[i].among = p.groupsWithout(h.Second.Var)
		}
	}
	if whole {
		for _, slot := range slices.Sorted(maps.Values(slots)) {
			if !slices.Contains(rest, slot) {
				rest = append(rest, slot)
			}
		}
	}
	return groups, rest, agg
}
