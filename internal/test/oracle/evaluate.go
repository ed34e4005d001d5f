package oracle

import (
	"fmt"
	"slices"

	"resolwe/format/mln"
)

// groundings returns the bindings of a formula's free variables whose ground formulas exist.
func (r *interpretation) groundings(f *mln.Formula) [][]int {
	var out [][]int
	binding := make([]int, len(f.Vars))
	r.each(f, f.FreeVariables(), binding, func() {
		if !r.missing(f.Body, binding) {
			out = append(out, slices.Clone(binding))
		}
	})
	return out
}

// count returns the number of true groundings of a formula.
func (r *interpretation) count(f *mln.Formula, groundings [][]int) int64 {
	var n int64
	for _, binding := range groundings {
		if r.isTrue(f, f.Body, binding) {
			n++
		}
	}
	return n
}

// each binds the variables to every combination of entities of their types, and calls visit for each.
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

// missing reports whether an expression contains, outside quantifiers, a target atom that does not exist.
func (r *interpretation) missing(e mln.Expr, binding []int) bool {
	switch e := e.(type) {
	case *mln.Atom:
		a, ok := r.locate(e, binding)
		return r.schema.Predicates[e.Pred].Role.IsTarget() && (!ok || !r.exists[a])
	case *mln.Exists, *mln.ForAll, *mln.Count:
		return false
	}
	return slices.ContainsFunc(mln.Operands(e), func(x mln.Expr) bool { return r.missing(x, binding) })
}

// isTrue evaluates an expression of the formula under a binding.
func (r *interpretation) isTrue(f *mln.Formula, e mln.Expr, binding []int) bool {
	switch e := e.(type) {
	case *mln.Atom:
		a, ok := r.locate(e, binding)
		return ok && r.holds[a]
	case *mln.Equal:
		return r.name(e.A, binding) == r.name(e.B, binding)
	case *mln.Compare:
		v, _ := mln.ParseNumber(r.name(e.X, binding))
		than, _ := mln.ParseNumber(e.Value.Name)
		return e.Op.Holds(v, than)
	case *mln.Count:
		value, defined := r.aggregate(f, e, binding)
		return defined && e.Op.Holds(value, e.K)
	case *mln.Not:
		return !r.isTrue(f, e.X, binding)
	case *mln.And:
		return !slices.ContainsFunc(e.Xs, func(x mln.Expr) bool { return !r.isTrue(f, x, binding) })
	case *mln.Or:
		return slices.ContainsFunc(e.Xs, func(x mln.Expr) bool { return r.isTrue(f, x, binding) })
	case *mln.Implies:
		return !r.isTrue(f, e.L, binding) || r.isTrue(f, e.R, binding)
	case *mln.Iff:
		return r.isTrue(f, e.L, binding) == r.isTrue(f, e.R, binding)
	case *mln.Exists:
		return r.some(f, e.Vars, e.X, binding, true)
	case *mln.ForAll:
		return !r.some(f, e.Vars, e.X, binding, false)
	}
	panic(fmt.Sprintf("oracle: expression of type %T", e))
}

// some reports whether an expression exists and has a value under some binding of the variables.
func (r *interpretation) some(f *mln.Formula, vars []int, e mln.Expr, binding []int, value bool) (found bool) {
	r.each(f, vars, binding, func() {
		found = found || !r.missing(e, binding) && r.isTrue(f, e, binding) == value
	})
	return found
}

// locate returns a ground atom's number, and whether all its arguments are in their domains.
func (w *World) locate(a *mln.Atom, binding []int) (atom int, ok bool) {
	for _, t := range a.Args {
		var id int
		if t.Kind == mln.TermVariable {
			id = binding[t.Var]
		} else if id, ok = w.ids[t.Type][w.name(t, binding)]; !ok {
			return 0, false
		}
		atom = atom*len(w.names[t.Type]) + id
	}
	return w.first[a.Pred] + atom, true
}

// name returns the name of the entity that a term denotes, which may be outside the domain.
func (w *World) name(t mln.Term, binding []int) string {
	switch t.Kind {
	case mln.TermVariable:
		return w.names[t.Type][binding[t.Var]]
	case mln.TermConstant:
		return t.Name
	case mln.TermCenter:
		return w.center
	}
	panic("oracle: term without kind")
}
