package derive

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/exactsum"
	"resolwe/kernels/plan"
)

// OverflowError reports a sum beyond the largest number.
type OverflowError struct{ Aggregate string }

// Error names the aggregate.
func (e *OverflowError) Error() string {
	return e.Aggregate + " is beyond the largest number, 1.8e308"
}

// aggregate is an aggregate, with its value for each binding of its shared variables, and the relations of the bindings that satisfy
// comparisons of the value.
type aggregate struct {
	kind  mln.Aggregate
	key   string // identifies what is aggregated
	text  string
	query *plan.Query // of all bindings, in an order in which each variable shares a literal with an earlier one
	// A row consists of the shared variables, which come first, and the listed ones. columns are outputs of the query.
	columns     []int
	shared      int
	prefix      int        // number of leading columns that are the query's first outputs, and shared
	distinct    bool       // rows may repeat and must be deduplicated
	args        []plan.Arg // of the derived relations: columns by position, or constants
	value, time plan.Arg   // columns or constants
	types       [2]int     // types of value and time
	compared    []compared
}

// compared is the relation of the bindings for which the aggregate compares with k by op.
type compared struct {
	pred int
	op   mln.Comparison
	k    float64
}

// aggregate returns the atom that replaces an aggregate in a formula.
func (r *Relations) aggregate(f *mln.Formula, c *mln.Count) *mln.Atom {
	types, args := r.arguments(f, c)
	a := r.aggregated(f, c)
	pred, fresh := r.predicate(fmt.Sprint(a.key, " ", c.Op, " ", c.K), types)
	if fresh {
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

// aggregated returns the aggregate of a formula, whatever its comparison.
func (r *Relations) aggregated(f *mln.Formula, c *mln.Count) *aggregate {
	def, own := define(f, c)
	own.Op, own.K = mln.AtLeast, 0
	key := keyOf(own, def)
	i := slices.IndexFunc(r.aggregates, func(a *aggregate) bool { return a.key == key })
	if i < 0 {
		i = len(r.aggregates)
		a := &aggregate{kind: c.Kind, key: key}
		a.text = strings.TrimSuffix(mln.FormatLiteral(mln.Literal{Count: own}, def.Vars), " >= 0")
		r.compileAggregate(a, def, own)
		r.aggregates = append(r.aggregates, a)
	}
	return r.aggregates[i]
}

// compileAggregate compiles the query of an aggregate, whose shared variables are the free ones of def.
func (r *Relations) compileAggregate(a *aggregate, def *mln.Formula, c *mln.Count) {
	conj, binder := r.conjunction(def, c)
	var columns []int // variables of the conjunction
	for v := range def.Free {
		a.args = append(a.args, binder.Output(&columns, v))
	}
	a.shared = len(columns)
	for i, v := range c.Listed {
		x := binder.Output(&columns, v)
		switch {
		case i >= c.Kind.Leading():
		case i == 0:
			a.value, a.types[0] = x, def.Vars[v].Type
		default:
			a.time, a.types[1] = x, def.Vars[v].Type
		}
	}
	outputs := connected(conj, columns)
	a.distinct = len(outputs) > len(columns)
	for _, v := range columns {
		a.columns = append(a.columns, slices.Index(outputs, v))
	}
	for a.prefix < a.shared && a.columns[a.prefix] == a.prefix {
		a.prefix++
	}
	a.query = r.prog.Query(conj, outputs)
}

// conjunction compiles the literals in the braces of a counting literal or aggregate.
func (r *Relations) conjunction(def *mln.Formula, c *mln.Count) (*plan.Conj, *plan.Binder) {
	literals, _ := mln.LiteralsOf(c.X) // checked by the parser
	return r.prog.Conjunction(def.Vars, r.Literals(def, literals))
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

// aggregation is the state of the current aggregate.
type aggregation struct {
	of      *aggregate
	rows    [][]uint32
	memory  []uint32
	sum     exactsum.Sum
	tuple   []uint32
	visit   func(args []uint32, value float64)
	failure error
}

// aggregate derives the relations of an aggregate.
func (s *Scratch) aggregate(a *aggregate) error {
	if len(a.compared) == 0 {
		return nil
	}
	for _, c := range a.compared {
		s.begin(c.pred)
	}
	err := s.each(a, func(args []uint32, value float64) {
		for _, c := range a.compared {
			if c.op.Holds(value, c.k) {
				t := &s.tables[c.pred-s.of.preds]
				for i := range t.Cols {
					t.Cols[i] = append(t.Cols[i], args[i])
				}
			}
		}
	})
	for _, c := range a.compared {
		s.finish(c.pred, &s.tables[c.pred-s.of.preds])
	}
	return err
}

// each calls visit with the value of an aggregate for each binding of its shared variables for which it is defined, in lexicographic
// order. The arguments are borrowed until visit returns.
func (s *Scratch) each(a *aggregate, visit func(args []uint32, value float64)) error {
	for _, typ := range a.types[:a.kind.Leading()] {
		if _, err := s.Numbers(typ); err != nil {
			return err
		}
	}
	g := &s.group
	g.of, g.visit, g.failure = a, visit, nil
	g.rows, g.memory = g.rows[:0], g.memory[:0]
	s.scratch.Enumerate(a.query, false, func(binding []uint32, _ int64) bool {
		if len(g.rows) > 0 && !slices.Equal(g.rows[0][:a.prefix], binding[:a.prefix]) {
			s.flush()
		}
		at := len(g.memory)
		for _, c := range a.columns {
			g.memory = append(g.memory, binding[c])
		}
		g.rows = append(g.rows, g.memory[at:len(g.memory):len(g.memory)])
		return g.failure == nil
	})
	s.flush()
	return g.failure
}

// flush visits the values of the collected rows, which agree in the prefix columns.
func (s *Scratch) flush() {
	g := &s.group
	if a := g.of; a.distinct || a.prefix < a.shared {
		slices.SortFunc(g.rows, slices.Compare)
		g.rows = slices.CompactFunc(g.rows, slices.Equal)
	}
	for rest := g.rows; len(rest) > 0 && g.failure == nil; {
		n := 1
		for n < len(rest) && slices.Equal(rest[n][:g.of.shared], rest[0][:g.of.shared]) {
			n++
		}
		value := s.value(rest[:n])
		if math.IsInf(value, 0) {
			g.failure = &OverflowError{g.of.text}
			break
		}
		g.tuple = g.tuple[:0]
		for _, x := range g.of.args {
			g.tuple = append(g.tuple, s.id(x, rest[0]))
		}
		if len(g.tuple) == 0 {
			g.tuple = append(g.tuple, 0) // of the type unit
		}
		g.visit(g.tuple, value)
		rest = rest[n:]
	}
	g.rows, g.memory = g.rows[:0], g.memory[:0]
}

// id returns the entity of an argument in a row. A constant is present, since the query's guards hold.
func (s *Scratch) id(x plan.Arg, row []uint32) uint32 {
	if x.IsVar() {
		return row[x]
	}
	return uint32(s.scratch.Const(x))
}

// value returns the aggregate of the rows.
func (s *Scratch) value(rows [][]uint32) float64 {
	g := &s.group
	of := func(row []uint32) float64 { return s.numbers[g.of.types[0]][s.id(g.of.value, row)] }
	time := func(row []uint32) float64 { return s.numbers[g.of.types[1]][s.id(g.of.time, row)] }
	best := rows[0]
	g.sum.Reset()
	for _, row := range rows {
		switch g.of.kind {
		case mln.AggregateCount:
		case mln.AggregateAvg, mln.AggregateSum:
			g.sum.Add(of(row))
		case mln.AggregateMin:
			if of(row) < of(best) {
				best = row
			}
		case mln.AggregateMax:
			if of(row) > of(best) {
				best = row
			}
		case mln.AggregateLast:
			if t, u := time(row), time(best); t > u || t == u && of(row) > of(best) {
				best = row
			}
		}
	}
	switch g.of.kind {
	case mln.AggregateCount:
		return float64(len(rows))
	case mln.AggregateAvg:
		return g.sum.Mean()
	case mln.AggregateSum:
		return g.sum.Value()
	case mln.AggregateMin, mln.AggregateMax, mln.AggregateLast:
	}
	return of(best)
}
