package gain

import (
	"math"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/kernels/features"
	"resolwe/kernels/rank"
)

// Gate says by how much the chosen model predicts held-out rows better than the base rate: the mean over clusters of the difference of the
// mean log-likelihoods of their rows, and its standard error. Clusters are subgraphs or, with fewer than ten of these, what query atoms are
// about (features.Subgraph.Clusters).
type Gate struct{ Mean, Error float64 }

// Passes reports whether the mean exceeds that many standard errors. With none, anything passes.
func (g *Gate) Passes(errors float64) bool { return errors == 0 || g.Mean > float64(errors*g.Error) }

// gate compares the predictions of a choice with those of the base rate.
func (m *Matrix) gate(c *choice) Gate {
	rows := slices.DeleteFunc(m.all(), func(i uint32) bool { return m.fold[i] < 0 })
	of, n := m.clusters(rows)
	some := *m
	some.unit, some.units = make([]int32, len(m.Truth)), n
	for at, i := range rows {
		some.unit[i] = int32(of[at]) // #nosec G115 -- at most the rows
	}
	judge := func(size int) []float64 {
		z, units := m.heldOut(c.trials, size, c.shrink), make([]float64, n)
		some.judge(rows, pick(z, rows), units)
		return units
	}
	d := difference(judge(c.size), judge(0))
	return Gate{mean(d), standardError(d)}
}

// clusters numbers the clusters of some rows, ascending.
func (m *Matrix) clusters(rows []uint32) (of []uint32, n int) {
	type cluster struct {
		subgraph int
		of       uint32
	}
	seen, at := map[cluster]uint32{}, cluster{}
	for _, i := range rows {
		for int(i) >= m.Start[at.subgraph+1] {
			at.subgraph++
		}
		if len(m.Subgraphs) < fewSubgraphs {
			at.of = m.Clusters[i]
		}
		if _, ok := seen[at]; !ok {
			seen[at] = uint32(len(seen)) // #nosec G115 -- at most the rows
		}
		of = append(of, seen[at])
	}
	return of, len(seen)
}

// Finding is an established column.
type Finding struct {
	Column   int        // among those of the chosen model
	Weight   float64    // in a model of the established columns alone, for a prior of precision 10 for a column of variance 1
	Miss     float64    // probability that Interval misses: R times the column's level, R columns being established (Benjamini and Yekutieli, 2005)
	Interval [2]float64 // of that weight
}

// Of a column and its complement, the fewest rows and clusters for which it can be established: one that holds for a single row has next to
// no variance by clusters.
const leastCases, leastClusters = 10, 5

// level is the probability below which a column is established, before it is divided by how many columns were compared.
const level = .05

// testShrink is the precision of the prior with which columns are tested.
const testShrink = 10

// Establish returns which columns of the chosen model are established: those that backward elimination leaves, of which each weight differs
// from 0 by a t-test with standard errors robust to dependence within clusters, at level .05 divided by the number of distinct columns
// offered. Those with one target literal are tested beside those with several as the model has them, and the other way round. The error is
// that of opt.Stop.
func (s *Selected) Establish(opt Options) ([]Finding, error) {
	if s.Result == nil || opt.All {
		return nil, nil
	}
	opt = opt.filled()
	m, chosen := s.Matrix.judged(), s.Chosen()
	if s.second != nil && s.second.chosen {
		m = s.second.sample
	}
	rows := m.used()
	v := m.view(rows)
	cluster, clusters := m.clusters(rows)
	columns, offset := make([]features.Column, len(chosen.Columns)), [2][]float64{pick(m.before(), rows), pick(m.before(), rows)}
	for i := range chosen.Columns {
		others := offset[1]
		if chosen.Columns[i].Kind == KindExtra {
			others = offset[0]
		}
		columns[i] = s.values(v, &chosen.Columns[i])
		columns[i].AddTo(others, chosen.Weights[i])
	}
	var out []Finding
	var errors []float64
	for group, offset := range offset {
		observed := features.Observed{Truth: pick(m.Truth, rows), Offset: offset}
		e := elimination{observed: observed, columns: columns, cluster: cluster, clusters: clusters, opt: &opt}
		e.shorter = func(i int) []features.Column { return v.shorter(&chosen.Columns[i]) }
		e.level = func(i int) float64 { return level / float64(s.compared(&chosen.Columns[i], &opt)) }
		for i := range columns {
			if tied := chosen.Columns[i].Kind == KindExtra; tied == (group == 1) && e.divides(&columns[i]) {
				e.left = append(e.left, i)
			}
		}
		e.backward()
		for i, c := range e.left {
			out, errors = append(out, Finding{Column: c, Weight: e.weights[i], Miss: e.level(c)}), append(errors, e.errors[i])
		}
	}
	for i := range out {
		f := &out[i]
		f.Miss *= float64(len(out))
		half := float64(errors[i] * rank.T(clusters-1, f.Miss))
		f.Interval = [2]float64{f.Weight - half, f.Weight + half}
	}
	return out, opt.Stop()
}

