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

// path is a sequence of columns, and the weights after each of them.
type path struct {
	found   []found
	entries []entries     // of a column on the rows that the path grew on
	weights [][][]float64 // by number of columns, then shrinkage: the intercept, then the columns'

	redundant [][]int // candidates that a column made redundant
}

// newPath grows a path on a view; watched, it computes all gains in each round, and tells which candidates columns make
// redundant.
func newPath(v *view, family Family, opt *Options, watched bool) *path {
	period := opt.period
	if watched {
		period = 1
	}
	s := newSearch(v, family, opt, period)
	f, p := v.fit(), &path{}
	f.stop = opt.Stop
	f.refit(s.growth, leastGain*opt.slack, refits)
	p.record(f, opt)
	var before []float64
	for {
		s.read(f)
		best, e, ok := s.round(f.columns)
		if watched {
			after := s.gains()
			if n := len(p.found); n > 0 {
				p.redundant = append(p.redundant, redundant(&p.found[n-1], before, after))
			}
			before = after
		}
		if !ok || len(p.found) == opt.Formulas {
			break
		}
		f.add(e)
		p.found = append(p.found, best)
		f.refit(s.growth, max(best.gain, leastGain)*opt.slack, refits)
		p.record(f, opt)
	}
	p.entries = f.columns
	return p
}

// refits bounds the Newton steps after an addition. A path needs one or two.
const refits = 10

// record notes the weights.
func (p *path) record(f *fit, opt *Options) {
	w, tolerance := make([][]float64, 0, len(shrinks)), near
	if slices.Contains(sizes(opt.Formulas), len(p.found)) {
		tolerance = nearer
	}
	for _, shrink := range opt.shrinks() {
		w = append(w, f.at(shrink, tolerance))
	}
	p.weights = append(p.weights, w)
}

// logOdds sets z to those of rows by weights, given the offsets of the rows and the values of the columns there.
func logOdds(z, weights, offset []float64, columns []entries) {
	for i := range z {
		z[i] = weights[0]
	}
	for i, v := range offset {
		z[i] += v
	}
	for c, w := range weights[1:] {
		columns[c].addTo(z, w)
	}
}
