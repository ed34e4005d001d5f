package gain

import (
	"maps"
	"math"
	"slices"

	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/kernels/features"
	"resolwe/kernels/rank"
)

// trial is a path grown without a fold, and the values of its columns there; empty if the fold has no rows, or all.
type trial struct {
	*path
	rows    []uint32  // the fold's
	offset  []float64 // of those
	columns []features.Column
}

// divide returns the rows of a fold, and the other rows that train it.
func (m *Matrix) divide(fold int) (rows, others []uint32) {
	for i, f := range m.fold {
		switch {
		case int(f) == fold:
			rows = append(rows, uint32(i)) // #nosec G115 -- at most 2^22 rows
		case f != leftOut && (!m.forward || int(f) < fold):
			others = append(others, uint32(i)) // #nosec G115 -- as above
		}
	}
	return rows, others
}

// thinned returns at most that many of the rows, evenly spaced, so that each subgraph keeps its share.
func thinned(rows []uint32, most int) []uint32 {
	if len(rows) <= most {
		return rows
	}
	out := make([]uint32, most)
	for i := range out {
		out[i] = rows[i*len(rows)/most]
	}
	return out
}

// newTrial grows a path without the rows of a fold.
func (m *Matrix) newTrial(fold int, grow func(*view) *path) *trial {
	rows, others := m.divide(fold)
	if len(rows) == 0 || len(others) == 0 {
		return &trial{}
	}
	t := &trial{path: grow(m.view(thinned(others, judgedRows/Folds*(Folds-1)))), rows: rows}
	v := m.view(rows)
	t.offset, t.columns = v.observed().Offset, v.columns(t.model(len(t.found), 0))
	t.observed, t.taken = features.Observed{}, nil // releases them
	return t
}

// predict returns the log-odds of the trial's rows after size columns, or all if there are fewer.
func (t *trial) predict(size, shrink int) []float64 {
	if t.path == nil {
		return nil
	}
	return features.LogOdds(len(t.rows), t.offset, t.columns, t.weights[t.length(size)][shrink])
}

// predict sets the elements of z for a fold's rows by a model.
func (m *Matrix) predict(z []float64, fold int, model *Model) {
	rows, _ := m.divide(fold)
	v := m.view(rows)
	own := features.LogOdds(len(rows), v.observed().Offset, v.columns(model), model.weights())
	for at, i := range rows {
		z[i] = own[at]
	}
}

// heldOut returns the log-odds of all rows after size columns, from the trial of each row's fold.
func (m *Matrix) heldOut(trials []*trial, size, shrink int) []float64 {
	all := m.before()
	for _, t := range trials {
		z := t.predict(size, shrink)
		for at, i := range t.rows {
			all[i] = z[at]
		}
	}
	return all
}

// before returns the log-odds before the model.
func (m *Matrix) before() []float64 {
	z := make([]float64, len(m.Truth))
	copy(z, m.Offset)
	return z
}

// conclude builds a result from a path on all rows and the folds' trials, with size columns at a shrinkage selected.
func (m *Matrix) conclude(res *Result, all *path, trials []*trial, size, shrink int, o *Options) error {
	some, after := m.judged(), make([]Figures, len(all.found)+1)
	res.HeldOut = m.before()
	err := o.each(1+Folds+len(after), func(task int) {
		switch fold, k := task-1, task-1-Folds; {
		case fold < 0:
			all.finish(res, o)
		case k < 0:
			if t := trials[fold]; t.path != nil {
				res.FoldModels[fold] = *t.model(size, shrink)
				m.predict(res.HeldOut, fold, &res.FoldModels[fold])
			}
		default:
			of := k
			if k == res.Size {
				of = size
			}
			after[k], _ = some.Judge(some.heldOut(trials, of, shrink))
		}
	})
	if err != nil {
		return err
	}
	res.Base = after[0]
	for i := range res.Path {
		res.Path[i].After = after[i+1]
	}
	for f, t := range trials {
		if t.path == nil {
			res.FoldModels[f] = res.Model
		}
	}
	return nil
}

// leastP is the distance from 0 and 1 at which probabilities are clipped.
const leastP = 1e-6

// inverse returns 1 over the probability of the truth, clipped.
func inverse(z float64, truth bool) float64 {
	if !truth {
		z = -z
	}
	return min(max(1+elementary.Exp(-z), 1/(1-leastP)), 1/leastP)
}

// Figures are averages over held-out subgraphs.
type Figures struct {
	CLL      float64 // over units: a subgraph's rows in one fold
	MAP, AUC float64 // over subgraphs with both true and false rows; NaN if none
}

// Judge evaluates the log-odds of all rows. It also returns the mean log-likelihood of each subgraph's rows in each fold, in order of rows.
func (m *Matrix) Judge(logOdds []float64) (Figures, []float64) {
	units := m.likelihoods(logOdds)
	areas, precisions := m.rankings(logOdds)
	return Figures{CLL: mean(units), MAP: mean(precisions), AUC: mean(areas)}, units
}

