package mln

import "slices"

// TermKind distinguishes variables, constants and the center.
type TermKind uint8

// The kinds of a term. The zero value is no term.
const (
	TermVariable TermKind = iota + 1
	TermConstant
	TermCenter // @center, the entity around which a subgraph was formed
)

// Term is an argument of an atom or a side of a comparison.
type Term struct {
	Kind TermKind
	Name string // of the variable or constant (unquoted), "@center" for the center
	Var  int    // a variable's index in Formula.Vars
	Type int    // index in Schema.Types
	// Number says that the name of a constant is a number, which prints without quotes.
	Number bool
	Plus   bool // written +x: a weight of its own for each constant of the type line; gone after expansion
	Pos    Position
}

// Expr is a node of a formula's tree: *Atom, *Equal, *Compare, *Count, *Not, *And, *Or, *Implies, *Iff, *Exists or *ForAll.
type Expr interface{ op() Op }

type (
	// Atom is a predicate applied to terms.
	Atom struct {
		Pred int // index in Schema.Predicates
		Name string
		Args []Term
		Pos  Position
	}
	// Equal compares two terms of one type; x != y is Not{Equal}.
	Equal struct {
		A, B Term
		Pos  Position
	}
	// Compare compares a variable of type number, X, with a number: X >= Value, >, <= or <. [Value] reads the number.
	Compare struct {
		X, Value Term
		Op       Comparison
		Pos      Position
	}
	// Count is a counting literal or an aggregate over the bindings of the variables Listed for which X holds under some binding of the
	// variables Inner. It compares their number, or an aggregate of the first variable, with K by Op. X is a literal or a conjunction of
	// literals, none of a target and none a Count; for AggregateShare an Implies of two such, R being the part before | (see Parts). Listed and Inner are indices in Formula.Vars, beyond the free ones. For AggregateCount,
	// Op is AtLeast, Less, SameAs or OtherThan, and K is whole and not negative. For the others, the first variable has a numeric type, and
	// the literal is false if there is no binding. Under a shape that measures a value, Op is 0.
	Count struct {
		Kind          Aggregate
		Listed, Inner []int
		X             Expr
		Op            Comparison
		K             float64
		Pos           Position
	}
	// Not is a negation.
	Not struct{ X Expr }
	// And is a conjunction of two or more expressions.
	And struct{ Xs []Expr }
	// Or is a disjunction of two or more expressions.
	Or struct{ Xs []Expr }
	// Implies is L => R.
	Implies struct{ L, R Expr }
	// Iff is L <=> R.
	Iff struct{ L, R Expr }
	// Exists is EXIST over variables; Vars are indices in Formula.Vars.
	Exists struct {
		Vars []int
		X    Expr
	}
	// ForAll is FORALL over variables; Vars are indices in Formula.Vars.
	ForAll struct {
		Vars []int
		X    Expr
	}
)

func (*Atom) op() Op    { return OpAtom }
func (*Equal) op() Op   { return OpEqual }
func (*Compare) op() Op { return OpCompare }
func (*Count) op() Op   { return OpCount }
func (*Not) op() Op     { return OpNot }
func (*And) op() Op     { return OpAnd }
func (*Or) op() Op      { return OpOr }
func (*Implies) op() Op { return OpImplies }
func (*Iff) op() Op     { return OpIff }
func (*Exists) op() Op  { return OpExists }
func (*ForAll) op() Op  { return OpForAll }

// Operands returns the direct operands of an expression, from left to right. The slice may be the expression's own.
func Operands(x Expr) []Expr {
	switch x := x.(type) {
	case *Count:
		return []Expr{x.X}
	case *Not:
		return []Expr{x.X}
	case *And:
		return x.Xs
	case *Or:
		return x.Xs
	case *Implies:
		return []Expr{x.L, x.R}
	case *Iff:
		return []Expr{x.L, x.R}
	case *Exists:
		return []Expr{x.X}
	case *ForAll:
		return []Expr{x.X}
	}
	return nil
}

