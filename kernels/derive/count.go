package derive

import (
	"fmt"
	"slices"

	"resolwe/format/mln"
	"resolwe/kernels/plan"
)

// count is the relation of the bindings of a counting literal's shared variables for which there are at least k, or exactly k, bindings
// of the listed ones; k is at least 1, so that bindings without any are excluded.
type count struct {
	pred  int
	exact bool
	k     int64
	never bool // the relation is empty
	query *plan.Query
	args  []plan.Arg // of the predicate: outputs of the query by position, or constants; none if it is over unit
	// shared is the number of outputs that are arguments. The others are the listed variables, whose distinct bindings are counted; if
	// there are none, all solutions are counted.
	shared   int
	distinct bool
	// found, if not nil, is a query for the distinct bindings, and query is the join of its projections: thus only pairs of shared
	// entities with a common listed one are considered. parts are the projections that no earlier count has.
	found *plan.Query
	parts []part
}

// part is the relation of a vector or matrix over outputs.
type part struct {
	pred int
	node plan.NodeID
}

// count returns the atom that replaces a counting literal; if opposite, the atom's negation does.
func (r *Relations) count(f *mln.Formula, c *mln.Count) (a *mln.Atom, opposite bool) {
	def, own := define(f, c)
	n := count{exact: c.Op == mln.SameAs || c.Op == mln.OtherThan, k: int64(c.K)}
	opposite = c.Op == mln.Less || c.Op == mln.OtherThan
	if n.k <= 0 {
		n.never, opposite = !n.exact, !opposite
		n.exact, n.k = false, 1
	}
	own.Op, own.K = mln.AtLeast, float64(n.k)
	if n.exact {
		own.Op = mln.SameAs
	}
	key := keyOf(own, def)
	if n.never {
		key = "never " + key
	}
	types, args := r.arguments(f, c)
	var fresh bool
	if n.pred, fresh = r.predicate(key, types); fresh {
		r.compile(&n, def, own)
		r.counts = append(r.counts, n)
	}
	return r.atom(n.pred, args, c.Pos), opposite
}

// define returns a copy of a counting literal or aggregate in a formula of its own, whose free variables are the shared ones.
func define(f *mln.Formula, c *mln.Count) (def *mln.Formula, own *mln.Count) {
	def = &mln.Formula{}
	renumber := mln.NewRenumbering(f, def)
	renumber.Free(c)
	return def, renumber.Expr(c).(*mln.Count) //nolint:forcetypeassert // a copy
}

// keyOf returns a text that identifies a counting literal or aggregate, whose shared variables are the free ones of def. Their number
// distinguishes them from the inner ones.
func keyOf(c *mln.Count, def *mln.Formula) string {
	return fmt.Sprint(def.Free, " ", mln.CanonicalLiteral(mln.Literal{Count: c}, def.Vars))
}

// unit returns the type with a single entity.
func (r *Relations) unit() int {
	if len(r.schema.Types) == r.types {
		r.schema.Types = append(r.schema.Types, unit)
	}
	return r.types
}

// sharedVariables returns the variables of a counting literal that are not its own, in order of first appearance.
func sharedVariables(c *mln.Count) []int {
	var out []int
	mln.EachTerm(c.X, func(t mln.Term) {
		if t.Kind == mln.TermVariable && !slices.Contains(c.Listed, t.Var) && !slices.Contains(c.Inner, t.Var) && !slices.Contains(out, t.Var) {
			out = append(out, t.Var)
		}
	})
	return out
}

// compile compiles the query of a counting literal, whose shared variables are the free ones of def.
func (r *Relations) compile(n *count, def *mln.Formula, c *mln.Count) {
	literals, _ := c.Parts()
	conj, binder := r.prog.Conjunction(def.Vars, r.Literals(def, literals))
	var outputs []int
	for v := range def.Free {
		n.args = append(n.args, binder.Output(&outputs, v))
	}
	n.shared = len(outputs)
	shared := slices.Clone(outputs)
	exists := n.k == 1 && !n.exact // one binding decides, so they need not be told apart
	if !exists {
		for _, v := range c.Listed {
			binder.Output(&outputs, v)
		}
	}
	// Without inner variables the solutions are the distinct bindings, which need not be listed.
	n.distinct = exists || slices.ContainsFunc(c.Inner, func(v int) bool {
		a := binder.Var(v)
		return a.IsVar() && !slices.Contains(outputs, int(a))
	})
	if !n.distinct {
		outputs = shared
	}
	n.query = r.prog.Query(conj, outputs)
	if n.distinct && !exists && n.query.Reduced && n.shared > 1 {
		r.join(n)
	}
}

// join replaces a query for the distinct bindings by a join of its projections.
func (r *Relations) join(n *count) {
	q := n.query
	next := &plan.Conj{Types: q.Conj.Types, Guards: q.Conj.Guards, Never: q.Conj.Never}
	add := func(node plan.NodeID, outputs ...int) {
		l := plan.Literal{Source: plan.SourceTrue}
		types := make([]int, len(outputs))
		for i, o := range outputs {
			types[i] = q.Conj.Types[q.Outputs[o]]
			l.Args = append(l.Args, plan.Arg(q.Outputs[o]))
		}
		var fresh bool
		if l.Pred, fresh = r.predicate(fmt.Sprint("node ", node), types); fresh {
			n.parts = append(n.parts, part{l.Pred, node})
		}
		next.Add(l)
	}
	for _, v := range q.Vectors {
		add(v.Node, v.Var)
	}
	for _, m := range q.Mats {
		add(m.Node, m.Row, m.Col)
	}
	n.found, n.query, n.distinct = q, r.prog.Query(next, q.Outputs[:n.shared]), false
}
