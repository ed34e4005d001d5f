package gain

import "slices"

// settled is how much a Newton step of Refit may promise, in nats, for the weights to stay as they are.
const settled = 1e-2

// Refit fits the weights of an extension again, from where they are, after the values of its extra columns have changed: by
// the extras' places in what Extend was given. It returns the extension with the new weights, HeldOut and the last After, and
// the same columns; x is not to be used any more. It returns an [*ExtraError] or that of opt.Stop.
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
		HeldOut: m.before(), scaled: x.scaled, fits: x.fits,
	}
	some := m.judged()
	err = o.each(1+Folds, func(task int) {
		if task == Folds {
			m.refit(&out.fits[task], &out.ExtendedModel, basis{res.Model(), x.scaled}, m.all(), extras, m.shrinkOf(res), o.Stop)
			return
		}
		if rows, others := some.divide(task); len(rows) > 0 && len(others) > 0 {
			m.refit(&out.fits[task], &out.FoldModels[task], basis{&res.FoldModels[task], x.scaled}, others, extras, m.shrinkOf(res), o.Stop)
			m.predict(out.HeldOut, task, &out.FoldModels[task], extras)
		}
	})
	if err != nil {
		return nil, err
	}
	z := out.HeldOut[:len(some.truth)]
	if out.Size > 0 {
		out.Path[out.Size-1].After = some.figures(z, some.byUnit(z))
	}
	return out, nil
}

// refit fits a model's weights again, by the fit that belongs to it and is made where there is none.
func (m *Matrix) refit(to **fit, model *ExtendedModel, b basis, rows []int32, extras []Extra, shrink float64, stop func() error) {
	if *to == nil {
		*to = b.start(m.view(rows))
		for _, at := range model.Extras {
			(*to).add(extras[at].entries(rows))
		}
	}
	f := *to
	f.stop = stop
	f.replace(model, extras, rows)
	f.refit(shrink, settled, refits)
	w, k := slices.Clone(b.expand(f.w)), len(model.Columns)
	*model = ExtendedModel{Model{model.Columns, w[0], w[1 : k+1]}, model.Extras, w[k+1:]}
}

// replace gives the last columns of a fit new values, at the weights that it has.
func (f *fit) replace(model *ExtendedModel, extras []Extra, rows []int32) {
	k := len(f.columns) - len(model.Extras)
	for i, at := range model.Extras {
		e := extras[at].entries(rows)
		f.columns[k+i], f.blocks[k+i] = e, e.blocks(len(rows))
		f.vars[k+i] = e.moments().variance(float64(len(rows)))
	}
	logOdds(f.z, f.w, f.offset, f.columns)
	f.residuals(nil)
	f.curve(k + 1)
}
