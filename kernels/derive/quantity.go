package derive

import (
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/join"
)

// Quantity is the value of a counting literal or aggregate of a formula, for each binding of its shared variables.
type Quantity struct {
	Vars []int // the shared variables, as numbered in the formula
	of   *aggregate
}

// Quantity returns the quantity of a counting literal or aggregate in a formula.
func (r *Relations) Quantity(f *mln.Formula, c *mln.Count) *Quantity {
	return &Quantity{sharedVariables(c), r.aggregated(f, c)}
}

// Quantities are the values of a quantity in a subgraph.
type Quantities struct {
	kind   mln.Aggregate
	table  subgraph.Table
	values []float64
}

// Quantities returns the values in the subgraph last extended by s, in memory of their own. The error is that of Extend.
func (s *Scratch) Quantities(q *Quantity) (*Quantities, error) {
	out := &Quantities{kind: q.of.kind, table: subgraph.Table{Cols: make([][]uint32, max(1, len(q.Vars)))}}
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

// At returns the value for a binding of the shared variables, false if it is an aggregate of nothing.
func (v *Quantities) At(binding []uint32) (float64, bool) {
	if len(binding) == 0 {
		binding = []uint32{0} // of the type unit
	}
	if i, ok := join.Find(&v.table, binding); ok {
		return v.values[i], true
	}
	return 0, v.kind == mln.AggregateCount
}

// HeadQuantity is the number compared by a formula's only evidence (see mln.Formula.Quantity), for each atom of its head.
type HeadQuantity struct {
	*Quantity
	head *mln.Atom
	args []int // places in the head of the shared variables
}

// HeadQuantity returns the number compared by a formula's only evidence, nil if there is none.
func (r *Relations) HeadQuantity(f *mln.Formula) *HeadQuantity {
	c, head, ok := f.Quantity(r.schema)
	if !ok {
		return nil
	}
	q := &HeadQuantity{Quantity: r.Quantity(f, c), head: head}
	for _, v := range q.Vars {
		q.args = append(q.args, variableAt(head, v))
	}
	return q
}

// variableAt returns the first place of a variable in an atom, -1 for none.
func variableAt(a *mln.Atom, v int) int {
	for i, t := range a.Args {
		if t.Kind == mln.TermVariable && t.Var == v {
			return i
		}
	}
	return -1
}

// AtHead returns the value for an atom of the subgraph last extended by s, with quantities v. It returns false if the head does not match
// the atom, or if the value is an aggregate of nothing.
func (s *Scratch) AtHead(q *HeadQuantity, v *Quantities, pred int, args []uint32) (float64, bool) {
	if pred != q.head.Pred {
		return 0, false
	}
	for i, t := range q.head.Args {
		want := int64(s.scratch.ID(t))
		if t.Kind == mln.TermVariable {
			want = int64(args[variableAt(q.head, t.Var)])
		}
		if want != int64(args[i]) {
			return 0, false
		}
	}
	s.binding = s.binding[:0]
	for _, at := range q.args {
		s.binding = append(s.binding, args[at])
	}
	return v.At(s.binding)
}
