package gain

import (
	"slices"

	"resolwe/kernels/features"
)

// Extend adds extra columns to a selection. Each has a finite value for each row, such as the mean held-out probability of an atom's
// neighbours. It uses the same gains and the result's shrinkage, and extends each fold's own model. All weights are refitted. The size is
// the smallest that held-out rows cannot tell from the best, and may be 0. Of the options, it uses Formulas, Scaled, Run and Stop. The
// error is that of opt.Stop.
func (m *Matrix) Extend(res *Result, extras [][]float64, opt Options) (*Result, error) {
	m = m.with(extras)
	opt.Done = nil
	o := opt.filled()
	o.Shrink = m.shrinkOf(res)
	some := m.judged()
	var all *path
	trials := make([]*trial, Folds)
	err := o.each(1+Folds, func(task int) {
		if task == Folds {
			all = newExtraPath(m.view(m.used()), &res.Model, &o)
			return
		}
		trials[task] = some.newTrial(task, func(v *view) *path { return newExtraPath(v, &res.FoldModels[task], &o) })
	})
	if err != nil {
		return nil, err
	}
	choices := make([]choice, min(o.Formulas, len(extras))+1)
	err = o.each(len(choices), func(size int) {
		choices[size] = choice{size: size, units: some.likelihoods(some.heldOut(trials, size, 0))}
	})
	if err != nil {
		return nil, err
	}
	size := smallest(choices, 1, bestOf(choices)).size
	x := &Result{Shrink: o.Shrink, Size: min(size, len(all.found)), scaled: o.Scaled}
	return x, m.conclude(x, all, trials, size, 0, &o)
}

// with returns the matrix with extra columns.
func (m *Matrix) with(extras [][]float64) *Matrix {
	out := *m
	out.extras = extras
	return &out
}

// shrinkOf returns the shrinkage of a result for rows that are a sample of its own, in proportion to the information in the rows.
func (m *Matrix) shrinkOf(res *Result) float64 {
	return res.Shrink * float64(len(m.used())) / float64(len(res.HeldOut))
}

// newExtraPath grows a path of the extra columns on a view. It takes the best one for the residuals, the first of equals, and skips
// duplicates of columns already taken.
func newExtraPath(v *view, base *Model, opt *Options) *path {
	p := &path{basis: basis{base, opt.Scaled}}
	p.fit = p.start(v, opt)
	extras := make([]features.Column, len(v.extras))
	for i := range extras {
		extras[i] = v.extra(i, v.rows)
	}
	p.grow(opt, func(f *features.Fit) (best found, e features.Column, ok bool) {
		n := len(f.Truth)
		all := moments{r: f.Gradient[0], h: features.Sum(f.Variance), n: float64(n)}
		of := make([]moments, len(extras))
		for i := range of {
			of[i] = score(&extras[i], f)
		}
		best.gain = leastGain
		for i := range of {
			taken := slices.ContainsFunc(p.found, func(f found) bool { return of[f.column.Extra] == of[i] })
			if gain := of[i].gain(all, growth(n)); gain > best.gain && !taken {
				best, ok = found{column: Column{Kind: KindExtra, Extra: i}, gain: gain}, true
			}
		}
		if ok {
			e = extras[best.column.Extra]
		}
		return best, e, ok
	})
	return p
}

// score returns the moments of a column with values.
func score(e *features.Column, f *features.Fit) (m moments) {
	m.n, m.nn = e.Sums()
	for i, v := range e.Values {
		if len(e.Rows) > 0 {
			i = int(e.Rows[i])
		}
		hv := float64(f.Variance[i] * v)
		m.r += float64(f.Residual[i] * v)
		m.h += hv
		m.hh += float64(hv * v)
	}
	return m
}

// settled is the gain, in nats, of a Newton step below which Refit leaves the weights as they are.
const settled = 1e-2

// Refit refits the weights of an extension of a result, starting from the present ones, after the values of its extra columns have changed.
// It returns the extension with the same columns and with new weights, HeldOut and last After; x must not be used afterwards. The error is
// that of opt.Stop.
func (m *Matrix) Refit(x, res *Result, extras [][]float64, opt Options) (*Result, error) {
	m = m.with(extras)
	o, some, out := opt.filled(), m.judged(), *x
	out.Path, out.HeldOut = slices.Clone(x.Path), m.before()
	shrink := m.shrinkOf(res)
	err := o.each(1+Folds, func(task int) {
		if task == Folds {
			m.refit(&out.fits[task], &out.Model, basis{&res.Model, x.scaled}, m.used(), shrink, &o)
			return
		}
		if rows, others := some.divide(task); len(rows) > 0 && len(others) > 0 {
			m.refit(&out.fits[task], &out.FoldModels[task], basis{&res.FoldModels[task], x.scaled}, others, shrink, &o)
			m.predict(out.HeldOut, task, &out.FoldModels[task])
		}
	})
	if err != nil {
		return nil, err
	}
	used := m.used()
	for i := range out.Path[:out.Size] {
		s := &out.Path[i]
		e := m.extra(s.Extra, used)
		if s.Support, s.TrueRate = e.Support(pick(m.Truth, used)); i == out.Size-1 {
			s.After, _ = some.Judge(out.HeldOut[:len(some.Truth)])
		}
	}
	return &out, nil
}

// refit refits a model's weights with its fit, which is created if missing.
func (m *Matrix) refit(to **features.Fit, model *Model, b basis, rows []uint32, shrink float64, o *Options) {
	last := model.Columns[len(b.base.Columns):]
	extras := make([]features.Column, len(last))
	for i, c := range last {
		extras[i] = m.extra(c.Extra, rows)
	}
	if *to == nil {
		*to = b.start(m.view(rows), o)
		for _, e := range extras {
			(*to).Add(e)
		}
	}
	f := *to
	f.Work = o.work()
	f.Replace(extras)
	f.Climb(features.Prior{Shrink: shrink}, settled, refits)
	w := slices.Clone(b.expand(f.Weights))
	*model = Model{model.Columns, w[0], w[1:]}
}
