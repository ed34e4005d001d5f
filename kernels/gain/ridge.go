package gain

import "math"

// Ridge returns the logistic regression on the logarithms of all candidates' counts, whose weights have Gaussian priors of
// precision shrink / the variance of the logarithm: the bias and the weights by candidate, 0 where a count never varies. It
// takes time rows x candidates^2. It returns an [*OptionError] where shrink is not above 0, or a [*RowsError].
func (m *Matrix) Ridge(shrink float64) (bias float64, weights []float64, err error) {
	if !(shrink > 0) || math.IsInf(shrink, 1) {
		return 0, nil, &OptionError{"shrink", shrink}
	}
	if err := m.checkRows(); err != nil {
		return 0, nil, err
	}
	v := m.view(m.all())
	f := v.fit()
	var added []int
	for c, s := range m.spans {
		e := v.entries(&column{log: true, literals: []literal{{cut{c, 1, s}, false}}})
		if e.varies(len(v.rows)) {
			f.add(e)
			added = append(added, c)
		}
	}
	f.optimum(shrink)
	weights = make([]float64, len(m.spans))
	for i, c := range added {
		weights[c] = f.w[i+1]
	}
	return f.w[0], weights, nil
}

// varies tells whether a column of levels has more than one value on n rows.
func (e *entries) varies(n int) bool {
	if len(e.rows) < n {
		return len(e.rows) > 0
	}
	for _, l := range e.levels {
		if l != e.levels[0] {
			return true
		}
	}
	return false
}
