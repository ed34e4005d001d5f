package gain

import (
	"math"
	"slices"

	"resolwe/kernels/features"
)

// growth returns the shrinkage for growing paths on a number of rows. It suits good held-out predictions with many columns, so that a
// column is judged by the gain left after it. It grows more slowly than the rows, since rows of one subgraph are not independent.
func growth(rows int) float64 { return 3 * math.Sqrt(float64(rows)) }

// shrinks are the shrinkages from which held-out rows choose.
var shrinks = [...]float64{10, 30, 100, 300, 1000}

// path is a sequence of columns added to those of a model, and the weights after each.
type path struct {
	basis
	fit       *features.Fit     // on the rows on which the path grows; nil once it has grown
	observed  features.Observed // by the fit
	taken     []features.Column // its columns at last
	found     []found
	weights   [][][]float64 // by number of columns found, then shrinkage: intercept, model's columns, found columns
	redundant [][]int       // candidates that a column made redundant
	strict    int           // columns found up to the first that gains too little for strictSize
}

// strictSize is the size of a path up to the first column that over all rows gains less than the logarithm of the number of columns offered,
// as much as the best of that many useless ones may (risk inflation: Foster and George, 1994).
const strictSize = 1 << 30

// length returns how many columns a path of some size has.
func (p *path) length(size int) int {
	if size == strictSize {
		return p.strict
	}
	return min(size, len(p.found))
}

// newPath grows a path on a view. If watched, it computes all gains in each round, and records which candidates columns make redundant.
func newPath(v *view, family family, opt *Options, watched bool) *path {
	period := opt.period
	switch {
	case watched:
		period = 1
	case family.relative: // which cost more than all others together
		period = lazily
	}
	s := newSearch(v, family, opt, period)
	p := &path{fit: v.fit(opt)}
	var before []float64
	p.grow(opt, func(f *features.Fit) (best found, e features.Column, ok bool) {
		s.read(f)
		best, e, ok = s.round(f.Columns[1:])
		if watched {
			after := s.gains()
			if n := len(p.found); n > 0 {
				var list []int
				if !opt.over() { // else gains are not known
					list = redundant(&p.found[n-1], before, after)
				}
				p.redundant = append(p.redundant, list)
			}
			before = after
		}
		return best, e, ok
	})
	return p
}

// refits bounds the Newton steps after adding a column. A path needs one or two.
const refits = 10

// grow adds the columns that next finds.
func (p *path) grow(opt *Options, next func(*features.Fit) (found, features.Column, bool)) {
	f := p.fit
	prior := features.Prior{Shrink: growth(len(f.Truth))}
	f.Climb(prior, leastGain*opt.slack, refits)
	p.record(opt)
	for {
		best, e, ok := next(f)
		if len(p.found) == opt.Formulas {
			break
		}
		if over := opt.over(); over || !ok {
			if over {
				opt.cut.Store(true)
			}
			break
		}
		f.Add(e)
		if p.strict == len(p.found) && best.gain >= float64(opt.strict*float64(len(f.Truth))) {
			p.strict++
		}
		p.found = append(p.found, best)
		opt.Done(1)
		f.Climb(prior, max(best.gain, leastGain)*opt.slack, refits)
		p.record(opt)
	}
	opt.Done(opt.Formulas - len(p.found))
	p.fit, p.observed, p.taken = nil, f.Observed, f.Columns
}

// Gains of a Newton step, in nats a row, below which the weights after it count as optimal; the smaller one if the weights are judged. Those
// of the result are within exact of their optimum.
const near, nearer, exact = 1e-2, 3e-4, 1e-9

// record stores the weights at each shrinkage, each starting from those of the next larger one.
func (p *path) record(opt *Options) {
	tolerance := near
	if slices.Contains(sizes(opt.Formulas), len(p.found)) {
		tolerance = nearer
	}
	shrinks, f := opt.shrinks(), p.fit
	w := make([][]float64, len(shrinks))
	for i, shrink := range slices.Backward(shrinks) {
		w[i], f = f.At(features.Prior{Shrink: shrink}, tolerance*float64(len(f.Truth)), refits)
		w[i] = p.expand(w[i])
	}
	p.weights = append(p.weights, w)
}

