package ground

import (
	"resolwe/format/mln"
	"resolwe/kernels/join"
	"resolwe/kernels/network"
)

// Trees without atoms.
var (
	always = &network.Node{Op: network.OpAnd}
	never  = &network.Node{Op: network.OpOr}
)

func constant(b bool) *network.Node {
	if b {
		return always
	}
	return never
}

// isConst reports whether a simplified tree is a constant, and its value.
func isConst(n *network.Node) (value, ok bool) {
	return n.Op == network.OpAnd, n.Op != network.OpLit && len(n.Kids) == 0
}

// leaf returns the tree of an atom.
func leaf(atom uint32) *network.Node {
	return &network.Node{Op: network.OpLit, Lit: network.NewLit(atom, false)}
}

// connect builds the tree of a connective from those of its operands. It returns false if an operand has none, and for other expressions.
func connect(e mln.Expr, tree func(mln.Expr) (*network.Node, bool)) (*network.Node, bool) {
	op, operands := shape(e)
	kids := make([]*network.Node, len(operands))
	for i, x := range operands {
		k, ok := tree(x)
		if !ok {
			return nil, false
		}
		kids[i] = k
	}
	if _, ok := e.(*mln.Implies); ok {
		kids[0] = combine(network.OpNot, kids[:1])
	}
	return combine(op, kids), op != 0
}

// tree grounds an expression under the current binding, evaluating its evidence. It returns false if it contains a target atom that does
// not exist.
func (g *Grounder) tree(e mln.Expr) (*network.Node, bool) {
	switch e := e.(type) {
	case *mln.Atom:
		return g.atomTree(e)
	case *mln.Equal:
		return constant(g.equal(e)), true
	case *mln.Exists:
		return g.quantified(e.Vars, e.X, network.OpOr), true
	case *mln.ForAll:
		return g.quantified(e.Vars, e.X, network.OpAnd), true
	}
	return connect(e, g.tree)
}

// combine applies an operator, simplifying constants.
func combine(op network.NodeOp, kids []*network.Node) *network.Node {
	switch op {
	case network.OpNot:
		k := kids[0]
		if v, ok := isConst(k); ok {
			return constant(!v)
		}
		if k.Op == network.OpLit {
			return &network.Node{Op: network.OpLit, Lit: k.Lit ^ 1}
		}
		return &network.Node{Op: network.OpNot, Kids: []*network.Node{k}}
	case network.OpIff:
		for i, k := range kids {
			if v, ok := isConst(k); ok && v {
				return kids[1-i]
			} else if ok {
				return combine(network.OpNot, []*network.Node{kids[1-i]})
			}
		}
		return &network.Node{Op: network.OpIff, Kids: kids}
	case network.OpAnd, network.OpOr, network.OpLit:
	}
	var rest []*network.Node
	for _, k := range kids {
		v, ok := isConst(k)
		switch {
		case !ok:
			rest = append(rest, k)
		case v == (op == network.OpOr):
			return k
		}
	}
	if len(rest) == 1 {
		return rest[0]
	}
	return &network.Node{Op: op, Kids: rest}
}

// quantified grounds a quantifier: a disjunction or conjunction over the bindings for which all atoms exist.
func (g *Grounder) quantified(vars []int, e mln.Expr, op network.NodeOp) *network.Node {
	var kids []*network.Node
	var expand func(vars []int)
	expand = func(vars []int) {
		if len(vars) == 0 {
			if k, ok := g.tree(e); ok {
				kids = append(kids, k)
			}
			return
		}
		for id := range uint32(g.scratch.Size(g.c.formula.Vars[vars[0]].Type)) {
			g.scratch.Step()
			g.bound.inner[vars[0]] = id
			expand(vars[1:])
		}
	}
	expand(vars)
	return combine(op, kids)
}

func (g *Grounder) atomTree(a *mln.Atom) (*network.Node, bool) {
	tuple := g.bound.tuple[:0]
	absent := false
	for _, t := range a.Args {
		id := g.term(t)
		absent = absent || id < 0
		tuple = append(tuple, uint32(max(id, 0)))
	}
	g.bound.tuple = tuple
	if !g.p.prog.Schema.Predicates[a.Pred].Role.IsTarget() {
		return constant(!absent && join.Contains(&g.scratch.Sub.Relations[a.Pred].True, tuple)), true
	}
	if absent {
		return nil, false
	}
	at := g.atoms.of(a.Pred).find(tuple)
	if at < 0 || g.atoms.free[at] == missing {
		return nil, false
	}
	if free := g.atoms.free[at]; free >= 0 {
		return leaf(uint32(free)), true
	}
	return constant(g.atoms.free[at] == fixedTrue), true
}

// term returns the local id of a term under the current binding, -1 if the subgraph lacks the entity.
func (g *Grounder) term(t mln.Term) int64 {
	switch {
	case t.Kind != mln.TermVariable:
		return int64(g.scratch.ID(t))
	case t.Var >= g.c.formula.Free:
		return int64(g.bound.inner[t.Var])
	}
	return g.value(g.c.at[t.Var])
}

// equal compares two terms; entities that the subgraph lacks are compared by name.
func (g *Grounder) equal(e *mln.Equal) bool {
	a, b := g.term(e.A), g.term(e.B)
	if a < 0 && b < 0 {
		name := func(t mln.Term) string {
			if t.Kind == mln.TermCenter {
				return g.scratch.Sub.Center
			}
			return t.Name
		}
		return name(e.A) == name(e.B)
	}
	return a == b
}
