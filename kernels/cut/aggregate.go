package cut

import (
	"cmp"
	"math"
	"slices"

	"resolwe/format/recipe"
	"resolwe/format/table"
)

// aggregation turns rows into tuples of a head; the rows are grouped by their first columns.
type aggregation struct {
	groups int
	terms  []aggregateTerm // of the head, in order
}

type aggregateTerm struct {
	function recipe.Aggregate // AggregateNone for a column of the group
	column   int
	float    bool
	among    []int // for a rank: the head terms in which the ranked tuples agree
}

// isOverBindings reports whether an aggregate ranges over distinct bindings of the body instead of distinct values.
func isOverBindings(a recipe.Aggregate) bool {
	return a == recipe.AggregateSum || a == recipe.AggregateAvg
}

// aggregate appends a tuple for each group of rows, sorting the rows if necessary. It reports whether all sums fit.
func (e *evaluator) aggregate(a *aggregation, src, dst *rows) bool {
	e.normalize(src)
	first := dst.n
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
	for column, t := range a.terms {
		if t.function == recipe.AggregateRank {
			rankRows(dst, first, column, t.among)
		}
	}
	return true
}

// rankRows replaces a column by ranks, 1, 2, .., in descending order, among the tuples from first on that agree in some columns. Equal
// values have equal ranks.
func rankRows(r *rows, first, column int, among []int) {
	order := make([]int, r.n-first)
	for i := range order {
		order[i] = first + i
	}
	compare := func(a, b int) int {
		for _, c := range among {
			if d := cmp.Compare(r.row(a)[c], r.row(b)[c]); d != 0 {
				return d
			}
		}
		return 0
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(compare(a, b), cmp.Compare(r.row(b)[column], r.row(a)[column]))
	})
	n, value := int64(0), uint64(0)
	for i, k := range order {
		v := r.row(k)[column]
		switch {
		case i == 0 || compare(order[i-1], k) != 0:
			n = 1
		case v != value:
			n++
		}
		value, r.row(k)[column] = v, encodeInt(n)
	}
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
	case recipe.AggregateMax, recipe.AggregateRank:
		return slices.Max(values), true
	case recipe.AggregateCount:
		slices.Sort(values)
		return encodeInt(int64(len(slices.Compact(values)))), true
	case recipe.AggregateSum:
		return e.sum(values, t.float)
	case recipe.AggregateAvg: // the exact sum over the number, rounded once
		e.total.Reset()
		for _, v := range values {
			if t.float {
				e.total.Add(decodeFloat(v))
			} else {
				e.total.AddInt(decodeInt(v))
			}
		}
		return encodeFloat(e.total.Mean()), true
	case recipe.AggregateNone:
	}
	panic("cut: not an aggregate")
}

// sum adds values; a sum of floats is rounded once. It reports whether the sum fits.
func (e *evaluator) sum(values []uint64, float bool) (uint64, bool) {
	if float {
		e.total.Reset()
		for _, v := range values {
			e.total.Add(decodeFloat(v))
		}
		total := e.total.Value()
		return encodeFloat(total), !math.IsInf(total, 0)
	}
	var high, low int64 // of the sum; the low part is below 2^32 in size
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
