package mln

import (
	"maps"
	"slices"

	"resolwe/format/lex"
)

// Aggregate is what a [Count] compares with a number.
type Aggregate uint8

// The aggregates. The zero value is that of a counting literal.
const (
	AggregateCount Aggregate = iota // the number of bindings of the listed variables
	AggregateAvg                    // of the first variable, over these bindings
	AggregateSum
	AggregateMin
	AggregateMax
	AggregateLast  // the first variable where the second, also a number, is greatest; the greatest of several
	AggregateTrend // AggregateLast less the mean over the other bindings; undefined of fewer than two bindings
	AggregateShare // of the bindings, the share for which the part before | holds too
)

var aggregates = [...]string{
	AggregateCount: "#", AggregateAvg: "avg", AggregateSum: "sum", AggregateMin: "min", AggregateMax: "max", AggregateLast: "last",
	AggregateTrend: "trend", AggregateShare: "share",
}

// String returns what stands before the braces in the task language.
func (a Aggregate) String() string { return aggregates[a] }

// Leading returns how many of the listed variables have a meaning by position and must be numeric: 2 for AggregateLast and AggregateTrend,
// 0 for AggregateCount and AggregateShare, 1 for the others.
func (a Aggregate) Leading() int {
	switch a {
	case AggregateCount, AggregateShare:
		return 0
	case AggregateLast, AggregateTrend:
		return 2
	case AggregateAvg, AggregateSum, AggregateMin, AggregateMax:
	}
	return 1
}

// Noun names a literal of this aggregate in messages.
func (a Aggregate) Noun() string {
	if a == AggregateCount {
		return "a counting literal"
	}
	return "an aggregate"
}

// Parts returns the literals of a counting literal or aggregate: what holds for all bindings and, for AggregateShare, what stands before |.
func (c *Count) Parts() (body, part []Literal) {
	x := c.X
	if of, ok := x.(*Implies); ok {
		x = of.L
		part, _ = LiteralsOf(of.R) // checked by the parser, as the body is
	}
	body, _ = LiteralsOf(x)
	return body, part
}

// aggregateOf returns the aggregate whose braces come next, 0 for none.
func (p *parser) aggregateOf() Aggregate {
	if p.Tok.Parts != nil || !p.Peek().Is("{") {
		return AggregateCount
	}
	return Aggregate(max(0, slices.Index(aggregates[:], p.Tok.Text)))
}

// bound parses the number with which an aggregate is compared.
func (p *parser) bound() float64 {
	v, ok := ParseNumber(p.Tok.Text)
	if p.Tok.Kind != lex.Number || !ok {
		p.Unexpected("a number")
	}
	p.Advance()
	return v
}

// typeAggregate reports a leading variable of an aggregate that is not a number.
func (b *builder) typeAggregate(c *Count) {
	for _, v := range c.Listed[:min(c.Kind.Leading(), len(c.Listed))] {
		if x, s := b.vars[v], &b.model.Schema; x.Type >= 0 && !s.IsNumber(x.Type) {
			b.refuse(c.Pos, "%v is of numbers, and variable %s is of type %s (%s)", c.Kind, x.Name, s.Types[x.Type], b.first[v])
		}
	}
}

// Quantity returns the count or aggregate on which a formula depends, and the formula's head. The formula is a conjunction or implication
// of one target literal and one counting literal or aggregate, possibly negated; or of an atom that states a number, the only argument that
// the head does not mention, or any atom and one comparison of a number that it states. This stands for the greatest number stated, for <
// and <= the least. The formula has no shape, or Measures. For other formulas Quantity returns false. Variable indices are the formula's,
// whichever variables are free.
func (f *Formula) Quantity(schema *Schema) (c *Count, head *Atom, ok bool) {
	headed, ok := f.Headed(schema)
	if !ok || f.Shape != ShapeNone && !f.Measures() {
		return nil, nil, false
	}
	rest, last := headed.Head()
	switch {
	case len(rest) == 1 && rest[0].Count != nil:
		return rest[0].Count, last.Atom, f.Shape == ShapeNone || !rest[0].Negated
	case len(rest) == 2 && rest[0].Compare != nil:
		rest[0], rest[1] = rest[1], rest[0]
	}
	if len(rest) == 0 || len(rest) > 2 || rest[0].Atom == nil || rest[0].Negated || schema.isTarget(rest[0]) {
		return nil, nil, false
	}
	if len(rest) == 1 {
		c, ok = rest[0].Atom.stated(last.Atom.Args, schema)
	} else {
		c, ok = rest[0].Atom.compared(rest[1].Compare, last.Atom.Args)
	}
	return c, last.Atom, ok
}

// compared returns the number of an atom on which a comparison of it depends; the number is not among the head's terms.
func (a *Atom) compared(order *Compare, head []Term) (c *Count, ok bool) {
	if order == nil || !isIn(order.X.Var, a.Args) || isIn(order.X.Var, head) {
		return nil, false
	}
	c = &Count{Kind: AggregateMax, Listed: []int{order.X.Var}, X: a}
	if order.Op == Less || order.Op == AtMost {
		c.Kind = AggregateMin
	}
	for _, t := range a.Args {
		if t.Kind == TermVariable && t.Var != order.X.Var && !isIn(t.Var, head) && !slices.Contains(c.Inner, t.Var) {
			c.Inner = append(c.Inner, t.Var)
		}
	}
	return c, true
}

