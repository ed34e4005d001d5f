package gain

// growth is the shrinkage at which paths grow: that of good held-out predictions with many columns, so that a column is
// taken for what is left of its gain after it.
const growth = 100.0

// shrinks are the shrinkages that held-out rows choose from.
var shrinks = [...]float64{10, 30, 100, 300}

// path is a sequence of columns, and the weights after each of them.
type path struct {
	found   []found
	entries []entries     // of a column on the rows that the path grew on
	weights [][][]float64 // by number of columns, then shrinkage: the intercept, then the columns'

	redundant [][]int // candidates that a column made redundant
}

// newPath grows a path on rows of the matrix; watched, it tells which candidates its columns make redundant.
func (m *Matrix) newPath(rows []int32, family Family, opt *Options, watched bool) *path {
	truth := make([]bool, len(rows))
	s := &search{Matrix: m, opt: opt, family: family, rows: rows, words: make([]uint64, len(rows))}
	for at, i := range rows {
		truth[at] = m.truth[i]
		s.places = append(s.places, int32(at)) // #nosec G115 -- an index of rows
	}
	f, p := newFit(truth, m.offsets(rows)), &path{}
	f.refit(growth, leastGain*opt.slack, refits)
	p.record(f, opt)
	for len(p.found) < opt.Formulas {
		s.read(f)
		best, ok := s.round(f.columns)
		if watched {
			p.watch(s)
		}
		if !ok {
			break
		}
		s.used = append(s.used, best.column)
		f.add(m.entries(&best.column, rows))
		best.total.n = int64(len(f.columns[len(f.columns)-1].rows))
		p.found = append(p.found, best)
		f.refit(growth, max(best.gain, leastGain)*opt.slack, refits)
		p.record(f, opt)
	}
	if watched && len(p.redundant) < len(p.found) {
		s.read(f)
		s.round(f.columns)
		p.watch(s)
	}
	p.entries = f.columns
	return p
}

// refits bounds the Newton steps after an addition. A path needs one or two.
const refits = 10

// record notes the weights.
func (p *path) record(f *fit, opt *Options) {
	w := make([][]float64, 0, len(shrinks))
	for _, shrink := range opt.shrinks() {
		w = append(w, f.at(shrink))
	}
	p.weights = append(p.weights, w)
}

// offsets returns a copy of those of rows, nil for zeros.
func (m *Matrix) offsets(rows []int32) []float64 {
	if m.offset == nil {
		return nil
	}
	o := make([]float64, len(rows))
	for at, i := range rows {
		o[at] = m.offset[i]
	}
	return o
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
