package mln

// TermKind tells variables, constants and the center apart.
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
	Plus bool   // written +x: a weight of its own for each constant of the type line; gone after expansion
	Pos  Position
}

// Expr is a formula's tree: *Atom, *Equal, *Not, *And, *Or, *Implies, *Iff, *Exists or *ForAll.
type Expr interface{ expr() }

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
	// Not is a negation.
	Not struct{ X Expr }
	// And is a conjunction of two or more.
	And struct{ Xs []Expr }
	// Or is a disjunction of two or more.
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

func (*Atom) expr()    {}
func (*Equal) expr()   {}
func (*Not) expr()     {}
func (*And) expr()     {}
func (*Or) expr()      {}
func (*Implies) expr() {}
func (*Iff) expr()     {}
func (*Exists) expr()  {}
func (*ForAll) expr()  {}

// Variable is a variable of a formula with the type that its uses give it.
type Variable struct {
	Name string
	Type int // index in Schema.Types
}

// Formula is an expanded, type-checked formula: no template, bracket list or + is left in it, and leading FORALLs are
// dropped. Vars[:Free] are its free variables in order of first appearance, whose bindings are the formula's groundings;
// the rest are those of inner quantifiers, one entry for each quantified variable even where names repeat.
type Formula struct {
	Body      Expr
	Vars      []Variable
	Free      int
	Weight    float64 // where HasWeight
	HasWeight bool
	Hard      bool // written with a final period
	Origin    Origin
}

// Origin says which written formula an expanded one comes from, and by which choices.
type Origin struct {
	Pos     Position // of the written formula
	Source  string   // the written formula, printed
	Choices []Choice // the choice of each template use and bracket list, in order of appearance
}

// Choice is what one template use or bracket list was replaced by.
type Choice struct {
	Template string // name of the template, or the bracket list as written
	Text     string // what was chosen, printed
}

// Literal is an atom or comparison, possibly negated. Exactly one of Atom and Equal is set.
type Literal struct {
	Atom    *Atom
	Equal   *Equal
	Negated bool
}

// Candidate is an unweighted formula read for selection (docs/methods.md): a conjunction of evidence literals and
// comparisons, the selector E, and one or more un-negated literals of target predicates, the enforcer Q.
// Both are over Formula.Vars; equal literals are kept once.
type Candidate struct {
	Formula  *Formula // the first of the formulas that are this candidate
	Selector []Literal
	Enforcer []*Atom
}
