package gain

import (
	"resolwe/format/mln"
	"resolwe/kernels/derive"
	"resolwe/kernels/features"
	"resolwe/kernels/ground"
)

// measured reports whether a candidate is a single aggregate over variables of its head and the center, so that its bound can be chosen freely.
func measured(c *mln.Candidate) bool {
	if !c.Comparable() || len(c.Selector) != 1 || c.Selector[0].Negated {
		return false
	}
	n := c.Selector[0].Count
	return n != nil && n.Kind != mln.AggregateCount && n.Op != mln.SameAs && n.Op != mln.OtherThan
}

// bounded returns the candidate with another bound of its aggregate.
func bounded(c *mln.Candidate, op mln.Comparison, bound float64) *mln.Candidate {
	with, n := *c, *c.Selector[0].Count
	n.Op, n.K = op, bound
	with.Selector = []mln.Literal{{Count: &n}}
	return &with
}

// addMeasure adds a measured candidate, unless one exists that differs only in its bound.
func (t *Target) addMeasure(schema *mln.Schema, c *mln.Candidate, seen map[string]int) {
	key := mln.Canonical(bounded(c, mln.AtLeast, 0).Joint())
	if _, ok := seen[key]; ok {
		return
	}
	seen[key] = len(t.Candidates)
	t.valued[len(t.Candidates)] = c.Valued(schema)
	t.addItem(c, derive.Item{Vars: c.Formula.Vars, Count: c.Selector[0].Count, Head: c.Enforcer[0].Args})
}

func (t *Target) addItem(c *mln.Candidate, item derive.Item) {
	t.Measures, t.items = append(t.Measures, len(t.Candidates)), append(t.items, item)
	t.Candidates = append(t.Candidates, c)
}

// compile compiles the measures of a target.
func (t *Target) compile(schema *mln.Schema) {
	if len(t.items) > 0 {
		t.program = derive.NewMeasures(schema, t.items)
	}
}

// measure returns the values of a target's measures for the atoms of known truth.
func (c *Counter) measure(target int, atoms *ground.Atoms) ([][]float64, error) {
	to := c.task.Targets[target]
	lo, hi := atoms.FreeOf(to.Pred)
	if to.program == nil || lo == hi {
		return nil, nil
	}
	if c.scratches[target] == nil {
		c.scratches[target] = derive.NewMeasurer(to.program)
		c.scratches[target].Stop(c.stop)
	}
	return c.scratches[target].Values(atoms.Sub, atoms.Columns(to.Pred))
}

// addCuts adds the literals of a measure with slots s: for each boundary, at least and at most.
func (m *Matrix) addCuts(s span, bounds []features.Boundary) {
	at := s.lo
	for i, b := range bounds {
		for at < s.hi && int(m.level[at]) < i+2 {
			at++
		}
		k := int64(i + 2)
		m.cuts = append(m.cuts, cut{k, false, b.Least(), span{at, s.hi}}, cut{k - 1, true, b.Most(), span{s.lo, at}})
	}
}

// opposite returns the complement of a literal; for a measure, among the rows that have a value.
func (m *Matrix) opposite(l Literal) Literal {
	bounds, ok := m.Bounds[l.Candidate]
	switch {
	case !ok:
		l.Negated = !l.Negated
	case l.AtMost:
		l.AtLeast, l.AtMost, l.Bound = l.AtLeast+1, false, bounds[l.AtLeast-1].Least()
	default:
		l.AtLeast, l.AtMost, l.Bound = l.AtLeast-1, true, bounds[l.AtLeast-2].Most()
	}
	return l
}

func (m *Matrix) isMeasure(candidate int) bool {
	_, ok := m.Bounds[candidate]
	return ok
}
