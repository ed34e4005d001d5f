package gain

// basis is how a model enters a fit that extra columns are added to: as its columns; or scaled, with its log-odds as the
// offset and as one column, whose weight is what a factor of all weights exceeds 1 by. Few rows tell a factor, where they would
// tell the weights of many columns worse than the rows that these were selected on.
type basis struct {
	base   *Model
	scaled bool
}

// columns returns how many columns of a fit are the model's.
func (b *basis) columns() int {
	if b.scaled {
		return min(1, len(b.base.Columns)) // without columns nothing varies
	}
	return len(b.base.Columns)
}

// start returns a fit of the model on a view, at its weights.
func (b *basis) start(v *view) *fit {
	columns := make([]entries, len(b.base.Columns))
	for i := range columns {
		c := v.column(&b.base.Columns[i])
		e := v.entries(&c)
		columns[i] = e.clone() // lets go of the view
	}
	weights := append([]float64{b.base.Bias}, b.base.Weights...)
	if !b.scaled {
		f := v.fit()
		for _, c := range columns {
			f.add(c)
		}
		weights[0] -= f.w[0]
		f.move(weights, 1)
		f.refresh()
		return f
	}
	z, offset := make([]float64, len(v.rows)), make([]float64, len(v.rows))
	logOdds(z, weights, nil, columns)
	copy(offset, v.offsets())
	for i := range offset {
		offset[i] += z[i]
	}
	f := newFit(v.truths(), offset)
	if b.columns() > 0 {
		f.add(entries{dense: z})
	}
	return f
}

// expand returns weights of a fit as the intercept, the model's columns', and those of what was added.
func (b *basis) expand(w []float64) []float64 {
	if !b.scaled {
		return w
	}
	factor, k := 1.0, 1+b.columns()
	if k > 1 {
		factor += w[1]
	}
	out := []float64{w[0] + float64(factor*b.base.Bias)}
	for _, v := range b.base.Weights {
		out = append(out, float64(factor*v))
	}
	return append(out, w[k:]...)
}
