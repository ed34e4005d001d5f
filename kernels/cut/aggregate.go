package cut

import (
	"math"
	"slices"

	"resolwe/format/recipe"
	"resolwe/format/table"
)

// aggregation says how rows become tuples of a head: the first columns are what they are grouped by.
type aggregation struct {
	groups int
	terms  []aggregateTerm // of the head, in order
}

type aggregateTerm struct {
	function recipe.Aggregate // AggregateNone for a column of the group
	column   int
	float    bool
}

// aggregate appends a tuple for each group of rows, which it sorts unless they are. It reports whether all sums fit.
func (e *evaluator) aggregate(a *aggregation, src, dst *rows) bool {
	e.normalize(src)
	for lo := 0; lo < src.n; {
		hi := lo + 1
		for hi < src.n && slices.Equal(src.row(lo)[:a.groups], src.row(hi)[:a.groups]) {
			hi++
		}
		for _, t := range a.terms {
			v, ok := e.term(&t, src, lo, hi)
			if !ok {
				return false
			}
			dst.data = append(dst.data, v)
		}
		dst.n++
		lo = hi
	}
	return true
}

// term returns one term for the group of rows from lo to hi.
func (e *evaluator) term(t *aggregateTerm, src *rows, lo, hi int) (uint64, bool) {
	if t.function == recipe.AggregateNone {
		return src.row(lo)[t.column], true
	}
	e.key = e.key[:0]
	for i := lo; i < hi; i++ {
		e.key = append(e.key, src.row(i)[t.column])
	}
	values := e.key
	switch t.function {
	case recipe.AggregateMin:
		return slices.Min(values), true
	case recipe.AggregateMax:
		return slices.Max(values), true
	case recipe.AggregateCount:
		slices.Sort(values)
		return encodeInt(int64(len(slices.Compact(values)))), true
	case recipe.AggregateSum:
		return sum(values, t.float)
	case recipe.AggregateNone:
	}
	panic("cut: not an aggregate")
}

// sum adds values up, floats in ascending order. It reports whether the sum fits.
func sum(values []uint64, float bool) (uint64, bool) {
	if float {
		slices.Sort(values)
		total := 0.0
		for _, v := range values {
			total += decodeFloat(v)
		}
		return encodeFloat(total), !math.IsInf(total, 0)
	}
	var high, low int64 // of the sum, the low part within 2^32
	for _, v := range values {
		n := decodeInt(v)
		low += n & (1<<32 - 1)
		high += n>>32 + low>>32
		low &= 1<<32 - 1
	}
	if high != int64(int32(high)) {
		return 0, false
	}
	return encodeInt(high<<32 | low), true
}

// isFloat reports whether a term holds floats.
func isFloat(t recipe.Type) bool { return t.Kind == table.KindFloat }
