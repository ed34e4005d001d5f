package gain

import (
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/kernels/derive"
	"resolwe/kernels/features"
)

// addValue adds a candidate as a measure if it has a value, unless one with the same value exists. It reports whether it has.
func (t *Target) addValue(schema *mln.Schema, c *mln.Candidate, seen map[string]bool) bool {
	f := c.Valued(schema)
	if f == nil {
		return false
	}
	if key := mln.Canonical(f); !seen[key] {
		seen[key] = true
		n, head, _ := f.Quantity(schema)
		t.addItem(c, derive.Item{Vars: f.Vars, Count: n, Head: head.Args})
		t.valued[len(t.Candidates)-1] = f
	}
	return true
}

// Values reports whether a task of values has any.
func (t *Task) Values() bool {
	return slices.ContainsFunc(t.Targets, func(to *Target) bool { return len(to.valued) > 0 })
}

// mostKnots is the number of knots that stand for the ranks of a measure's values.
const mostKnots = 64

// knots returns knots at which the share of knots below a value is its mid-rank: the share of the values below it, plus half the share of
// those equal to it. Between two values, and beyond the first and last, the mid-rank goes on linearly. It returns nil for fewer than two
// distinct values. The values ascend.
func knots(values []float64) (out []float64) {
	var distinct, ranks []float64
	for i := 0; i < len(values); {
		next := i + 1
		for next < len(values) && values[next] == values[i] {
			next++
		}
		distinct, ranks = append(distinct, values[i]), append(ranks, float64(i+next)/float64(2*len(values)))
		i = next
	}
	if len(distinct) < 2 {
		return nil
	}
	at := 0
	for k := range mostKnots {
		q := float64(float64(k) / mostKnots)
		for at < len(distinct)-2 && ranks[at+1] <= q {
			at++
		}
		low, high := distinct[at], distinct[at+1]
		v := low + float64((q-ranks[at])/(ranks[at+1]-ranks[at])*(high-low))
		if last := len(out) - 1; !math.IsInf(v, 0) && !math.IsNaN(v) && (last < 0 || v > out[last]) {
			out = append(out, v)
		}
	}
	return out
}

// ranked returns the columns of a measure for a ridge regression: the rank of its values, and whether there is one unless all rows have one.
func (m *Matrix) ranked(candidate int) (out []Column) {
	defined := slices.DeleteFunc(slices.Clone(m.values[candidate]), math.IsNaN)
	slices.Sort(defined)
	literal := []Literal{{Candidate: candidate, AtLeast: 1}}
	if at := knots(defined); at != nil {
		out = append(out, Column{Kind: KindRank, Literals: literal, Knots: at})
	}
	if len(defined) < m.Rows() {
		out = append(out, Column{Kind: KindValue, Literals: literal})
	}
	return out
}

// hasValue returns the formula that holds for an atom for which a measure has a value.
func (t *Target) hasValue(candidate int) *mln.Formula {
	f := *t.valued[candidate]
	rest, head := f.Head()
	f.Shape = mln.ShapeNone
	n := rest[0].Count
	switch {
	case n == nil: // a stated number
		f.Shape = mln.ShapeOnce
	case n.Kind == mln.AggregateCount: // of every atom that matches the head
		f.Body, f.Vars = head.Expr(), f.Vars[:f.Free]
	default:
		some := *n
		some.Kind, some.Op, some.K = mln.AggregateCount, mln.AtLeast, 1
		f.Body = &mln.And{Xs: []mln.Expr{&some, head.Expr()}}
	}
	return &f
}

// ranks returns the values of a column of ranks.
func (v *view) ranks(c *Column) features.Column {
	f, phi := mln.Formula{Shape: mln.ShapeRank, Numbers: c.Knots}, make([]float64, len(v.rows))
	for i, row := range v.rows {
		if x := v.Matrix.values[c.Literals[0].Candidate][row]; !math.IsNaN(x) {
			phi[i] = f.Phi(x, 0)
		}
	}
	return features.Dense(phi)
}