// compared returns how many columns a column of the model was the best of. Rules are of those that extend a rule, of either sign, in all
// rounds of the path.
func (s *Selected) compared(c *Column, o *Options) int {
	if len(c.Literals) > 1 {
		return 2 * o.Depth * max(1, s.Result.Size) * s.Offered()
	}
	return s.Offered()
}

// Offered returns how many distinct columns could be selected.
func (s *Selected) Offered() int {
	n := max(1, s.Result.Offered)
	if s.second != nil {
		n += len(s.second.formulas)
	}
	return n
}

// values returns the values of a column of the chosen model on a view, for those with several target literals of the second stage's sample.
func (s *Selected) values(v *view, c *Column) features.Column {
	if c.Kind == KindExtra {
		return features.Dense(pick(s.second.features[c.Extra], v.rows))
	}
	return v.values(c)
}

// Alone makes the established columns, fitted again, the chosen model: on all rows or, if some have several target literals, on the second
// stage's sample.
func (s *Selected) Alone(established []Finding, opt Options) error {
	opt = opt.filled()
	chosen, m, alone := s.Chosen(), s.Matrix, &Model{}
	for _, f := range established {
		c := chosen.Columns[f.Column]
		alone.Columns = append(alone.Columns, c)
		if c.Kind == KindExtra {
			m = s.second.sample
		}
	}
	v := m.view(m.used())
	f := v.fit(&opt)
	for i := range alone.Columns {
		f.Add(s.values(v, &alone.Columns[i]))
	}
	f.Optimum(features.Prior{Shrink: s.Result.Shrink}, exact*float64(len(v.rows)))
	alone.Bias, alone.Weights, s.alone = f.Weights[0], f.Weights[1:], alone
	return opt.Stop()
}

// elimination drops columns from a model, one by one.
type elimination struct {
	observed features.Observed
	columns  []features.Column
	shorter  func(column int) []features.Column
	level    func(column int) float64
	cluster  []uint32 // by row
	clusters int
	opt      *Options

	left            []int     // columns
	weights, errors []float64 // of those left
}

// shorter returns the values of a rule without each of its literals; none of a column of one literal.
func (v *view) shorter(c *Column) (columns []features.Column) {
	for i := range c.Literals {
		if len(c.Literals) > 1 {
			without := Column{Literals: slices.Delete(slices.Clone(c.Literals), i, i+1)}
			columns = append(columns, v.values(&without))
		}
	}
	return columns
}

// divides reports whether enough rows and clusters are above the mean of a column, and not above it.
func (e *elimination) divides(c *features.Column) bool {
	values, n := make([]float64, len(e.cluster)), [2]int{}
	c.AddTo(values, 1)
	average := mean(values)
	seen := [2]map[uint32]bool{{}, {}}
	for i, v := range values {
		side := 0
		if v > average {
			side = 1
		}
		n[side]++
		seen[side][e.cluster[i]] = true
	}
	return min(n[0], n[1]) >= leastCases && min(len(seen[0]), len(seen[1])) >= leastClusters
}

