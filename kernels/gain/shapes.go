package gain

import (
	"math"
	"slices"
	"strconv"

	"resolwe/format/mln"
	"resolwe/kernels/derive"
	"resolwe/kernels/features"
)

// addValue adds a candidate as a measure if it has a value, unless one with the same value exists, and returns the measure. ok is false if it
// has none.
func (t *Target) addValue(schema *mln.Schema, c *mln.Candidate, seen map[string]int) (measure int, ok bool) {
	f := c.Valued(schema)
	if f == nil {
		return 0, false
	}
	key := mln.Canonical(f)
	if measure, ok = seen[key]; ok {
		return measure, true
	}
	measure = len(t.Candidates)
	seen[key], t.valued[measure] = measure, f
	n, head, _ := f.Quantity(schema)
	t.addItem(c, derive.Item{Vars: f.Vars, Count: n, Head: head.Args})
	return measure, true
}

// addNumber adds the number that the next candidate compares or states as a measure, whose cuts are candidates, unless it exists.
func (t *Target) addNumber(schema *mln.Schema, c *mln.Candidate, seen map[string]int) {
	if slices.ContainsFunc(c.Selector, func(l mln.Literal) bool { return l.Count != nil }) {
		return
	}
	if measure, ok := t.addValue(schema, c, seen); ok {
		t.about[len(t.Candidates)] = measure
	}
}

// isCut reports whether the bounds of a measure are chosen by selection.
func (t *Target) isCut(measure int) bool { return measured(t.Candidates[measure]) }

// Values reports whether a task measures numbers that formulas can rank.
func (t *Task) Values() bool {
	return slices.ContainsFunc(t.Targets, func(to *Target) bool { return len(to.valued) > 0 })
}

// hasValue returns the formula that holds for an atom for which a measure has a value.
func (t *Target) hasValue(candidate int) *mln.Formula {
	f := *t.valued[candidate]
	rest, head := f.Head()
	f.Shape = mln.ShapeNone
	n := rest[0].Count
	switch {
	case n == nil: // a stated number
		f.Shape = mln.ShapeOnce
	case n.Kind == mln.AggregateCount: // of every atom that matches the head
		f.Body, f.Vars = head.Expr(), f.Vars[:f.Free]
	default:
		some := *n
		some.Kind, some.Op, some.K = mln.AggregateCount, mln.AtLeast, 1
		f.Body = &mln.And{Xs: []mln.Expr{&some, head.Expr()}}
	}
	return &f
}

// scale is what the columns of a measure's values are made from.
type scale struct {
	knots     []float64 // mln.ShapeRank
	ranks     []float64 // by level, the mean of its rows' ranks
	deviation float64   // standard deviation of the values, to three digits
}

// scale prepares the columns of the values of a target's measures: knots are the boundaries between the bins.
func (m *Matrix) scale(t *Target) {
	m.scales = map[int]*scale{}
	for _, c := range t.Measures {
		bounds := m.Bounds[c]
		if t.valued[c] == nil || len(bounds) == 0 {
			continue
		}
		s := &scale{ranks: make([]float64, len(bounds)+2)}
		for _, b := range bounds {
			s.knots = append(s.knots, b.Most())
		}
		f, n := mln.Formula{Shape: mln.ShapeRank, Numbers: s.knots}, make([]float64, len(s.ranks))
		var defined []float64
		for _, v := range m.values[c] {
			if !math.IsNaN(v) {
				level := 1 + features.Bin(bounds, v)
				s.ranks[level] += f.Phi(v, 0)
				n[level]++
				defined = append(defined, v)
			}
		}
		for level := range s.ranks[1:] {
			s.ranks[1+level] /= n[1+level]
		}
		s.deviation = standardError(defined) * math.Sqrt(float64(len(defined)))
		s.deviation, _ = strconv.ParseFloat(strconv.FormatFloat(s.deviation, 'g', 3, 64), 64)
		m.scales[c] = s
	}
}

