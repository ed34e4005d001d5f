package ground

import (
	"slices"

	"resolwe/format/mln"
)

// rule is the route of a soft conjunction of one target atom over distinct variables and of literals about these, most of
// them counting literals: what they count is counted for the atoms, as a formula's groundings are, and never for all other
// tuples.
type rule struct {
	pred  int
	parts []rulePart
}

// rulePart says how the number of groundings that an atom has stands to k.
type rulePart struct {
	*compiled // what is counted, with the atom
	op        mln.Comparison
	k         int64
}

// holds tells whether the part does for an atom with n groundings.
func (p *rulePart) holds(n int64) bool { return p.op.Holds(float64(n), float64(p.k)) }

// compileRule returns nil where a formula is no rule.
func (p *Program) compileRule(f *mln.Formula) *compiled {
	and, ok := f.Body.(*mln.And)
	if !ok || f.Hard || f.Shape != mln.ShapeNone || p.mode.fixes() {
		return nil
	}
	var q *mln.Atom
	counts := false
	var others []mln.Expr
	for _, x := range and.Xs {
		if a, isAtom := x.(*mln.Atom); isAtom && p.schema.Predicates[a.Pred].Role.IsTarget() && q == nil {
			q = a
			continue
		}
		_, count := x.(*mln.Count)
		counts = counts || count
		others = append(others, x)
	}
	if q == nil || !counts || len(q.Args) != f.Free || !distinctVariables(q.Args) {
		return nil
	}
	r := &rule{pred: q.Pred}
	for _, x := range others {
		part := rulePart{op: mln.AtLeast, k: 1}
		switch y := x.(type) {
		case *mln.Count:
			if len(y.Inner) > 0 || y.Kind != mln.AggregateCount {
				return nil
			}
			x, part.op, part.k = y.X, y.Op, int64(y.K)
		case *mln.Not:
			if and, ok := y.X.(*mln.And); ok {
				x, part.op = and, mln.Less
			}
		}
		literals, ok := conjuncts(p.schema, x)
		if !ok {
			return nil
		}
		part.compiled = compile(p.prog, p.derived.Formula(over(f, literals, q)), p.mode)
		if !part.linear {
			return nil
		}
		r.parts = append(r.parts, part)
	}
	return &compiled{formula: f, simple: true, rule: r}
}

// distinctVariables reports whether terms are variables, all different.
func distinctVariables(args []mln.Term) bool {
	for i, a := range args {
		if a.Kind != mln.TermVariable || slices.ContainsFunc(args[:i], func(b mln.Term) bool { return a.Var == b.Var }) {
			return false
		}
	}
	return true
}

// conjuncts returns the literals of a conjunction of evidence without counting literals.
func conjuncts(schema *mln.Schema, x mln.Expr) ([]mln.Expr, bool) {
	xs := []mln.Expr{x}
	if and, ok := x.(*mln.And); ok {
		xs = and.Xs
	}
	for _, y := range xs {
		if l, ok := literal(schema, y); !ok || l.Count != nil {
			return nil, false
		}
	}
	return xs, true
}

// over returns the formula literals ^ q with variables of its own.
func over(f *mln.Formula, literals []mln.Expr, q *mln.Atom) *mln.Formula {
	out := &mln.Formula{Pos: f.Pos}
	r := mln.NewRenumbering(f, out)
	all := append(slices.Clone(literals), q)
	for _, x := range all {
		r.Free(x)
	}
	xs := make([]mln.Expr, len(all))
	for i, x := range all {
		xs[i] = r.Expr(x)
	}
	out.Body = &mln.And{Xs: xs}
	return out
}

// rule adds the terms of the current formula, which is a rule.
func (g *Grounder) rule() {
	r := g.c.rule
	p := g.atoms.of(r.pred)
	held := make([]int, p.n) // by atom: parts that hold, less those that hold without groundings and not for it
	want := 0
	for i := range r.parts {
		part := &r.parts[i]
		add, bare := 1, part.holds(0) // without groundings
		if bare {
			add = -1
		} else {
			want++
		}
		g.eachAtom(part.compiled, 1, func(atom int, n int64) {
			if part.holds(n) != bare {
				held[atom-p.first] += add
			}
		})
	}
	for i, n := range held {
		switch free := g.atoms.free[p.first+i]; {
		case n != want || free == missing:
		case free >= 0:
			g.net.unary.append(g.i, uint32(free), 1)
		case free == fixedTrue:
			g.net.constant(g.i, 1)
		}
	}
}
