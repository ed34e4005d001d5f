package gain

import (
	"math"
	"slices"

	"resolwe/kernels/features"
)

// Ridge returns the logistic regression on all candidates: the logarithms of counts, the ranks of values and whether there is one. Weights
// have Gaussian priors of precision opt.Shrink / the variance of the column, and are 0 for constant columns. Of the options, it uses Shrink
// and Stop. The errors are those of Select.
func (m *Matrix) Ridge(opt Options) (*Result, error) {
	if err := m.checkRows(); err != nil {
		return nil, err
	}
	o, v := opt.filled(), m.view(m.all())
	unknown := Figures{math.NaN(), math.NaN(), math.NaN()}
	res := &Result{Family: FamilyLogs, Shrink: o.Shrink, Base: unknown, BaseRate: m.BaseRate()}
	rows, columns := v.observed(), []features.Column{features.Ones(len(v.rows))}
	var added []int
	for c := range m.spans {
		if m.isMeasure(c) {
			res.Columns = append(res.Columns, m.ranked(c)...)
			continue
		}
		res.Columns = append(res.Columns, Column{Kind: KindLog, Literals: []Literal{{Candidate: c, AtLeast: 1}}})
	}
	res.Size = len(res.Columns)
	for i := range res.Columns {
		column := &res.Columns[i]
		res.Path = append(res.Path, Step{Column: *column, Gain: math.NaN(), TrueRate: math.NaN(), After: unknown})
		if e := v.values(column); e.Varies(len(v.rows)) {
			columns = append(columns, e)
			added = append(added, i)
		}
	}
	work := o.work()
	work.Lean = len(added) > fewColumns
	f := features.NewFit(rows, columns, []float64{rows.BaseLogOdds()}, work)
	f.Optimum(features.Prior{Shrink: o.Shrink}, exact*float64(len(v.rows)))
	if err := o.Stop(); err != nil {
		return nil, err
	}
	res.Bias, res.Weights = f.Weights[0], make([]float64, res.Size)
	for i, at := range added {
		res.Weights[at] = f.Weights[i+1]
	}
	return res, nil
}

// fewColumns is the most columns for which Ridge computes the Hessian.
const fewColumns = 400

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
		out = append(out, Column{Kind: KindRank, Literals: literal, Numbers: at})
	}
	if len(defined) < m.Rows() {
		out = append(out, Column{Kind: KindValue, Literals: literal})
	}
	return out
}