// Mapped returns a copy of an expression with f applied to each operand; an expression without operands is returned itself.
func Mapped(x Expr, f func(Expr) Expr) Expr {
	all := func(xs []Expr) []Expr {
		out := make([]Expr, len(xs))
		for i, y := range xs {
			out[i] = f(y)
		}
		return out
	}
	switch x := x.(type) {
	case *Count:
		c := *x
		c.X = f(x.X)
		return &c
	case *Not:
		return &Not{f(x.X)}
	case *And:
		return &And{all(x.Xs)}
	case *Or:
		return &Or{all(x.Xs)}
	case *Implies:
		return &Implies{f(x.L), f(x.R)}
	case *Iff:
		return &Iff{f(x.L), f(x.R)}
	case *Exists:
		return &Exists{x.Vars, f(x.X)}
	case *ForAll:
		return &ForAll{x.Vars, f(x.X)}
	}
	return x
}

// Conjuncts returns the operands of a conjunction, or the expression itself if it is another. The slice may be the expression's own.
func Conjuncts(x Expr) []Expr {
	if and, ok := x.(*And); ok {
		return and.Xs
	}
	return []Expr{x}
}

// EachTerm calls visit for the terms of the atoms and comparisons of an expression, in order.
func EachTerm(x Expr, visit func(Term)) {
	switch x := x.(type) {
	case *Atom:
		for _, t := range x.Args {
			visit(t)
		}
	case *Equal:
		visit(x.A)
		visit(x.B)
	case *Compare:
		visit(x.X)
		visit(x.Value)
	}
	for _, y := range Operands(x) {
		EachTerm(y, visit)
	}
}

// DistinctVariables reports whether terms are variables, all different.
func DistinctVariables(ts []Term) bool {
	for i, a := range ts {
		if a.Kind != TermVariable || slices.ContainsFunc(ts[:i], func(b Term) bool { return a.Var == b.Var }) {
			return false
		}
	}
	return true
}

func isIn(v int, args []Term) bool {
	return slices.ContainsFunc(args, func(t Term) bool { return t.Kind == TermVariable && t.Var == v })
}

// Variable is a variable of a formula, with the type that its uses imply.
type Variable struct {
	Name string
	Type int // index in Schema.Types
}

// Formula is an expanded, type-checked formula: without templates, bracket lists, + or leading FORALLs. Vars[:Free] are its free variables
// in order of first appearance; their bindings are its groundings. The rest are those of inner quantifiers and counting literals, with one
// entry for each such variable even if names repeat. The body of a soft formula with a shape is a conjunction of literals, the last of
// which is the head.
type Formula struct {
	Body      Expr
	Vars      []Variable
	Free      int
	Weight    float64 // set if HasWeight; at most [MaxWeight] in absolute value
	HasWeight bool
	Hard      bool // written with a final period
	Shape     Shape
	Numbers   []float64 // of ShapeRank the knots, ascending; of ShapeRelative the standard deviation of the values, nil for groundings
	Standing  Standing
	Pos       Position // of the written formula
}

// WithWeight returns the formula with a weight, or another one.
func (f *Formula) WithWeight(w float64) *Formula {
	g := *f
	g.Weight, g.HasWeight = w, true
	return &g
}

// FreeVariables returns the indices of the free variables.
func (f *Formula) FreeVariables() []int {
	out := make([]int, f.Free)
	for v := range out {
		out[v] = v
	}
	return out
}

// Constants returns the constants of a formula except the center, with repetitions.
func (f *Formula) Constants() []Term {
	var out []Term
	EachTerm(f.Body, func(t Term) {
		if t.Kind == TermConstant {
			out = append(out, t)
		}
	})
	return out
}

// Literal is an atom, a comparison or a counting literal, possibly negated. Exactly one of the pointers is set.
type Literal struct {
	Atom    *Atom
	Equal   *Equal
	Compare *Compare
	Count   *Count
	Negated bool
}

