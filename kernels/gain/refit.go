package gain

// settled is how much a Newton step of Refit may promise, in nats, for the weights to stay as they are.
const settled = 1e-2

// Refit fits the weights of an extension again, from where they are, after the values of its extra columns have changed: by
// the extras' places in what Extend was given. It returns the extension with the new weights, HeldOut and the last After, and
// the same columns; x is not to be used any more. It returns an [*ExtraError] or the error of opt.Run.
func (m *Matrix) Refit(x *Extension, res *Result, extras []Extra, opt Options) (*Extension, error) {
	for i, e := range extras {
		if len(e.Values) != len(m.truth) {
			return nil, &ExtraError{i, len(e.Values), len(m.truth)}
		}
	}
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	out := &Extension{
		ExtendedModel: x.ExtendedModel, Path: append([]ExtraStep(nil), x.Path...), Size: x.Size, Base: x.Base, FoldModels: x.FoldModels,
		HeldOut: m.before(), fits: x.fits,
	}
	err = o.Run(1+Folds, func(task int) {
		model, rows, judged := &out.ExtendedModel, m.all(), []int32(nil)
		if task < Folds {
			if judged, rows = m.divide(task); len(judged) == 0 || len(rows) == 0 {
				return
			}
			model = &out.FoldModels[task]
		}
		f := out.fits[task]
		if f == nil {
			f = m.fitOf(model, extras, rows)
			out.fits[task] = f
		}
		f.replace(model, extras, rows)
		f.refit(res.Shrink, settled, refits)
		k := len(model.Columns)
		*model = ExtendedModel{Model{model.Columns, f.w[0], append([]float64(nil), f.w[1:k+1]...)}, model.Extras, append([]float64(nil), f.w[k+1:]...)}
		m.predict(out.HeldOut, model, extras, judged)
	})
	if err != nil {
		return nil, err
	}
	out.Path[out.Size-1].After = m.figures(out.HeldOut, m.byUnit(out.HeldOut))
	return out, nil
}

// fitOf returns a fit of a model on rows.
func (m *Matrix) fitOf(model *ExtendedModel, extras []Extra, rows []int32) *fit {
	truth := make([]bool, len(rows))
	for at, i := range rows {
		truth[at] = m.truth[i]
	}
	f := newFit(truth, m.offsets(rows))
	for i := range model.Columns {
		c := m.column(&model.Columns[i])
		f.add(m.entries(&c, rows))
	}
	for _, at := range model.Extras {
		f.add(extras[at].entries(rows))
	}
	d := append([]float64{model.Bias}, model.Weights...)
	d = append(d, model.ExtraWeights...)
	d[0] -= f.w[0]
	f.move(d, 1)
	f.refresh()
	return f
}

// replace gives the last columns of a fit new values, at the weights that it has.
func (f *fit) replace(model *ExtendedModel, extras []Extra, rows []int32) {
	k := len(model.Columns)
	for i, at := range model.Extras {
		f.columns[k+i] = extras[at].entries(rows)
		f.vars[k+i] = f.columns[k+i].moments().variance(float64(len(rows)))
	}
	logOdds(f.z, f.w, f.offset, f.columns)
	f.residuals()
	for i := range model.Extras {
		f.curve(k + i + 1)
	}
}

// predict sets those log-odds, by row of the matrix, that are the rows'.
func (m *Matrix) predict(z []float64, model *ExtendedModel, extras []Extra, rows []int32) {
	var columns []entries
	for i := range model.Columns {
		c := m.column(&model.Columns[i])
		columns = append(columns, m.entries(&c, rows))
	}
	for _, at := range model.Extras {
		columns = append(columns, extras[at].entries(rows))
	}
	w := append([]float64{model.Bias}, model.Weights...)
	own := make([]float64, len(rows))
	logOdds(own, append(w, model.ExtraWeights...), m.offsets(rows), columns)
	for at, i := range rows {
		z[i] = own[at]
	}
}
