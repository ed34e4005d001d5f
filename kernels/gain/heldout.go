package gain

import (
	"math"

	"resolwe/internal/elementary"
	"resolwe/kernels/rank"
)

// trial is a path that has not seen a fold, and the values of its columns there.
type trial struct {
	*path
	rows    []int32   // the fold's
	offset  []float64 // of those
	columns []entries
}

// divide returns the rows of a fold, and the others.
func (m *Matrix) divide(fold int) (rows, others []int32) {
	for i, f := range m.fold {
		if int(f) == fold {
			rows = append(rows, int32(i)) // #nosec G115 -- at most 2^22 rows
		} else {
			others = append(others, int32(i)) // #nosec G115 -- as above
		}
	}
	return rows, others
}

// newTrial grows a path without the rows of a fold.
func (m *Matrix) newTrial(fold int, family Family, opt *Options) *trial {
	rows, others := m.divide(fold)
	if len(rows) == 0 || len(others) == 0 {
		return &trial{path: &path{weights: [][][]float64{nil}}}
	}
	v := m.view(rows)
	t := &trial{rows: rows, offset: v.offsets(), path: newPath(m.view(others), family, opt, false)}
	for i := range t.found {
		t.columns = append(t.columns, v.entries(&t.found[i].column))
	}
	t.entries = nil
	return t
}

// predict sets z to the log-odds of the trial's rows after size columns, or all where there are fewer.
func (t *trial) predict(z []float64, size, shrink int) []float64 {
	z = z[:len(t.rows)]
	if len(z) == 0 {
		return z
	}
	logOdds(z, t.weights[min(size, len(t.found))][shrink], t.offset, t.columns)
	return z
}

// model returns the trial's path up to size columns, nil where the fold has no rows, or all.
func (t *trial) model(size, shrink int) *ExtendedModel {
	if t.rows == nil {
		return nil
	}
	size = min(size, len(t.found))
	w := t.weights[size][shrink]
	x := &ExtendedModel{Model: Model{Bias: w[0], Weights: w[1:]}}
	for i := range t.found[:size] {
		x.Columns = append(x.Columns, t.found[i].column.export())
	}
	return x
}

// predict sets those of z, by row, that are a fold's, by a model, if it is not nil.
func (m *Matrix) predict(z []float64, fold int, model *ExtendedModel, extras []Extra) {
	rows, _ := m.divide(fold)
	if model == nil {
		return
	}
	v := m.view(rows)
	weights, columns := append([]float64{model.Bias}, model.Weights...), make([]entries, 0, len(model.Columns)+len(model.Extras))
	for i := range model.Columns {
		c := m.column(&model.Columns[i])
		columns = append(columns, v.entries(&c))
	}
	for i, e := range model.Extras {
		weights = append(weights, model.ExtraWeights[i])
		columns = append(columns, extras[e].entries(rows))
	}
	own := make([]float64, len(rows))
	logOdds(own, weights, v.offsets(), columns)
	for at, i := range rows {
		z[i] = own[at]
	}
}

// heldOut returns the log-odds of all rows after size columns, each by the trial of its fold.
func (m *Matrix) heldOut(trials []*trial, size, shrink int) []float64 {
	all, z := m.before(), make([]float64, len(m.truth))
	for _, t := range trials {
		t.predict(z, size, shrink)
		for at, i := range t.rows {
			all[i] = z[at]
		}
	}
	return all
}

// before returns log-odds before the model.
func (m *Matrix) before() []float64 {
	z := make([]float64, len(m.truth))
	copy(z, m.offset)
	return z
}

// judge adds to units the mean log-likelihoods of those of the trial's fold.
func (m *Matrix) judge(t *trial, z, units []float64) {
	for at := 0; at < len(t.rows); {
		// A unit's rows need not be next to each other, but its fold's rows of one subgraph are.
		u, start, s := m.unit[t.rows[at]], at, 0.0
		for ; at < len(t.rows) && m.unit[t.rows[at]] == u; at++ {
			s += logLikelihood(z[at], m.truth[t.rows[at]])
		}
		units[u] = s / float64(at-start)
	}
}

// leastP is what probabilities are kept from 0 and 1 by.
const leastP = 1e-6

// logLikelihood returns the logarithm of the probability of the truth, clipped.
func logLikelihood(z float64, truth bool) float64 {
	p := elementary.Sigmoid(z)
	if !truth {
		p = elementary.Sigmoid(-z)
	}
	return elementary.Log(min(max(p, leastP), 1-leastP))
}

// Figures are averages over held-out subgraphs.
type Figures struct {
	CLL      float64 // over units: a subgraph's rows in one fold
	MAP, AUC float64 // over subgraphs with both truths; NaN where there is none
}

// figures judges held-out log-odds of all rows, given the mean log-likelihoods of units.
func (m *Matrix) figures(z, units []float64) Figures {
	atoms := make([]rank.Scored, len(m.truth))
	for i, v := range z {
		atoms[i] = rank.Scored{P: elementary.Sigmoid(v), True: m.truth[i]}
	}
	f, n := Figures{CLL: mean(units)}, 0.0
	for s := range m.names {
		of := atoms[m.start[s]:m.start[s+1]]
		if r := rank.Evaluate(of); r.Ranked {
			f.AUC += r.AUC
			f.MAP += r.AveragePrecision
			n++
		}
	}
	f.AUC /= n
	f.MAP /= n
	return f
}

// Judge returns how good log-odds of all rows are, and the mean log-likelihoods of a subgraph's rows in a fold, by the rows' order.
func (m *Matrix) Judge(logOdds []float64) (Figures, []float64) {
	units := m.byUnit(logOdds)
	return m.figures(logOdds, units), units
}

// byUnit returns the mean log-likelihoods of units, given log-odds of all rows.
func (m *Matrix) byUnit(z []float64) []float64 {
	units, n := make([]float64, m.units), make([]float64, m.units)
	for i, u := range m.unit {
		units[u] += logLikelihood(z[i], m.truth[i])
		n[u]++
	}
	for u := range units {
		units[u] /= n[u]
	}
	return units
}

func mean(values []float64) float64 { return sum(values) / float64(len(values)) }

// standardError returns that of the mean of values.
func standardError(values []float64) float64 {
	m, s := mean(values), 0.0
	for _, v := range values {
		s += float64((v - m) * (v - m))
	}
	n := float64(len(values))
	return math.Sqrt(s / (n * (n - 1)))
}