// model returns the path up to size found columns, or all if there are fewer.
func (p *path) model(size, shrink int) *Model {
	size = p.length(size)
	return p.withWeights(size, p.weights[size][shrink])
}

// withWeights returns the path up to size found columns, with these weights.
func (p *path) withWeights(size int, w []float64) *Model {
	m := &Model{Bias: w[0], Weights: w[1:]}
	if p.base != nil {
		m.Columns = slices.Clone(p.base.Columns)
	}
	for i := range p.found[:size] {
		m.Columns = append(m.Columns, p.found[i].column)
	}
	return m
}

// finish records the path and fits the weights of the selected columns, the first ones.
func (p *path) finish(res *Result, opt *Options) {
	k := 1 + p.width()
	for i := range p.found {
		s := Step{Column: p.found[i].column, Gain: p.found[i].gain}
		s.Support, s.TrueRate = p.taken[k+i].Support(p.observed.Truth)
		if p.redundant != nil {
			s.Redundant = p.redundant[i]
		}
		res.Path = append(res.Path, s)
	}
	if p.base != nil && res.Size == 0 {
		res.Model = *p.base
		return
	}
	f := intercept(p.observed, opt)
	for _, c := range p.taken[1 : k+res.Size] {
		f.Add(c)
	}
	f.Optimum(features.Prior{Shrink: res.Shrink}, exact*float64(len(f.Truth)))
	res.Model = *p.withWeights(res.Size, p.expand(f.Weights))
}

// basis is how a path's initial model, nil for none, enters a fit: as its columns; or scaled, with its log-odds as the offset and as one
// column, whose weight is a factor on all weights, minus 1. Few rows determine a factor better than the weights of many columns, which were
// selected on more rows.
type basis struct {
	base   *Model
	scaled bool
}

// width returns how many columns of a fit, without the intercept, belong to the model.
func (b *basis) width() int {
	switch {
	case b.base == nil:
		return 0
	case b.scaled:
		return min(1, len(b.base.Columns)) // without columns nothing varies
	}
	return len(b.base.Columns)
}

// start returns a fit of the model on a view, at the model's weights.
func (b *basis) start(v *view, opt *Options) *features.Fit {
	columns, weights, rows := v.columns(b.base), b.base.weights(), v.observed()
	for i := range columns {
		columns[i] = columns[i].Clone() // releases the view
	}
	if !b.scaled {
		f := intercept(rows, opt)
		for _, c := range columns[1:] {
			f.Add(c)
		}
		weights[0] -= f.Weights[0]
		f.Move(weights, 1)
		f.Refresh()
		return f
	}
	z := features.LogOdds(len(v.rows), nil, columns, weights)
	offset := make([]float64, len(v.rows))
	copy(offset, rows.Offset)
	for i := range offset {
		offset[i] += z[i]
	}
	rows.Offset = offset
	f := intercept(rows, opt)
	if b.width() > 0 {
		f.Add(features.Dense(z))
	}
	return f
}

// expand splits the weights of a fit into the intercept, the model's columns and the added columns.
func (b *basis) expand(w []float64) []float64 {
	if !b.scaled {
		return w
	}
	factor, k := 1.0, 1+b.width()
	if k > 1 {
		factor += w[1]
	}
	out := []float64{w[0] + float64(factor*b.base.Bias)}
	for _, v := range b.base.Weights {
		out = append(out, float64(factor*v))
	}
	return append(out, w[k:]...)
}

const (
	rivals    = .5 // share of a column's gain from which a candidate rivals it
	exhausted = .1 // share of its own gain below which a rival is redundant
)

// redundant returns the candidates, other than the column's own, that a column made redundant, given gains before and after it.
func redundant(f *found, before, after []float64) (list []int) {
	for c, g := range before {
		own := slices.ContainsFunc(f.column.Literals, func(l Literal) bool { return l.Candidate == c })
		if !own && g >= rivals*f.gain && after[c] < exhausted*g {
			list = append(list, c)
		}
	}
	return list
}
