package mln

import (
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
	AggregateLast // the first variable where the second, a number too, is greatest; of several the greatest
)

var aggregates = [...]string{
	AggregateCount: "#", AggregateAvg: "avg", AggregateSum: "sum", AggregateMin: "min", AggregateMax: "max", AggregateLast: "last",
}

// String returns what stands before the braces in the task language.
func (a Aggregate) String() string { return aggregates[a] }

// Leading returns how many of the listed variables have a meaning by their place, and are of types of numbers: 2 for
// AggregateLast, 1 for the others, and 0 for AggregateCount.
func (a Aggregate) Leading() int {
	switch a {
	case AggregateCount:
		return 0
	case AggregateLast:
		return 2
	case AggregateAvg, AggregateSum, AggregateMin, AggregateMax:
	}
	return 1
}

// Noun names such a literal in messages.
func (a Aggregate) Noun() string {
	if a == AggregateCount {
		return "a counting literal"
	}
	return "an aggregate"
}

// aggregateOf returns the aggregate whose braces follow, 0 for none.
func (p *parser) aggregateOf() Aggregate {
	if p.Tok.Parts != nil || !p.Peek().Is("{") {
		return AggregateCount
	}
	return Aggregate(max(0, slices.Index(aggregates[:], p.Tok.Text)))
}

// bound parses what an aggregate is compared with.
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
			b.fail(c.Pos, "%v is of numbers, and variable %s is of type %s (%s)", c.Kind, x.Name, s.Types[x.Type], b.first[v])
		}
	}
}

// Quantity returns the number that a formula is about, as a count or an aggregate, and the formula's head: of a conjunction, or an
// implication, of one target literal and one evidence literal that is a counting literal or aggregate, possibly negated; or of
// an atom that states a number and one comparison of it, for which it is the greatest number stated, for < and <= the least. The formula has
// no shape. It returns false for other formulas. The indices of variables are those of the formula, no matter which are free.
func (f *Formula) Quantity(schema *Schema) (c *Count, head *Atom, ok bool) {
	headed, ok := f.Headed(schema)
	if !ok || f.Shape != ShapeNone {
		return nil, nil, false
	}
	rest, last := headed.Head()
	switch {
	case len(rest) == 1 && rest[0].Count != nil:
		return rest[0].Count, last.Atom, true
	case len(rest) != 2:
		return nil, nil, false
	case rest[0].Compare != nil:
		rest[0], rest[1] = rest[1], rest[0]
	}
	stated, order := rest[0].Atom, rest[1].Compare
	if stated == nil || order == nil || rest[0].Negated || schema.isTarget(rest[0]) {
		return nil, nil, false
	}
	c = &Count{Kind: AggregateMax, Listed: []int{order.X.Var}, X: stated}
	if order.Op == Less || order.Op == AtMost {
		c.Kind = AggregateMin
	}
	isIn := func(v int, args []Term) bool {
		return slices.ContainsFunc(args, func(t Term) bool { return t.Kind == TermVariable && t.Var == v })
	}
	for _, t := range stated.Args {
		if t.Kind == TermVariable && t.Var != order.X.Var && !isIn(t.Var, last.Atom.Args) && !slices.Contains(c.Inner, t.Var) {
			c.Inner = append(c.Inner, t.Var)
		}
	}
	return c, last.Atom, isIn(order.X.Var, stated.Args) && !isIn(order.X.Var, last.Atom.Args)
}
