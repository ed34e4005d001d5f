package ground

import (
	"resolwe/format/mln"
	"resolwe/kernels/join"
)

// Trees of no atom.
var (
	always = &Node{Op: OpAnd}
	never  = &Node{Op: OpOr}
)

func constant(b bool) *Node {
	if b {
		return always
	}
	return never
}

// isConst reports whether a simplified tree is a constant, and which.
func (n *Node) isConst() (value, ok bool) {
	return n.Op == OpAnd, n.Op != OpLit && len(n.Kids) == 0
}

// tree grounds an expression under the current binding, with its evidence evaluated away. It returns false where it
// touches a target atom that does not exist.
func (g *Grounder) tree(e mln.Expr) (*Node, bool) {
	switch e := e.(type) {
	case *mln.Atom:
		return g.atomTree(e)
	case *mln.Equal:
		return constant(g.equal(e)), true
	case *mln.Exists:
		return g.quantified(e.Vars, e.X, OpOr)
	case *mln.ForAll:
		return g.quantified(e.Vars, e.X, OpAnd)
	}
	op, operands := shape(e)
	kids := make([]*Node, len(operands))
	for i, x := range operands {
		k, ok := g.tree(x)
		if !ok {
			return nil, false
		}
		kids[i] = k
	}
	if _, ok := e.(*mln.Implies); ok {
		kids[0] = combine(OpNot, kids[:1])
	}
	return combine(op, kids), true
}

// combine applies an operator and simplifies constants away.
func combine(op NodeOp, kids []*Node) *Node {
	switch op {
	case OpNot:
		k := kids[0]
		if v, ok := k.isConst(); ok {
			return constant(!v)
		}
		if k.Op == OpLit {
			return &Node{Op: OpLit, Lit: k.Lit ^ 1}
		}
		return &Node{Op: OpNot, Kids: []*Node{k}}
	case OpIff:
		for i, k := range kids {
			if v, ok := k.isConst(); ok && v {
				return kids[1-i]
			} else if ok {
				return combine(OpNot, []*Node{kids[1-i]})
			}
		}
		return &Node{Op: OpIff, Kids: kids}
	case OpAnd, OpOr, OpLit:
	}
	var rest []*Node
	for _, k := range kids {
		v, ok := k.isConst()
		switch {
		case !ok:
			rest = append(rest, k)
		case v == (op == OpOr):
			return k
		}
	}
	if len(rest) == 1 {
		return rest[0]
	}
	return &Node{Op: op, Kids: rest}
}

// quantified grounds a quantifier: a disjunction or conjunction over the bindings that touch existing atoms only.
func (g *Grounder) quantified(vars []int, e mln.Expr, op NodeOp) (*Node, bool) {
	var kids []*Node
	var expand func(vars []int)
	expand = func(vars []int) {
		if len(vars) == 0 {
			if k, ok := g.tree(e); ok {
				kids = append(kids, k)
			}
			return
		}
		for id := range uint32(g.scratch.Size(g.c.formula.Vars[vars[0]].Type)) {
			g.inner[vars[0]] = id
			expand(vars[1:])
		}
	}
	expand(vars)
	return combine(op, kids), true
}

func (g *Grounder) atomTree(a *mln.Atom) (*Node, bool) {
	g.tuple = g.tuple[:0]
	absent := false
	for _, t := range a.Args {
		id := g.term(t)
		absent = absent || id < 0
		g.tuple = append(g.tuple, uint32(max(id, 0)))
	}
	if !g.p.prog.Schema.Predicates[a.Pred].Role.IsTarget() {
		return constant(!absent && join.Contains(&g.scratch.Sub.Relations[a.Pred].True, g.tuple)), true
	}
	if absent {
		return nil, false
	}
	at := g.atoms.find(a.Pred, g.tuple)
	if at < 0 || g.atoms.free[at] == missing {
		return nil, false
	}
	if free, ok := g.atoms.Free(at); ok {
		return &Node{Op: OpLit, Lit: NewLit(uint32(free), false)}, true
	}
	return constant(g.atoms.free[at] == fixedTrue), true
}

// term returns the local id of a term under the current binding, -1 where the subgraph lacks the entity.
func (g *Grounder) term(t mln.Term) int64 {
	switch {
	case t.Kind != mln.TermVariable:
		return int64(g.scratch.ID(t))
	case t.Var >= g.c.formula.Free:
		return int64(g.inner[t.Var])
	}
	return g.value(g.c.at[t.Var])
}

// equal compares two terms; entities that the subgraph lacks by name.
func (g *Grounder) equal(e *mln.Equal) bool {
	a, b := g.term(e.A), g.term(e.B)
	if a < 0 && b < 0 {
		return g.name(e.A) == g.name(e.B)
	}
	return a == b
}

func (g *Grounder) name(t mln.Term) string {
	if t.Kind == mln.TermCenter {
		return g.scratch.Sub.Center
	}
	return t.Name
}
