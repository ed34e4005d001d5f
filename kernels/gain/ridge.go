package gain

import (
	"math"

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
