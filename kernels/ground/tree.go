package ground

import (
	"fmt"

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

// violation names the hard grounding of the current binding.
func (g *Grounder) violation() error {
	values := make([]int64, g.c.formula.Free)
	for v := range values {
		values[v] = -1
		if a := g.c.at[v]; !a.IsVar() || g.output(v) {
			values[v] = g.value(a)
		}
	}
	return g.violationOf(values)
}

// output reports whether a variable is bound by the current binding, not summed out.
func (g *Grounder) output(v int) bool {
	found := false
	eachTerm(g.c.rest, func(t mln.Term) { found = found || (t.Kind == mln.TermVariable && t.Var == v) })
	return found
}

func (g *Grounder) violationOf(values []int64) error {
	f := g.c.formula
	e := &ViolationError{Formula: mln.FormatFormula(f)}
	for v, id := range values {
		if id >= 0 {
			name := g.scratch.Sub.Domains[f.Vars[v].Type].Names.Name(uint32(id))
			e.Bindings = append(e.Bindings, fmt.Sprintf("%s = %s", f.Vars[v].Name, name))
		}
	}
	return e
}

// unheld finds a grounding of a hard conjunction whose evidence literals do not hold.
func (g *Grounder) unheld() error {
	f := g.c.formula
	values := make([]int64, f.Free)
	var search func(v int) error
	search = func(v int) error {
		if v == f.Free {
			if g.exists(values) && !g.selected(values) {
				return g.violationOf(values)
			}
			return nil
		}
		for id := range g.scratch.Size(f.Vars[v].Type) {
			values[v] = int64(id)
			if err := search(v + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return search(0)
}

// exists reports whether the target atoms of a grounding exist.
func (g *Grounder) exists(values []int64) bool {
	for _, a := range targets(g.p.prog.Schema, g.c.rest, nil) {
		args, ok := g.args(a, values)
		if !ok {
			return false
		}
		if at := g.atoms.find(a.Pred, args); at < 0 || g.atoms.free[at] == missing {
			return false
		}
	}
	return true
}

// selected reports whether the selector's literals hold in a grounding.
func (g *Grounder) selected(values []int64) bool {
	for _, l := range g.c.selector {
		var holds bool
		if l.Atom != nil {
			args, ok := g.args(l.Atom, values)
			holds = ok && join.Contains(&g.scratch.Sub.Relations[l.Atom.Pred].True, args)
		} else {
			a, b := g.valueOf(l.Equal.A, values), g.valueOf(l.Equal.B, values)
			holds = a == b && (a >= 0 || g.name(l.Equal.A) == g.name(l.Equal.B))
		}
		if holds == l.Negated {
			return false
		}
	}
	return true
}

func (g *Grounder) args(a *mln.Atom, values []int64) ([]uint32, bool) {
	g.tuple = g.tuple[:0]
	for _, t := range a.Args {
		id := g.valueOf(t, values)
		if id < 0 {
			return nil, false
		}
		g.tuple = append(g.tuple, uint32(id))
	}
	return g.tuple, true
}

func (g *Grounder) valueOf(t mln.Term, values []int64) int64 {
	if t.Kind == mln.TermVariable {
		return values[t.Var]
	}
	return int64(g.scratch.ID(t))
}
