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
	n := int64(0)
	var best, time *big.Rat
	sum := new(big.Rat)
	r.each(f, c.Listed, binding, func() {
		if !r.some(f, c.Inner, c.X, binding, true) {
			return
		}
		n++
		if c.Kind == mln.AggregateCount {
			return
		}
		x, better := number(0), n == 1
		sum.Add(sum, x)
		switch c.Kind {
		case mln.AggregateCount, mln.AggregateAvg, mln.AggregateSum:
		case mln.AggregateMin:
			better = better || x.Cmp(best) < 0
		case mln.AggregateMax:
			better = better || x.Cmp(best) > 0
		case mln.AggregateLast:
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
	switch {
	case c.Kind == mln.AggregateCount:
		return float64(n), true
	case n == 0:
		return 0, false
	case c.Kind == mln.AggregateAvg:
		best = sum.Quo(sum, new(big.Rat).SetInt64(n))
	case c.Kind == mln.AggregateSum:
		best = sum
	}
	value, _ = best.Float64()
	return value, true
}
