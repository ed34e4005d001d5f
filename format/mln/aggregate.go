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
