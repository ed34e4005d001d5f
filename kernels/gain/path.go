package gain

import (
	"math"
	"slices"
)

// growth returns the shrinkage at which paths grow on so many rows: that of good held-out predictions with many columns, so
// that a column is taken for what is left of its gain after it. It rises with the rows, but slower: rows of one subgraph are
// not independent.
func growth(rows int) float64 { return 3 * math.Sqrt(float64(rows)) }

// shrinks are the shrinkages that held-out rows choose from.
var shrinks = [...]float64{10, 30, 100, 300, 1000}

// path is a sequence of columns after those of a model, and the weights after each of them.
type path struct {
	basis
	fit       *fit // on the rows that the path grows on; after that what it was made of
	found     []found
	weights   [][][]float64 // by number of columns found, then shrinkage: the intercept, the model's, then those found
	redundant [][]int       // candidates that a column made redundant
}

// newPath grows a path on a view; watched, it computes all gains in each round, and tells which candidates columns make
// redundant.
func newPath(v *view, family Family, opt *Options, watched bool) *path {
	period := opt.period
	if watched {
		period = 1
	}
	s := newSearch(v, family, opt, period)
	p := &path{fit: v.fit()}
	var before []float64
	p.grow(opt, func(f *fit) (best found, e entries, ok bool) {
		s.read(f)
		best, e, ok = s.round(f.columns)
		if watched {
			after := s.gains()
			if n := len(p.found); n > 0 {
				p.redundant = append(p.redundant, redundant(&p.found[n-1], before, after))
			}
			before = after
		}
		return best, e, ok
	})
	return p
}

// refits bounds the Newton steps after an addition. A path needs one or two.
const refits = 10

// grow adds the columns that next finds.
func (p *path) grow(opt *Options, next func(*fit) (found, entries, bool)) {
	f := p.fit
	f.stop = opt.Stop
	shrink := growth(len(f.truth))
	f.refit(shrink, leastGain*opt.slack, refits)
	p.record(opt)
	for {
		best, e, ok := next(f)
		if !ok || len(p.found) == opt.Formulas {
			break
		}
		f.add(e)
		p.found = append(p.found, best)
		f.refit(shrink, max(best.gain, leastGain)*opt.slack, refits)
		p.record(opt)
	}
	p.fit = &fit{truth: f.truth, offset: f.offset, columns: f.columns, stop: f.stop}
}

// record notes the weights at each shrinkage, each found from those at the next one up.
func (p *path) record(opt *Options) {
	tolerance := near
	if slices.Contains(sizes(opt.Formulas), len(p.found)) {
		tolerance = nearer
	}
	shrinks, f := opt.shrinks(), p.fit
	w := make([][]float64, len(shrinks))
	for i, shrink := range slices.Backward(shrinks) {
		w[i], f = f.at(shrink, tolerance)
		w[i] = p.expand(w[i])
	}
	p.weights = append(p.weights, w)
}

// model returns the path up to size columns found, or all where there are fewer.
func (p *path) model(size, shrink int) *Model {
	size = min(size, len(p.found))
	return p.withWeights(size, p.weights[size][shrink])
}

// withWeights returns the path up to size columns found, with these weights.
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

// finish notes the path and fits the weights of its first columns, as many as are selected.
func (p *path) finish(res *Result) {
	old, k := p.fit, p.columns()
	for i := range p.found {
		s := Step{Column: p.found[i].column, Gain: p.found[i].gain}
		s.Support, s.TrueRate = old.columns[k+i].support(old.truth)
		if p.redundant != nil {
			s.Redundant = p.redundant[i]
		}
		res.Path = append(res.Path, s)
	}
	if p.base != nil && res.Size == 0 {
		res.Model = *p.base
		return
	}
	f := newFit(old.truth, old.offset)
	f.stop = old.stop
	for _, e := range old.columns[:k+res.Size] {
		f.add(e)
	}
	f.optimum(res.Shrink)
	res.Model = *p.withWeights(res.Size, p.expand(f.w))
}

// basis is the model that a path begins with, nil for none, as it enters a fit: as its columns; or scaled, with its log-odds as
// the offset and as one column, whose weight is what a factor of all weights exceeds 1 by. Few rows tell a factor, where they
// would tell the weights of many columns worse than the rows that these were selected on.
type basis struct {
	base   *Model
	scaled bool
}

// columns returns how many columns of a fit are the model's.
func (b *basis) columns() int {
	switch {
	case b.base == nil:
		return 0
	case b.scaled:
		return min(1, len(b.base.Columns)) // without columns nothing varies
	}
	return len(b.base.Columns)
}

// start returns a fit of the model on a view, at its weights.
func (b *basis) start(v *view) *fit {
	columns := make([]entries, len(b.base.Columns))
	for i := range columns {
		e := v.entries(&b.base.Columns[i])
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
	z, offset := logOdds(len(v.rows), weights, nil, columns), make([]float64, len(v.rows))
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

// logOdds returns those of n rows by weights, given the offsets of the rows and the values of the columns there.
func logOdds(n int, weights, offset []float64, columns []entries) []float64 {
	z := make([]float64, n)
	for i := range z {
		z[i] = weights[0]
	}
	for i, v := range offset {
		z[i] += v
	}
	for c, w := range weights[1:] {
		columns[c].addTo(z, w)
	}
	return z
}

const (
	rivals    = .5 // share of a column's gain from which a candidate rivals it
	exhausted = .1 // share of its own gain below which a rival has become redundant
)

// redundant returns the candidates, none of the column's own, that a column made redundant, by gains before and after it.
func redundant(f *found, before, after []float64) (list []int) {
	for c, g := range before {
		own := slices.ContainsFunc(f.column.Literals, func(l Literal) bool { return l.Candidate == c })
		if !own && g >= rivals*f.gain && after[c] < exhausted*g {
			list = append(list, c)
		}
	}
	return list
}