// Expr returns the literal as a tree.
func (l Literal) Expr() Expr {
	x := l.positive()
	if l.Negated {
		return &Not{x}
	}
	return x
}

// placed is an expression that may be a literal, with its place in the source.
type placed interface {
	Expr
	pos() Position
}

func (a *Atom) pos() Position    { return a.Pos }
func (e *Equal) pos() Position   { return e.Pos }
func (c *Compare) pos() Position { return c.Pos }
func (c *Count) pos() Position   { return c.Pos }

// positive returns the literal without its negation.
func (l Literal) positive() placed {
	switch {
	case l.Atom != nil:
		return l.Atom
	case l.Equal != nil:
		return l.Equal
	case l.Compare != nil:
		return l.Compare
	}
	return l.Count
}

// LiteralOf returns the literal that an expression represents, if any; double negations cancel.
func LiteralOf(x Expr) (Literal, bool) {
	switch x := x.(type) {
	case *Atom:
		return Literal{Atom: x}, true
	case *Equal:
		return Literal{Equal: x}, true
	case *Compare:
		return Literal{Compare: x}, true
	case *Count:
		return Literal{Count: x}, true
	case *Not:
		l, ok := LiteralOf(x.X)
		l.Negated = !l.Negated
		return l, ok
	}
	return Literal{}, false
}

// Role says how a predicate takes part in prediction.
type Role uint8

// The roles of a predicate. The zero value is no role.
const (
	// RoleEvidence predicates are observed: closed world, never predicted.
	RoleEvidence Role = iota + 1
	// RoleTarget predicates are predicted; every type-consistent atom is a query atom.
	RoleTarget
	// RoleListed predicates are predicted; only atoms listed in the data are query atoms.
	RoleListed
)

// String returns the words that declare the role in a task file, "" for evidence.
func (r Role) String() string {
	return [...]string{0: "no role", RoleEvidence: "", RoleTarget: "target", RoleListed: "target listed"}[r]
}

// IsTarget reports whether predicates of this role are predicted.
func (r Role) IsTarget() bool { return r == RoleTarget || r == RoleListed }

// Predicate is a relation over typed arguments.
type Predicate struct {
	Name string
	Args []int // types of the arguments, indices of Schema.Types
	Role Role
}

// Schema names the types and predicates of a model or a stream. Both are referred to by index.
type Schema struct {
	Types      []string
	Predicates []Predicate
	Kinds      []bool // by type: declared as a kind of numbers; types beyond its end are not kinds
	Words      []Words
	Use        string // what the model is meant for, "" if that is not stated
}

// Type returns the index of the type with that name, -1 if there is none.
func (s *Schema) Type(name string) int { return slices.Index(s.Types, name) }

// isTarget reports whether a literal is one of a target predicate.
func (s *Schema) isTarget(l Literal) bool {
	return l.Atom != nil && s.Predicates[l.Atom.Pred].Role.IsTarget()
}

// Targets returns the target atoms of an expression from left to right: those outside quantifiers, and those under one.
func (s *Schema) Targets(x Expr) (outside, quantified []*Atom) {
	var list func(x Expr, to *[]*Atom)
	list = func(x Expr, to *[]*Atom) {
		switch x := x.(type) {
		case *Atom:
			if s.Predicates[x.Pred].Role.IsTarget() {
				*to = append(*to, x)
			}
		case *Exists, *ForAll:
			to = &quantified
		}
		for _, y := range Operands(x) {
			list(y, to)
		}
	}
	list(x, &outside)
	return outside, quantified
}

// PredicateNames returns the names of the predicates.
func (s *Schema) PredicateNames() []string {
	names := make([]string, len(s.Predicates))
	for i, p := range s.Predicates {
		names[i] = p.Name
	}
	return names
}

// Predicate returns the index of the predicate with that name, -1 if there is none.
func (s *Schema) Predicate(name string) int {
	return slices.IndexFunc(s.Predicates, func(p Predicate) bool { return p.Name == name })
}
