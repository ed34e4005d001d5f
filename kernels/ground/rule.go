package ground

import (
	"slices"

	"resolwe/format/mln"
)

// rule is the route of a soft conjunction of one target atom over distinct variables and literals about these, most of them counting
// literals: the counts are computed for the atoms, like a formula's groundings, and never for other tuples.
type rule struct {
	pred  int
	parts []rulePart
}

// rulePart compares the number of an atom's groundings with k.
type rulePart struct {
	*compiled // the counted literals, with the atom
	op        mln.Comparison
	k         int64
}

// holds reports whether the part is true for an atom with n groundings.
func (p *rulePart) holds(n int64) bool { return p.op.Holds(float64(n), float64(p.k)) }

// compileRule returns nil if a formula is not a rule.
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
	if q == nil || !counts || len(q.Args) != f.Free || !mln.DistinctVariables(q.Args) {
		return nil
	}
	r := &rule{pred: q.Pred}
	for _, x := range others {
		part := p.compilePart(f, q, x)
		if part.compiled == nil || !part.linear {
			return nil
		}
		r.parts = append(r.parts, part)
	}
	return &compiled{formula: f, simple: true, rule: r}
}

// compilePart compiles a conjunct of a rule with the atom q; nothing if it counts anything else than tuples that meet literals.
func (p *Program) compilePart(f *mln.Formula, q *mln.Atom, x mln.Expr) rulePart {
	part := rulePart{op: mln.AtLeast, k: 1}
	switch y := x.(type) {
	case *mln.Count:
		if len(y.Inner) > 0 || y.Kind != mln.AggregateCount {
			return rulePart{}
		}
		x, part.op, part.k = y.X, y.Op, int64(y.K)
	case *mln.Not:
		if and, ok := y.X.(*mln.And); ok {
			x, part.op = and, mln.Less
		}
	}
	if literals, ok := conjuncts(p.schema, x); ok {
		part.compiled = compile(p.prog, p.derived.Formula(over(f, literals, q)), p.mode)
	}
	return part
}

// conjuncts returns the literals of a conjunction of evidence without counting literals.
func conjuncts(schema *mln.Schema, x mln.Expr) ([]mln.Expr, bool) {
	xs := mln.Conjuncts(x)
	return xs, !slices.ContainsFunc(xs, func(y mln.Expr) bool {
		l, ok := literal(schema, y)
		return !ok || l.Count != nil
	})
}

// over returns the formula literals ^ q with its own variables.
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
	held := make([]int, p.n) // by atom: number of parts that hold, less those that would hold without groundings but do not
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
