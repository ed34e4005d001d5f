package gain

import (
	"math"
	"slices"

	"resolwe/internal/elementary"
)

// Ridge returns the logistic regression on the logarithms of all candidates' counts. Weights have Gaussian priors of precision opt.Shrink /
// the variance of the logarithm, and are 0 for constant counts. Of the options, it uses Shrink and Stop. The errors are those of Select.
func (m *Matrix) Ridge(opt Options) (*Result, error) {
	if err := m.checkRows(); err != nil {
		return nil, err
	}
	o, v := opt.filled(), m.view(m.all())
	f := v.fit(&o)
	unknown := Figures{math.NaN(), math.NaN(), math.NaN()}
	res := &Result{Family: FamilyLogs, Shrink: o.Shrink, Base: unknown, BaseRate: m.BaseRate(), Size: len(m.spans)}
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
		if e := v.entries(&column); e.varies(len(v.rows)) && (!m.isMeasure(c) || len(m.cutsOf(c)) > 0) {
			f.include(e)
			added = append(added, c)
		}
	}
	f.many = len(added) > fewColumns
	f.residuals(nil)
	f.refresh()
	f.optimum(o.Shrink)
	if err := o.Stop(); err != nil {
		return nil, err
	}
	res.Bias, res.Weights = f.w[0], make([]float64, len(m.spans))
	for i, c := range added {
		res.Weights[c] = f.w[i+1]
	}
	return res, nil
}

// fewColumns is the most columns for which Ridge computes the Hessian.
const fewColumns = 400

// solve approximates the Newton step for a gradient by conjugate gradients, preconditioned by the Hessian's diagonal, using only products
// of the Hessian with a vector (truncated Newton; Nash and Nocedal, 1991).
func (f *fit) solve(g []float64, shrink float64) []float64 {
	n := len(g)
	x, r, p, q, diagonal := make([]float64, n), slices.Clone(g), make([]float64, n), make([]float64, n), f.diagonal(shrink)
	rows, before, first := make([]float64, len(f.z)), 0.0, 0.0
	for step := range 200 {
		for c, v := range r {
			q[c] = v / diagonal[c]
		}
		now := elementary.Dot(r, q)
		if step == 0 {
			first = now
		}
		if now <= 1e-4*first || f.stopped() {
			break
		}
		for c, v := range q {
			if step == 0 {
				p[c] = v
			} else {
				p[c] = v + float64(now/before*p[c])
			}
		}
		before = now
		f.product(p, q, rows, shrink)
		t := now / elementary.Dot(p, q)
		for c, v := range p {
			x[c] += float64(t * v)
			r[c] -= float64(t * q[c])
		}
	}
	return x
}

// product sets out to the Hessian times v; rows is scratch. It runs tasks over rows and then over columns concurrently, with each sum in
// the order of the rows.
func (f *fit) product(v, out, rows []float64, shrink float64) {
	sums := make([]float64, f.countBlocks())
	f.opt.Run(len(sums), func(b int) {
		lo, hi := f.block(b)
		for i := lo; i < hi; i++ {
			rows[i] = v[0]
		}
		for c := range f.columns {
			f.blocks[c][b].addTo(rows, v[c+1])
		}
		for i := lo; i < hi; i++ {
			rows[i] *= f.h[i]
		}
		sums[b] = sum(rows[lo:hi])
	})
	out[0] = 0
	for _, s := range sums {
		out[0] += s
	}
	out[0] += float64(1e-9 * v[0])
	some := (len(f.columns) + columnTasks - 1) / columnTasks
	f.opt.Run(columnTasks, func(k int) {
		for c := min(k*some, len(f.columns)); c < min((k+1)*some, len(f.columns)); c++ {
			dot := 0.0
			for b := range sums {
				dot += f.blocks[c][b].dot(rows)
			}
			out[c+1] = dot + float64(shrink*f.vars[c]*v[c+1])
		}
	})
}

// columnTasks is the number of tasks for the columns of a product.
const columnTasks = 32

// diagonal returns the diagonal of the Hessian.
func (f *fit) diagonal(shrink float64) []float64 {
	d := append(make([]float64, 0, len(f.w)), sum(f.h)+1e-9)
	for c := range f.columns {
		d = append(d, f.columns[c].squared(f.h)+float64(shrink*f.vars[c]))
	}
	return d
}

// squared returns the sum of values times the squared column, of ones or of levels.
func (e *entries) squared(values []float64) (s float64) {
	if e.levels == nil { // the rule of a measure
		return e.dot(values)
	}
	for at, i := range e.rows {
		v := logs[e.levels[at]]
		s += float64(values[i] * float64(v*v))
	}
	return s
}

// varies reports whether a column of levels has more than one value on n rows.
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