// stated returns the greatest number that an atom states, its only argument that is a variable not among the head's terms.
func (a *Atom) stated(head []Term, schema *Schema) (c *Count, ok bool) {
	for _, t := range a.Args {
		if t.Kind == TermVariable && !isIn(t.Var, head) {
			if c != nil || !schema.IsNumber(t.Type) {
				return nil, false
			}
			c = &Count{Kind: AggregateMax, Listed: []int{t.Var}, X: a}
		}
	}
	return c, c != nil
}

// scoping determines the scope of variables in the braces of a formula's counting literals and aggregates.
type scoping struct {
	*checker
	atoms    map[string]bool // free variables mentioned by atoms outside the braces
	compared map[string]bool // free variables mentioned by comparisons there
	counts   map[string]int  // number of counting literals that mention an unbound variable
}

// scopeCounts emits the formula with the inner variables of its counting literals, and reports whether there was no error.
func (c *checker) scopeCounts(n *Node, emit func(*Node) bool) bool {
	if !n.has(OpCount) {
		return emit(n)
	}
	before, s := c.refused, c.surveyed(n)
	n = s.scoped(n, nil)
	return c.refused == before && emit(n)
}

// surveyed returns the scoping of a tree.
func (c *checker) surveyed(n *Node) *scoping {
	s := &scoping{checker: c, atoms: map[string]bool{}, compared: map[string]bool{}, counts: map[string]int{}}
	s.survey(n, nil)
	return s
}

// survey records where the variables of a tree occur; bound are those of surrounding quantifiers.
func (s *scoping) survey(n *Node, bound []string) {
	if n.Op == OpCount {
		for _, x := range n.Xs {
			s.checkBody(x, n.Kind)
		}
		for _, t := range openVariables(n, bound) {
			s.counts[t.Name]++
		}
		return
	}
	if n.isQuantifier() {
		bound = withNames(bound, n.Args)
	} else {
		for _, t := range n.Args {
			if t.Kind != TermVariable || slices.Contains(bound, t.Name) {
				continue
			}
			if n.Op == OpAtom {
				s.atoms[t.Name] = true
			} else {
				s.compared[t.Name] = true
			}
		}
	}
	for _, x := range n.Xs {
		s.survey(x, bound)
	}
}

// checkBody reports what is not allowed in the braces of a counting literal or aggregate.
func (s *scoping) checkBody(n *Node, of Aggregate) {
	switch n.Op {
	case OpAnd:
		for _, x := range n.Xs {
			s.checkBody(x, of)
		}
		return
	case OpNot:
		if op := n.Xs[0].Op; op == OpAtom || op == OpEqual {
			s.checkBody(n.Xs[0], of)
			return
		}
	case OpAtom:
		if s.isTarget(n) {
			s.refuse(n.Pos, "target predicate %s in %s, which is evidence", n.plainName(), of.Noun())
		}
		return
	case OpEqual, OpCompare:
		return
	case OpCount:
		s.refuse(n.Pos, "%s within %s", n.Kind.Noun(), of.Noun())
		return
	case OpOr, OpImplies, OpIff, OpExists, OpForAll:
	}
	s.refuse(n.Pos, "the braces of %s hold a conjunction of literals", of.Noun())
}

// checkPart reports a variable before | that is not local there, and that no atom behind it binds.
func (s *scoping) checkPart(n *Node, outer []string) {
	if n.Kind != AggregateShare {
		return
	}
	bound := map[string]bool{}
	for m := range n.Xs[0].all() {
		for _, t := range m.Args {
			if m.Op == OpAtom {
				bound[t.Name] = true
			}
		}
	}
	for t := range n.Xs[1].free(nil) {
		if !bound[t.Name] && (s.atoms[t.Name] || slices.Contains(outer, t.Name) || hasName(n.Args, t.Name)) {
			s.refuse(t.Pos, "variable %s stands before | only: an atom behind it must bind it too", t.Name)
		}
	}
}

// scoped returns the tree with the inner variables of its counting literals.
func (s *scoping) scoped(n *Node, bound []string) *Node {
	if n.Op != OpCount {
		if n.isQuantifier() {
			bound = withNames(bound, n.Args)
		}
		return n.mapped(func(x *Node) *Node { return s.scoped(x, bound) })
	}
	for _, t := range n.Args {
		if s.atoms[t.Name] || s.compared[t.Name] || slices.Contains(bound, t.Name) {
			s.refuse(t.Pos, "variable %s is listed here, so that it may not stand outside of the braces", t.Name)
		}
	}
	s.checkPart(n, bound)
	m := *n
	for _, t := range openVariables(n, bound) {
		switch {
		case s.atoms[t.Name]:
		case s.compared[t.Name]:
			s.refuse(t.Pos, "only comparisons, counting literals and aggregates mention variable %s", t.Name)
		case s.counts[t.Name] > 1:
			s.refuse(t.Pos, "only counting literals and aggregates share variable %s", t.Name)
		default:
			m.Inner = append(m.Inner, Term{Kind: TermVariable, Name: t.Name, Pos: t.Pos})
		}
	}
	return &m
}

// checkClause reports a variable of a counting literal that occurs in no atom of its clause: as a separate formula the clause would count
// over it. It reports whether there is none.
func (c *checker) checkClause(n *Node) bool {
	s := c.surveyed(n)
	for _, name := range slices.Sorted(maps.Keys(s.counts)) {
		if !s.atoms[name] {
			return c.refuse(n.Pos, "only a counting literal or aggregate mentions variable %s in a clause of the conjunctive normal form", name)
		}
	}
	return true
}

// openVariables returns the first mention of each variable in a counting literal's braces bound neither by it nor by a quantifier.
func openVariables(n *Node, bound []string) []Term {
	var out []Term
	for t := range n.free(bound) {
		if !hasName(out, t.Name) {
			out = append(out, t)
		}
	}
	return out
}
