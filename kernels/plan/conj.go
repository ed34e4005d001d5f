package plan

import (
	"slices"

	"resolwe/format/mln"
)

// Arg is an argument of a literal: a variable of its conjunction if not negative, otherwise the constant ^Arg of the program.
type Arg int32

// IsVar reports whether the argument is a variable.
func (a Arg) IsVar() bool { return a >= 0 }

// Const returns the argument's index in Program.Consts.
func (a Arg) Const() int { return int(^a) }

// Const is an entity named in formulas. Its local id differs between subgraphs, and it may be absent.
type Const struct {
	Type   int
	Name   string
	Center bool // the entity around which the subgraph was built
}

// Source determines which atoms of a predicate a literal ranges over.
type Source uint8

// The sources. The zero value is none.
const (
	// SourceTrue: the atoms stated true in the data.
	SourceTrue Source = iota + 1
	// SourceKnown: the query atoms of known truth.
	SourceKnown
	// SourceAll: all query atoms, including those of unknown truth.
	SourceAll
)

// Literal is a predicate's relation, or its complement, over arguments.
type Literal struct {
	Source  Source
	Pred    int
	Args    []Arg
	Negated bool
}

// Vars returns the literal's distinct variables, ascending.
func (l *Literal) Vars() []Arg {
	var vars []Arg
	for _, a := range l.Args {
		if a.IsVar() && !slices.Contains(vars, a) {
			vars = append(vars, a)
		}
	}
	slices.Sort(vars)
	return vars
}

// Differ is the inequality A != B; A is a variable.
type Differ struct{ A, B Arg }

// Guard is a condition on constants only. With B < 0 it requires that constant A is in its domain; otherwise that A and B are equal, or
// that they differ if Differ is set.
type Guard struct {
	A, B   int
	Differ bool
}

// Conj is a conjunction over variables of known types. Equalities have been substituted away.
type Conj struct {
	Types    []int // of the variables
	Literals []Literal
	Differs  []Differ
	Equals   []Arg // variables that stand for both sides of equalities, which may be all that mentions them
	Guards   []Guard
	Never    bool // it has no solution in any subgraph
}

// Program holds the shared operators of many queries.
type Program struct {
	Schema  *mln.Schema
	Consts  []Const
	Nodes   []Node
	Queries []*Query
	shared  map[string]NodeID
}

// NewProgram returns an empty program for a schema, which it keeps.
func NewProgram(schema *mln.Schema) *Program {
	return &Program{Schema: schema, shared: map[string]NodeID{}}
}

// constant interns a constant term.
func (p *Program) constant(t mln.Term) Arg {
	c := Const{Type: t.Type, Name: t.Name, Center: t.Kind == mln.TermCenter}
	if c.Center {
		c.Name = ""
	}
	i := slices.Index(p.Consts, c)
	if i < 0 {
		i = len(p.Consts)
		p.Consts = append(p.Consts, c)
	}
	return Arg(^i)
}

// Binder translates the terms of one formula; x = y maps several variables to one.
type Binder struct {
	prog  *Program
	conj  *Conj
	bound []Arg // by variable of the formula
}

// Conjunction compiles a conjunction of literals and comparisons over a formula's variables. It also returns the binder, which translates
// further atoms of the formula.
func (p *Program) Conjunction(vars []mln.Variable, lits []mln.Literal) (*Conj, *Binder) {
	b := &Binder{prog: p, conj: &Conj{}, bound: make([]Arg, len(vars))}
	for i, v := range vars {
		b.bound[i] = Arg(i)
		b.conj.Types = append(b.conj.Types, v.Type)
	}
	for _, l := range lits {
		if l.Equal != nil && !l.Negated {
			b.unify(l.Equal)
		}
	}
	for _, l := range lits {
		if l.Equal != nil && !l.Negated {
			if a := b.arg(l.Equal.A); a.IsVar() && !slices.Contains(b.conj.Equals, a) {
				b.conj.Equals = append(b.conj.Equals, a)
			}
		}
		switch {
		case l.Atom != nil:
			b.conj.Add(Literal{Source: SourceTrue, Pred: l.Atom.Pred, Args: b.Args(l.Atom), Negated: l.Negated})
		case l.Negated:
			b.differ(b.arg(l.Equal.A), b.arg(l.Equal.B))
		}
	}
	return b.conj, b
}

// Args translates an atom's arguments.
func (b *Binder) Args(a *mln.Atom) []Arg {
	out := make([]Arg, len(a.Args))
	for i, t := range a.Args {
		out[i] = b.arg(t)
	}
	return out
}

func (b *Binder) arg(t mln.Term) Arg {
	if t.Kind != mln.TermVariable {
		return b.prog.constant(t)
	}
	a := Arg(t.Var)
	for a.IsVar() && b.bound[a] != a {
		a = b.bound[a]
	}
	return a
}

// Var returns the argument that replaces a formula's variable after substitution.
func (b *Binder) Var(v int) Arg { return b.arg(mln.Term{Kind: mln.TermVariable, Var: v}) }

// Output makes a formula's variable one of a query's outputs, unless it is one, and returns its position there, or the constant that it
// equals.
func (b *Binder) Output(outputs *[]int, v int) Arg {
	a := b.Var(v)
	if !a.IsVar() {
		return a
	}
	i := slices.Index(*outputs, int(a))
	if i < 0 {
		i = len(*outputs)
		*outputs = append(*outputs, int(a))
	}
	return Arg(i)
}

// unify merges the two sides of an equality.
func (b *Binder) unify(e *mln.Equal) {
	x, y := b.arg(e.A), b.arg(e.B)
	if !x.IsVar() {
		x, y = y, x
	}
	switch {
	case x == y:
	case x.IsVar():
		b.bound[x] = y
		if !y.IsVar() { // x ranges over its domain
			b.conj.guard(Guard{A: y.Const(), B: -1})
		}
	default:
		b.conj.guard(Guard{A: x.Const(), B: y.Const()})
	}
}

func (b *Binder) differ(x, y Arg) {
	if !x.IsVar() {
		x, y = y, x
	}
	switch {
	case x == y:
		b.conj.Never = true
	case x.IsVar():
		if y.IsVar() && y < x {
			x, y = y, x
		}
		if d := (Differ{x, y}); !slices.Contains(b.conj.Differs, d) {
			b.conj.Differs = append(b.conj.Differs, d)
		}
	default:
		b.conj.guard(Guard{A: x.Const(), B: y.Const(), Differ: true})
	}
}

func (c *Conj) guard(g Guard) {
	if !slices.Contains(c.Guards, g) {
		c.Guards = append(c.Guards, g)
	}
}

// Add adds a literal if the conjunction does not contain it yet. It must be called before the conjunction is compiled into a query.
func (c *Conj) Add(l Literal) {
	for _, k := range c.Literals {
		if k.Source != l.Source || k.Pred != l.Pred || !slices.Equal(k.Args, l.Args) {
			continue
		}
		if k.Negated == l.Negated {
			return
		}
		c.Never = true
	}
	c.Literals = append(c.Literals, l)
}