// rankings returns the AUC-ROC and the average precision of each subgraph with true and false rows, some of them in a fold.
func (m *Matrix) rankings(logOdds []float64) (areas, precisions []float64) {
	atoms := make([]rank.Scored, len(m.Truth))
	for i, v := range logOdds {
		atoms[i] = rank.Scored{P: elementary.Sigmoid(v), True: m.Truth[i]}
	}
	for s := range m.Subgraphs {
		if m.unit[m.Start[s]] < 0 {
			continue // none of its rows is in a fold
		}
		if area, precision, ok := rank.Ranks(atoms[m.Start[s]:m.Start[s+1]]); ok {
			areas, precisions = append(areas, area), append(precisions, precision)
		}
	}
	return areas, precisions
}

// likelihoods returns the second result of Judge.
func (m *Matrix) likelihoods(logOdds []float64) []float64 {
	units := make([]float64, m.units)
	m.judge(m.all(), logOdds, units)
	return units
}

// judge sets the mean log-likelihoods of the units of some rows, given the rows' log-odds. It takes one logarithm of the product of many
// rows' probabilities.
func (m *Matrix) judge(rows []uint32, z, units []float64) {
	const most = 1e200
	n, products := make([]float64, m.units), make([]float64, m.units)
	for at, i := range rows {
		u := m.unit[i]
		if u < 0 {
			continue
		}
		if n[u]++; n[u] == 1 {
			products[u] = 1
		}
		if products[u] *= inverse(z[at], m.Truth[i]); products[u] > most {
			units[u] -= elementary.Log(products[u])
			products[u] = 1
		}
	}
	for u, k := range n {
		if k > 0 {
			units[u] = (units[u] - elementary.Log(products[u])) / k
		}
	}
}

func mean(values []float64) float64 { return features.Sum(values) / float64(len(values)) }

// standardError returns the standard error of the mean of values.
func standardError(values []float64) float64 {
	m, s := mean(values), 0.0
	for _, v := range values {
		s += float64((v - m) * (v - m))
	}
	n := float64(len(values))
	return math.Sqrt(s / (n * (n - 1)))
}

// difference returns a less b.
func difference(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i, v := range a {
		d[i] = v - b[i]
	}
	return d
}

// surely reports whether a choice predicts better than another by more than one standard error of the difference.
func surely(c, than *choice) bool {
	d := difference(c.units, than.units)
	return mean(d) > standardError(d)
}

// Blocks divide rows by the times of their subgraphs: they are the first times of all blocks except the first, which holds everything
// earlier. Fold f is block f + 2, predicted from the blocks before it. Nil assigns folds at random.
type Blocks []subgraph.Time

// leastTimes is the fewest different times from which blocks are made.
const leastTimes = 2 * (Folds + 1)

// Timed returns how many subgraphs with rows have a time, and the number of all.
func (r *Rows) Timed() (timed, all int) {
	for _, b := range r.Builders {
		b.Each(func(o *features.Origin, _ []bool) {
			all++
			if o.Time.Known {
				timed++
			}
		})
	}
	return timed, all
}

// Divide splits rows, counted by time, into n blocks of about equal size. Rows of one time stay together, in the block of the middle one.
func Divide(rows map[subgraph.Time]int, blocks int) (out Blocks) {
	total, before := 0, 0
	for _, n := range rows {
		total += n
	}
	for _, t := range slices.SortedFunc(maps.Keys(rows), subgraph.Time.Compare) {
		middle := 2*before + rows[t] // of twice the number of rows
		for len(out) < blocks-1 && middle*blocks >= 2*total*(len(out)+1) {
			out = append(out, t)
		}
		before += rows[t]
	}
	return out
}

// Blocks returns the blocks of the folds; all subgraphs must have times. It returns a reason instead if there are fewer than 12 times, or
// the first block has fewer true rows of a target than support.
func (r *Rows) Blocks(support int) (Blocks, string) {
	rows := map[subgraph.Time]int{}
	for _, b := range r.Builders {
		b.Each(func(o *features.Origin, truth []bool) { rows[o.Time] += len(truth) })
	}
	if len(rows) < leastTimes {
		return nil, "the subgraphs have fewer than 12 different times"
	}
	out := Divide(rows, Folds+1)
	for _, b := range r.Builders {
		n, positives := 0, 0 // of the first block
		b.Each(func(o *features.Origin, truth []bool) {
			n += len(truth)
			for _, t := range truth {
				if t && out.Of(o.Time) == 0 {
					positives++
				}
			}
		})
		if n > 0 && positives < support {
			return nil, "the first of six blocks in time has too few true atoms"
		}
	}
	return out, ""
}

// Of returns the block of a time, counted from 0.
func (b Blocks) Of(t subgraph.Time) (n int) {
	for _, first := range b {
		if t.Compare(first) >= 0 {
			n++
		}
	}
	return n
}

// Special fold numbers: rows in no fold, which train all folds; and rows that are left out.
const (
	never   = -1
	leftOut = -2
)

// used returns the places of the rows not left out.
func (m *Matrix) used() []uint32 {
	return slices.DeleteFunc(m.all(), func(i uint32) bool { return m.fold[i] == leftOut })
}

// stacked returns a matrix for columns made from held-out predictions. It leaves out rows that have none; the first rows that have one are
// in no fold.
func (m *Matrix) stacked() *Matrix {
	if !m.forward {
		return m
	}
	out := *m
	out.fold = slices.Clone(m.fold)
	for i, f := range m.fold {
		if f <= 0 {
			out.fold[i] = f - 1
		}
	}
	out.number(Folds)
	return &out
}
