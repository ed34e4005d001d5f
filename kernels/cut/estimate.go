package cut

import (
	"math"
	"slices"

	"resolwe/format/lex"
)

// selectivity returns the estimated fraction of rows that satisfy a comparison.
func selectivity(op lex.Comparison) float64 {
	switch op {
	case lex.SameAs:
		return 1.0 / 10
	case lex.OtherThan:
		return 1
	case lex.Less, lex.AtMost, lex.Greater, lex.AtLeast:
	}
	return 1.0 / 3
}

// patternSelectivity estimates the fraction of a relation's rows that match a pattern.
func (p *planner) patternSelectivity(t *atom) float64 {
	r, share := p.relations[t.relation], 1.0
	for _, e := range t.equal {
		share /= r.columnStats(e[1]).distinct
	}
	for _, b := range t.bounds {
		if b.op == lex.SameAs {
			share /= r.columnStats(b.column).distinct
		} else {
			share *= selectivity(b.op)
		}
	}
	return share
}

// fanOut returns the expected number of rows of an atom's pattern for one binding of some of its columns.
func (p *planner) fanOut(t *atom, columns []int) float64 {
	r := p.relations[t.relation]
	least, all := math.Inf(1), p.patternSelectivity(t)
	for _, c := range columns {
		s := r.columnStats(c)
		least = min(least, s.fanOut*s.distinct)
		all /= s.distinct
	}
	if len(columns) == 0 {
		return float64(r.n) * all
	}
	return least * all
}

// work estimates how many rows a join of components i and k visits.
func (p *rulePlanner) work(a, b *component, i, k int) float64 {
	if b.table == nil {
		if p.within(b, a) || p.within(a, b) {
			return 0
		}
		return p.joined(a, b)
	}
	bound, fresh := p.columnsOf(a, b, i, k)
	if len(fresh) == 0 {
		return 0
	}
	return a.rows * p.fanOut(b.table, bound)
}

// joined estimates the rows of a join of two components: for nodes that share variables, as if these were the key of the smaller one.
func (p *rulePlanner) joined(a, b *component) float64 {
	switch {
	case b.table != nil:
		bound := slices.Clone(b.table.center)
		for _, v := range b.vars {
			if slices.Contains(a.vars, v) {
				bound = append(bound, b.table.column[v])
			}
		}
		return a.rows * p.fanOut(b.table, bound)
	case shares(a, b):
		return max(a.rows, b.rows)
	}
	return a.rows * b.rows
}
