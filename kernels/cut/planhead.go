package cut

import (
	"maps"
	"slices"

	"resolwe/format/table/recipe"
)

// head gives the last component the columns of the head.
func (p *rulePlanner) head() (rulePlan, *size) {
	last := p.parts[0]
	n, slots := p.reopen(last)
	p.addChecks(&n, slots, last.size)
	groups, rest, agg := p.columns(&n, slots)
	n.out = slices.Concat(groups, rest)
	return rulePlan{p.intern(n), agg}, last.size.forHead(p.rule.Terms)
}

// columns returns the slots of the terms that are no aggregates, those that aggregates need, and how to aggregate; nil
// where nothing is to be.
func (p *rulePlanner) columns(n *node, slots map[int]int) (groups, rest []int, agg *aggregation) {
	agg = &aggregation{}
	whole, some := false, false
	for _, h := range p.rule.Terms {
		if h.Aggregate == recipe.AggregateNone {
			agg.terms = append(agg.terms, aggregateTerm{column: len(groups)})
			groups = append(groups, p.operand(n, h.Term, slots))
			continue
		}
		agg.terms = append(agg.terms, aggregateTerm{function: h.Aggregate, float: isFloat(h.Term.Type)})
		whole, some = whole || h.Aggregate == recipe.AggregateSum, true
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
