package cut

import (
	"maps"
	"math"

	"resolwe/format/recipe"
)

// size is an estimate of how many rows there are, and how many different entries in the columns of variables; for a
// relation, in its columns.
type size struct {
	rows     float64
	distinct map[int]float64
}

// guess is the share of rows that a comparison of order is thought to leave.
const guess = 1.0 / 3

func unitSize() *size { return &size{rows: 1, distinct: map[int]float64{}} }

// selectivity returns the share of rows that a comparison is thought to leave.
func selectivity(op recipe.Op) float64 {
	switch op {
	case recipe.OpEqual:
		return 1.0 / 10
	case recipe.OpNotEqual:
		return 1
	case recipe.OpLess, recipe.OpLessEqual, recipe.OpGreater, recipe.OpGreaterEqual:
	}
	return guess
}

func (s *size) clone() *size { return &size{s.rows, maps.Clone(s.distinct)} }

// filter leaves a share of the rows.
func (s *size) filter(share float64) {
	s.rows *= share
	s.limit()
}

// limit keeps the numbers of entries within that of the rows.
func (s *size) limit() {
	for k, d := range s.distinct {
		s.distinct[k] = min(d, max(s.rows, 1))
	}
}

// project drops all but some variables, and with them rows that become equal.
func (s *size) project(vars []int) {
	kept, most := map[int]float64{}, 1.0
	for _, v := range vars {
		kept[v] = s.distinct[v]
		most *= max(s.distinct[v], 1)
	}
	s.rows, s.distinct = min(s.rows, most), kept
}

// named returns the size of an atom over a relation of size s.
func (s *size) named(args []recipe.Term) *size {
	out := &size{rows: s.rows, distinct: map[int]float64{}}
	for column, t := range args {
		_, again := out.distinct[t.Var]
		if t.Kind == recipe.TermVariable && !again {
			out.distinct[t.Var] = s.distinct[column]
			continue
		}
		out.rows /= max(s.distinct[column], 1)
	}
	out.limit()
	return out
}

// forHead returns the size of the head's relation, given the size of the body.
func (s *size) forHead(terms []recipe.HeadTerm) *size {
	out := &size{rows: s.rows, distinct: map[int]float64{}}
	most := 1.0
	for column, h := range terms {
		out.distinct[column] = 1
		if h.Term.Kind == recipe.TermVariable {
			out.distinct[column] = max(s.distinct[h.Term.Var], 1)
		}
		if h.Aggregate == recipe.AggregateNone {
			most *= out.distinct[column]
		}
	}
	out.rows = min(out.rows, most)
	out.limit()
	return out
}

// union adds the size of another rule's tuples.
func (s *size) union(t *size) {
	s.rows += t.rows
	for k, d := range t.distinct {
		s.distinct[k] += d
	}
	s.limit()
}

// tableSize returns the size of an atom that is reached through an index.
func (p *planner) tableSize(t *atom) *size {
	r := p.relations[t.relation]
	s := &size{rows: float64(r.n), distinct: map[int]float64{}}
	for v, column := range t.column {
		s.distinct[v] = r.columnStats(column).distinct
	}
	s.rows *= p.patternSelectivity(t)
	s.limit()
	return s
}

// patternSelectivity returns the share of a relation's rows that fit a pattern.
func (p *planner) patternSelectivity(t *atom) float64 {
	r, share := p.relations[t.relation], 1.0
	for _, c := range t.constants {
		share /= r.columnStats(c.column).distinct
	}
	for _, e := range t.equal {
		share /= r.columnStats(e[1]).distinct
	}
	for _, b := range t.bounds {
		share *= selectivity(b.op)
	}
	return share
}

// fanOut returns how many rows of an atom's pattern are expected for one binding of some of its columns.
func (p *planner) fanOut(t *atom, columns []int) float64 {
	r := p.relations[t.relation]
	least, all := math.Inf(1), p.patternSelectivity(t)
	for _, c := range columns {
		s := r.columnStats(c)
		least = min(least, s.fanOut*s.distinct)
		all /= s.distinct
	}
	if len(columns) == 0 {
		return float64(r.n) * all
	}
	return least * all
}

// work estimates how many rows a join of components i and k goes through.
func (p *rulePlanner) work(a, b *component, i, k int) float64 {
	if b.table == nil {
		if p.within(b, a) || p.within(a, b) {
			return 0
		}
		return p.joinedSize(a, b).rows
	}
	bound, fresh := p.columnsOf(a, b, i, k)
	if len(fresh) == 0 {
		return 0
	}
	return a.size.rows * p.fanOut(b.table, bound)
}

// joinedSize estimates a join of two components before anything is projected.
func (p *rulePlanner) joinedSize(a, b *component) *size {
	s := a.size.clone()
	if b.table != nil {
		var bound []int
		for v, column := range b.table.column {
			if _, shared := a.size.distinct[v]; shared {
				bound = append(bound, column)
			}
		}
		s.rows *= p.fanOut(b.table, bound)
	} else {
		s.rows *= b.size.rows
		for v, d := range a.size.distinct {
			if other, shared := b.size.distinct[v]; shared {
				s.rows /= max(d, other, 1)
			}
		}
	}
	for v, d := range b.size.distinct {
		if own, shared := s.distinct[v]; shared {
			d = min(d, own)
		}
		s.distinct[v] = d
	}
	s.limit()
	return s
}