// compares returns the formula of a column of ranks or differences.
func (t *Target) compares(c *Column) *mln.Formula {
	of := c.Literals[0].Candidate
	if !t.isMeasure(of) {
		return t.Candidates[of].Shaped(mln.ShapeRelative, 0)
	}
	f := *t.valued[of]
	if f.Numbers = c.Numbers; c.Kind == KindRelative {
		f.Shape = mln.ShapeRelative
	}
	return &f
}

// rankColumn returns the values of a column of ranks.
func (v *view) rankColumn(c *Column) features.Column {
	f, of := mln.Formula{Shape: mln.ShapeRank, Numbers: c.Numbers}, c.Literals[0].Candidate
	column := features.Column{Rows: v.cells[of].Rows, Values: make([]float64, len(v.cells[of].Rows))}
	for i, at := range column.Rows {
		column.Values[i] = f.Phi(v.Matrix.values[of][v.rows[at]], 0)
	}
	return column
}

// relates reports whether differences from a subgraph's mean can say anything: some candidate has them, there are enough subgraphs, and not
// nine of ten have one row.
func (m *Matrix) relates() bool {
	alone, some := 0, false
	for c := 0; c < len(m.spans) && !some; c++ {
		_, some = m.relative(c)
	}
	for s := range m.Subgraphs {
		if m.Start[s+1]-m.Start[s] == 1 {
			alone++
		}
	}
	return some && len(m.Subgraphs) >= fewSubgraphs && 10*alone < 9*len(m.Subgraphs)
}

// relative returns the column of a candidate's differences from its mean in the subgraph; ok is false if it has none, or can only hold or
// not.
func (m *Matrix) relative(c int) (column Column, ok bool) {
	column = Column{Kind: KindRelative, Literals: []Literal{{Candidate: c, AtLeast: 1}}}
	if !m.isMeasure(c) {
		sp := m.spans[c]
		return column, sp.hi > sp.lo+1
	}
	s := m.scales[c]
	if s == nil || !(s.deviation > 0) || math.IsInf(s.deviation, 0) {
		return column, false
	}
	column.Numbers = []float64{s.deviation}
	return column, true
}

// means returns the mean of a candidate in each subgraph: of the logarithms of its counts over all rows, of a measure's values over those
// that have one.
func (m *Matrix) means(c int) []float64 {
	sums, n := make([]float64, len(m.Subgraphs)), make([]int, len(m.Subgraphs))
	k, measure, s := m.Columns[c].Before(len(m.Truth)), m.isMeasure(c), 0
	for i, row := range k.Rows {
		for int(row) >= m.Start[s+1] {
			s++
		}
		if n[s]++; measure {
			sums[s] += m.values[c][row]
		} else {
			sums[s] += features.Logs[k.Levels[i]]
		}
	}
	for s := range sums {
		if !measure {
			n[s] = m.Start[s+1] - m.Start[s]
		}
		sums[s] /= float64(max(1, n[s]))
	}
	return sums
}

// relativeColumn returns the values of a column of differences from the candidate's means.
func (v *view) relativeColumn(c *Column, means []float64) features.Column {
	f, of := mln.Formula{Shape: mln.ShapeRelative, Numbers: c.Numbers}, c.Literals[0].Candidate
	cells, s := v.cells[of], 0
	if c.Numbers == nil { // every row has a count
		out := make([]float64, len(v.rows))
		cells.AddTo(out, 1)
		for at, row := range v.rows {
			s = v.subgraph(s, row)
			out[at] = f.Phi(out[at], means[s])
		}
		return features.Dense(out)
	}
	column := features.Column{Rows: cells.Rows, Values: make([]float64, len(cells.Rows))}
	for i, at := range column.Rows {
		s = v.subgraph(s, v.rows[at])
		column.Values[i] = f.Phi(v.Matrix.values[of][v.rows[at]], means[s])
	}
	return column
}

// subgraph returns the subgraph of a row, from a given one on.
func (m *Matrix) subgraph(from int, row uint32) int {
	for int(row) >= m.Start[from+1] {
		from++
	}
	return from
}
