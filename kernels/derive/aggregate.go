package derive

import (
	"fmt"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/plan"
)

// OverflowError reports a sum beyond the largest number.
type OverflowError struct{ Aggregate string }

// Error names the aggregate.
func (e *OverflowError) Error() string {
	return e.Aggregate + " is beyond the largest number, 1.8e308"
}

// aggregate is an aggregate, with the relations of the bindings of its shared variables that satisfy comparisons of its value.
type aggregate struct {
	key      string      // identifies what is aggregated
	group    *group      // of its value alone, for the shared variables as head
	args     []plan.Arg  // of the derived relations: outputs of the group by position, or constants
	query    *plan.Query // of all bindings, in an order in which each variable shares a literal with an earlier one
	columns  []int       // places of the group's outputs among the query's
	prefix   int         // number of shared outputs that are the query's first outputs as well
	compared []compared
}

// compared is the relation of the bindings for which the aggregate compares with k by op.
type compared struct {
	pred int
	op   mln.Comparison
	k    float64
}

// aggregate returns the atom that replaces an aggregate in a formula.
func (r *Relations) aggregate(f *mln.Formula, c *mln.Count) *mln.Atom {
	def, own := define(f, c)
	own.Op, own.K = mln.AtLeast, 0
	key := keyOf(own, def)
	i := slices.IndexFunc(r.aggregates, func(a *aggregate) bool { return a.key == key })
	if i < 0 {
		i = len(r.aggregates)
		r.aggregates = append(r.aggregates, r.newAggregate(key, def, own))
	}
	types, args := r.arguments(f, c)
	pred, fresh := r.predicate(fmt.Sprint(key, " ", c.Op, " ", c.K), types)
	if a := r.aggregates[i]; fresh {
		a.compared = append(a.compared, compared{pred, c.Op, c.K})
	}
	return r.atom(pred, args, c.Pos)
}

// arguments returns the shared variables of a counting literal or aggregate; if there are none, the constant of type unit.
func (r *Relations) arguments(f *mln.Formula, c *mln.Count) (types []int, args []mln.Term) {
	for _, v := range sharedVariables(c) {
		types = append(types, f.Vars[v].Type)
		args = append(args, mln.Term{Kind: mln.TermVariable, Name: f.Vars[v].Name, Var: v, Type: f.Vars[v].Type})
	}
	if len(args) == 0 {
		types, args = []int{r.unit()}, []mln.Term{{Kind: mln.TermConstant, Name: unit, Type: r.unit()}}
	}
	return types, args
}

// newAggregate compiles an aggregate, whose shared variables are the free ones of def.
func (r *Relations) newAggregate(key string, def *mln.Formula, c *mln.Count) *aggregate {
	it := &Item{Vars: def.Vars, Count: c}
	for v := range def.Free {
		it.Head = append(it.Head, mln.Term{Kind: mln.TermVariable, Var: v})
	}
	p := &Measures{relations: r, prog: r.prog, index: map[string]*group{}}
	p.add(0, it)
	a := &aggregate{key: key, group: p.groups[0]}
	value := &a.group.columns[0]
	value.text = strings.TrimSuffix(value.text, " >= 0")
	for v := range def.Free {
		a.args = append(a.args, a.group.output(v))
	}
	conj := a.group.query.Conj
	order := connected(conj, a.group.outputs)
	for _, v := range a.group.outputs {
		a.columns = append(a.columns, slices.Index(order, v))
	}
	for a.prefix < a.group.bound && a.columns[a.prefix] == a.prefix {
		a.prefix++
	}
	a.query = r.prog.Query(conj, order)
	return a
}

// connected returns the variables of a conjunction, starting with the first of columns. Where possible, each shares a positive literal
// with an earlier one; of several that do, columns come first.
func connected(c *plan.Conj, columns []int) []int {
	left := slices.Clone(columns)
	for v := range c.Types {
		if c.Mentions(v) && !slices.Contains(left, v) {
			left = append(left, v)
		}
	}
	out := make([]int, 0, len(left))
	near := func(v int) bool {
		return slices.ContainsFunc(c.Literals, func(l plan.Literal) bool {
			beside := func(a plan.Arg) bool { return a.IsVar() && slices.Contains(out, int(a)) }
			return !l.Negated && slices.Contains(l.Args, plan.Arg(v)) && slices.ContainsFunc(l.Args, beside)
		})
	}
	for len(left) > 0 {
		next := max(0, slices.IndexFunc(left, near))
		out = append(out, left[next])
		left = slices.Delete(left, next, next+1)
	}
	return out
}

// aggregate derives the relations of an aggregate.
func (s *Scratch) aggregate(a *aggregate) error {
	for _, c := range a.compared {
		s.begin(c.pred)
	}
	err := s.measurer.eachBinding(a, func(binding []uint32, value float64) {
		for _, c := range a.compared {
			if c.op.Holds(value, c.k) {
				s.append(&s.tables[c.pred-s.of.preds], a.args, binding)
			}
		}
	})
	for _, c := range a.compared {
		s.finish(c.pred, &s.tables[c.pred-s.of.preds])
	}
	return err
}

// append appends a tuple of entities and constants, which are present, since the query's guards hold, to the table of a derived predicate.
func (s *Scratch) append(t *subgraph.Table, args []plan.Arg, binding []uint32) {
	for c := range t.Cols {
		id := uint32(0) // of the type unit
		if c < len(args) {
			if a := args[c]; a.IsVar() {
				id = binding[a]
			} else {
				id = uint32(s.scratch.Const(a))
			}
		}
		t.Cols[c] = append(t.Cols[c], id)
	}
}
