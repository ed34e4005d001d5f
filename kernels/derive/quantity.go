package derive

import (
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/join"
)

// Quantity is the number that the only evidence literal of a formula compares (see mln.Formula.Quantity), for each binding of the
// formula's head.
type Quantity struct {
	Pred int // of the head
	of   *aggregate
	args []place // of the aggregate's shared variables, in the head
	head []place // what the head's arguments have to be
}

// place is an argument of an atom: another argument, a constant, or any.
type place struct {
	at    int // the argument's place, -1 for none
	fixed *mln.Term
}

// Quantity returns what a formula compares, nil where it is another one.
func (r *Relations) Quantity(f *mln.Formula) *Quantity {
	c, head, ok := f.Quantity(r.schema)
	if !ok {
		return nil
	}
	q := &Quantity{Pred: head.Pred, of: r.aggregated(f, c)}
	places := map[int]int{}
	for i, t := range head.Args {
		p := place{at: -1}
		if t.Kind != mln.TermVariable {
			p.fixed = &t
		} else if first, ok := places[t.Var]; ok {
			p.at = first
		} else {
			places[t.Var] = i
		}
		q.head = append(q.head, p)
	}
	for _, v := range sharedVariables(c) {
		q.args = append(q.args, place{at: places[v]})
	}
	return q
}

// Quantities are the values of a quantity in a subgraph.
type Quantities struct {
	of     *Quantity
	table  subgraph.Table
	values []float64
	fixed  []int32 // by argument of the head: the entity that it has to be, -1 for one that is not there
	tuple  []uint32
}

// Quantities returns the values in the subgraph that s extended last, in memory of their own. The error is that of Extend.
func (s *Scratch) Quantities(q *Quantity) (*Quantities, error) {
	out := &Quantities{of: q, table: subgraph.Table{Cols: make([][]uint32, max(1, len(q.args)))}}
	for _, p := range q.head {
		id := int32(0)
		if p.fixed != nil {
			id = s.scratch.ID(*p.fixed)
		}
		out.fixed = append(out.fixed, id)
	}
	err := s.scratch.Counting(func() error {
		return s.each(q.of, func(args []uint32, value float64) {
			for i, id := range args {
				out.table.Cols[i] = append(out.table.Cols[i], id)
			}
			out.values = append(out.values, value)
		})
	})
	return out, err
}

// At returns the value for an atom of the head's predicate, and false where there is none: the head is not over the atom, or
// the quantity is an aggregate of nothing.
func (v *Quantities) At(args []uint32) (float64, bool) {
	for i, p := range v.of.head {
		if p.at >= 0 && args[p.at] != args[i] || p.fixed != nil && int64(v.fixed[i]) != int64(args[i]) {
			return 0, false
		}
	}
	v.tuple = v.tuple[:0]
	for _, p := range v.of.args {
		v.tuple = append(v.tuple, args[p.at])
	}
	if len(v.tuple) == 0 {
		v.tuple = append(v.tuple, 0) // of the type unit
	}
	if i, ok := join.Find(&v.table, v.tuple); ok {
		return v.values[i], true
	}
	return 0, v.of.of.kind == mln.AggregateCount
}
