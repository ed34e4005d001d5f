package oracle

import (
	"math/big"

	"resolwe/format/mln"
)

// aggregate returns the value of a counting literal or aggregate of a formula under a binding, and whether it is defined.
func (r *interpretation) aggregate(f *mln.Formula, c *mln.Count, binding []int) (value float64, defined bool) {
	number := func(listed int) *big.Rat {
		v, _ := mln.ParseNumber(r.names[f.Vars[c.Listed[listed]].Type][binding[c.Listed[listed]]])
		return new(big.Rat).SetFloat64(v)
	}
	n, holds := int64(0), int64(0)
	var best, time *big.Rat
	sum := new(big.Rat)
	r.each(f, c.Listed, binding, func() {
		of, part := c.X, mln.Expr(nil)
		if both, ok := of.(*mln.Implies); ok {
			of, part = both.L, &mln.And{Xs: []mln.Expr{both.L, both.R}}
		}
		if !r.some(f, c.Inner, of, binding, true) {
			return
		}
		n++
		if part != nil && r.some(f, c.Inner, part, binding, true) {
			holds++
		}
		if c.Kind.Leading() == 0 {
			return
		}
		x, better := number(0), n == 1
		sum.Add(sum, x)
		switch c.Kind {
		case mln.AggregateCount, mln.AggregateShare, mln.AggregateAvg, mln.AggregateSum:
		case mln.AggregateMin:
			better = better || x.Cmp(best) < 0
		case mln.AggregateMax:
			better = better || x.Cmp(best) > 0
		case mln.AggregateLast, mln.AggregateTrend:
			t := number(1)
			better = better || t.Cmp(time) > 0 || t.Cmp(time) == 0 && x.Cmp(best) > 0
			if better {
				time = t
			}
		}
		if better {
			best = x
		}
	})
	return concluded(c.Kind, n, holds, best, sum)
}

// concluded returns the value of an aggregate of n bindings, and whether it is defined.
func concluded(kind mln.Aggregate, n, holds int64, best, sum *big.Rat) (value float64, defined bool) {
	switch {
	case kind == mln.AggregateCount:
		return float64(n), true
	case n == 0, n == 1 && kind == mln.AggregateTrend:
		return 0, false
	case kind == mln.AggregateShare:
		best = big.NewRat(holds, n)
	case kind == mln.AggregateTrend: // the mean is rounded, then the difference
		mean, _ := sum.Quo(sum.Sub(sum, best), big.NewRat(n-1, 1)).Float64()
		best.Sub(best, new(big.Rat).SetFloat64(mean))
	case kind == mln.AggregateAvg:
		best = sum.Quo(sum, new(big.Rat).SetInt64(n))
	case kind == mln.AggregateSum:
		best = sum
	}
	value, _ = best.Float64()
	return value, true
}
