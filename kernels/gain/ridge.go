package gain

import (
	"math"

	"resolwe/kernels/features"
)

// Ridge returns the logistic regression on the logarithms of all candidates' counts. Weights have Gaussian priors of precision opt.Shrink /
// the variance of the logarithm, and are 0 for constant counts. Of the options, it uses Shrink and Stop. The errors are those of Select.
func (m *Matrix) Ridge(opt Options) (*Result, error) {
	if err := m.checkRows(); err != nil {
		return nil, err
	}
	o, v := opt.filled(), m.view(m.all())
	unknown := Figures{math.NaN(), math.NaN(), math.NaN()}
	res := &Result{Family: FamilyLogs, Shrink: o.Shrink, Base: unknown, BaseRate: m.BaseRate(), Size: len(m.spans)}
	rows, columns := v.observed(), []features.Column{features.Ones(len(v.rows))}
	var added []int
	for c := range m.spans {
		column := Column{Kind: KindLog, Literals: []Literal{{Candidate: c, AtLeast: 1}}}
		if cuts := m.cutsOf(c); m.isMeasure(c) { // measures have no logarithm: use the middle cut
			column.Kind = KindRule
			if len(cuts) > 0 {
				column.Literals[0] = cuts[len(cuts)/4*2].literal(c)
			}
		}
		res.Columns = append(res.Columns, column)
		res.Path = append(res.Path, Step{Column: column, Gain: math.NaN(), TrueRate: math.NaN(), After: unknown})
		if e := v.values(&column); e.Varies(len(v.rows)) && (!m.isMeasure(c) || len(m.cutsOf(c)) > 0) {
			columns = append(columns, e)
			added = append(added, c)
		}
	}
	work := o.work()
	work.Lean = len(added) > fewColumns
	f := features.NewFit(rows, columns, []float64{rows.BaseLogOdds()}, work)
	f.Optimum(features.Prior{Shrink: o.Shrink}, exact*float64(len(v.rows)))
	if err := o.Stop(); err != nil {
		return nil, err
	}
	res.Bias, res.Weights = f.Weights[0], make([]float64, len(m.spans))
	for i, c := range added {
		res.Weights[c] = f.Weights[i+1]
	}
	return res, nil
}

// fewColumns is the most columns for which Ridge computes the Hessian.
const fewColumns = 400
