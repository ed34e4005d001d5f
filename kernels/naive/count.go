package naive

import (
	"fmt"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// TrueGroundings returns the number of true groundings of a formula, over the bindings of all its free variables, in the
// state of the query atoms that state gives, those that rules fix included.
func (w *World) TrueGroundings(f *mln.Formula, rules Rules, state func(pred int, args []string) bool) int64 {
	r := w.interpret(rules)
	for _, q := range w.queries(rules) {
		r.holds[q.pred][q.position] = state(q.pred, w.args(q.pred, q.position))
	}
	return r.count(f, r.groundings(f))
}

// Counts returns the number of true groundings of each formula on the data, whatever its shape; atoms of unknown truth do not
// exist.
func (w *World) Counts(fs []*mln.Formula) []int64 {
	r := w.interpret(Rules{})
	out := make([]int64, len(fs))
	for i, f := range fs {
		out[i] = r.count(f, r.groundings(f))
	}
	return out
}

// interpretation says of each atom, by predicate and position, whether it exists and whether it is true.
type interpretation struct {
	*World
	exists, holds [][]bool
}

// interpret begins with the data's truth.
func (w *World) interpret(rules Rules) *interpretation {
	r := &interpretation{World: w}
	for pred, p := range w.schema.Predicates {
		exists, holds := make([]bool, len(w.stated[pred])), make([]bool, len(w.stated[pred]))
		for position, truth := range w.stated[pred] {
			exists[position] = !p.Role.IsTarget() || w.isQuery(pred, position, rules)
			holds[position] = truth == subgraph.True
		}
		r.exists, r.holds = append(r.exists, exists), append(r.holds, holds)
	}
	return r
}

// groundings returns the bindings of a formula's variables, the free ones set, whose ground formulas exist.
func (r *interpretation) groundings(f *mln.Formula) [][]int {
	free := make([]int, f.Free)
	for v := range free {
		free[v] = v
	}
	var out [][]int
	binding := make([]int, len(f.Vars))
	r.each(f, free, binding, func() {
		if !r.missing(f.Body, binding) {
			out = append(out, slices.Clone(binding))
		}
	})
	return out
}

// count returns how many groundings of a formula are true.
func (r *interpretation) count(f *mln.Formula, groundings [][]int) int64 {
	var n int64
	for _, binding := range groundings {
		if r.isTrue(f, f.Body, binding) {
			n++
		}
	}
	return n
}

// each gives the variables every combination of entities of their types, and calls visit for each.
func (w *World) each(f *mln.Formula, vars, binding []int, visit func()) {
	if len(vars) == 0 {
		visit()
		return
	}
	for id := range w.names[f.Vars[vars[0]].Type] {
		binding[vars[0]] = id
		w.each(f, vars[1:], binding, visit)
	}
}

// missing reports whether an expression touches, outside its quantifiers, a target atom that does not exist.
func (r *interpretation) missing(e mln.Expr, binding []int) bool {
	switch e := e.(type) {
	case *mln.Atom:
		position, ok := r.locate(e, binding)
		return r.schema.Predicates[e.Pred].Role.IsTarget() && (!ok || !r.exists[e.Pred][position])
	case *mln.Exists, *mln.ForAll, *mln.Count:
		return false
	}
	return slices.ContainsFunc(mln.Operands(e), func(x mln.Expr) bool { return r.missing(x, binding) })
}

// isTrue evaluates an expression of the formula under a binding.
func (r *interpretation) isTrue(f *mln.Formula, e mln.Expr, binding []int) bool {
	switch e := e.(type) {
	case *mln.Atom:
		position, ok := r.locate(e, binding)
		return ok && r.holds[e.Pred][position]
	case *mln.Equal:
		return r.name(e.A, binding) == r.name(e.B, binding)
	case *mln.Compare:
		v, _ := mln.ParseNumber(r.name(e.X, binding))
		than, _ := mln.ParseNumber(e.Value.Name)
		return e.Op.Holds(v, than)
	case *mln.Count:
		n := 0
		r.each(f, e.Listed, binding, func() {
			some := false
			r.each(f, e.Inner, binding, func() { some = some || r.isTrue(f, e.X, binding) })
			if some {
				n++
			}
		})
		return e.Op.Holds(float64(n), float64(e.K))
	case *mln.Not:
		return !r.isTrue(f, e.X, binding)
	case *mln.And:
		for _, x := range e.Xs {
			if !r.isTrue(f, x, binding) {
				return false
			}
		}
		return true
	case *mln.Or:
		for _, x := range e.Xs {
			if r.isTrue(f, x, binding) {
				return true
			}
		}
		return false
	case *mln.Implies:
		return !r.isTrue(f, e.L, binding) || r.isTrue(f, e.R, binding)
	case *mln.Iff:
		return r.isTrue(f, e.L, binding) == r.isTrue(f, e.R, binding)
	case *mln.Exists:
		some := false
		r.each(f, e.Vars, binding, func() {
			some = some || !r.missing(e.X, binding) && r.isTrue(f, e.X, binding)
		})
		return some
	case *mln.ForAll:
		every := true
		r.each(f, e.Vars, binding, func() {
			every = every && (r.missing(e.X, binding) || r.isTrue(f, e.X, binding))
		})
		return every
	}
	panic(fmt.Sprintf("kernels/naive: expression of type %T", e))
}

// locate returns the position of a ground atom, and whether all its arguments are in their domains.
func (w *World) locate(a *mln.Atom, binding []int) (position int, ok bool) {
	for _, t := range a.Args {
		var id int
		if t.Kind == mln.TermVariable {
			id = binding[t.Var]
		} else if id, ok = w.ids[t.Type][w.name(t, binding)]; !ok {
			return 0, false
		}
		position = position*len(w.names[t.Type]) + id
	}
	return position, true
}

// name returns the name of the entity that a term stands for, which need not be in the domain.
func (w *World) name(t mln.Term, binding []int) string {
	switch t.Kind {
	case mln.TermVariable:
		return w.names[t.Type][binding[t.Var]]
	case mln.TermConstant:
		return t.Name
	case mln.TermCenter:
		return w.center
	}
	panic("kernels/naive: term without kind")
}