// backward drops the column of least |z|, for its level, until the probability of each is below that. A rule has to pass beside itself
// without any of its literals too: otherwise one of them says nothing.
func (e *elimination) backward() {
	weights := []float64{e.observed.BaseLogOdds()}
	for len(e.left) > 0 && e.opt.Stop() == nil {
		list := pick(e.columns, e.left)
		weights, e.errors = e.fit(list, weights)
		e.weights = weights[1:]
		worst, most := 0, 0.
		test := func(i int, weight, deviation float64) {
			p := 1.
			if z := math.Abs(weight) / deviation; z > 0 {
				p = rank.Beyond(e.clusters-1, z)
			}
			if p /= e.level(e.left[i]); p > most {
				worst, most = i, p
			}
		}
		for i, w := range e.weights {
			test(i, w, e.errors[i])
		}
		for i, c := range e.left {
			if most >= 1 {
				break
			}
			for _, other := range e.shorter(c) {
				w, errors := e.fit(append(slices.Clip(list), other), weights)
				test(i, w[1+i], errors[i])
			}
		}
		if most < 1 {
			return
		}
		weights = slices.Delete(weights, 1+worst, 2+worst)
		e.left = slices.Delete(e.left, worst, worst+1)
	}
	e.left = nil
}

// fit returns the weights of the intercept and of some columns, beginning near given ones, and the standard errors of those of the columns.
func (e *elimination) fit(columns []features.Column, near []float64) (weights, errors []float64) {
	prior := features.Prior{Shrink: testShrink}
	f := features.NewFit(e.observed, append([]features.Column{features.Ones(len(e.cluster))}, columns...), near, e.opt.work())
	f.Optimum(prior, exact*float64(len(e.cluster)))
	return f.Weights, f.Sandwich(prior, e.cluster, e.clusters)[1:]
}

// offered returns how many distinct columns of single candidates can be selected. Two are one if they divide the rows alike.
func (m *Matrix) offered(o *Options) int {
	keys := make([][]uint64, len(m.spans))
	var every uint64
	for i := range m.Truth {
		every ^= elementary.Mix(uint64(i))
	}
	o.Run(len(m.spans), func(c int) { keys[c] = m.keys(c, every, o.Support) })
	seen := map[uint64]bool{}
	for _, list := range keys {
		for _, k := range list {
			seen[k] = true
		}
	}
	return len(seen)
}

// keys returns a hash of the rows of each threshold of a candidate, or of their complement, and one of its logarithms.
func (m *Matrix) keys(c int, every uint64, support int) (keys []uint64) {
	sp := m.spans[c]
	var rows [features.Levels]int // by level
	var of [features.Levels]uint64
	var logs uint64
	for i, row := range m.Columns[c].Rows {
		l, h := m.Columns[c].Levels[i], elementary.Mix(uint64(row))
		rows[l]++
		of[l] ^= h
		logs += h * uint64(l)
	}
	for _, k := range m.cutsOf(c) {
		n, h := 0, uint64(0)
		for slot := k.lo; slot < k.hi; slot++ {
			n, h = n+rows[m.level[slot]], h^of[m.level[slot]]
		}
		if n >= support && len(m.Truth)-n >= support {
			keys = append(keys, min(h, every^h))
		}
	}
	if m.scales[c] != nil && len(m.Bounds[c]) > 1 || !m.isMeasure(c) && sp.hi > sp.lo+1 { // else the logarithm is a threshold
		keys = append(keys, logs)
	}
	if _, ok := m.relative(c); ok && m.relates() {
		keys = append(keys, elementary.Mix(logs))
	}
	return keys
}
