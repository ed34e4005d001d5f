package mln

import (
	"iter"
	"slices"

	"resolwe/format/lex"
)

// Op is the kind of a [Node].
type Op uint8

// The kinds of a node. The zero value is none.
const (
	OpAtom    Op = iota + 1 // a predicate or template applied to Args
	OpEqual                 // Args[0] = Args[1]
	OpNot                   // of Xs[0]
	OpAnd                   // of two or more Xs, none of them an OpAnd
	OpOr                    // of two or more Xs, none of them an OpOr
	OpImplies               // Xs[0] => Xs[1]
	OpIff                   // Xs[0] <=> Xs[1]
	OpExists                // of the variables Args, over Xs[0]
	OpForAll                // of the variables Args, over Xs[0]
	OpCompare               // Args[0] Cmp Args[1], of numbers
	OpCount                 // Kind{Args: Xs[0]} Cmp K, or Kind{Args: Xs[1] | Xs[0]} Cmp K
)

var signs = [...]string{
	OpAtom: "", OpEqual: "=", OpNot: "!", OpAnd: "^", OpOr: "v", OpImplies: "=>", OpIff: "<=>", OpExists: "EXIST", OpForAll: "FORALL",
	OpCompare: "<>", OpCount: "#",
}

// String returns the operator of the task language, "" for an atom.
func (op Op) String() string { return signs[op] }

// commutes reports whether the order of the operator's operands is irrelevant.
func (op Op) commutes() bool { return op == OpEqual || op == OpAnd || op == OpOr }

// Node is a formula's tree as written: names are unresolved, and terms have no index and no type. Nodes are immutable.
type Node struct {
	Op   Op
	Name []NamePart // of an OpAtom
	Args []Term
	Xs   []*Node
	Kind Aggregate  // of an OpCount
	Cmp  Comparison // of an OpCompare or OpCount; for a counting literal AtLeast, Less, SameAs or OtherThan; 0 for the value of an OpCount
	K    float64    // of an OpCount
	// Inner are the variables of an OpCount other than Args that no other literal mentions; set once templates are expanded.
	Inner []Term
	Pos   Position
}

// NamePart is a piece of a predicate's name: plain text or a bracket list such as [1|2|3] or [i:1|2|3].
type NamePart = lex.NamePart

// plainName returns the name of an atom, "" if it contains a bracket list.
func (n *Node) plainName() string {
	if len(n.Name) == 1 {
		return n.Name[0].Text
	}
	if slices.ContainsFunc(n.Name, NamePart.IsList) {
		return ""
	}
	return lex.FormatName(n.Name)
}

func (n *Node) isQuantifier() bool { return n.Op == OpExists || n.Op == OpForAll }

// binds reports whether the variables Args, and Inner, are local to the node.
func (n *Node) binds() bool { return n.isQuantifier() || n.Op == OpCount }

// hasName reports whether one of the terms has a name.
func hasName(ts []Term, name string) bool {
	return slices.ContainsFunc(ts, func(t Term) bool { return t.Name == name })
}

// negated returns the negation of a node. Orders of numbers and counting literals become the opposite comparison, but aggregates do not:
// without a binding, both comparisons are false.
func negated(n *Node) *Node {
	if n.Op == OpCompare || n.Op == OpCount && n.Kind == AggregateCount && n.Cmp != 0 {
		m := *n
		m.Cmp = n.Cmp.Opposite()
		return &m
	}
	return &Node{Op: OpNot, Xs: []*Node{n}, Pos: n.Pos}
}

// join makes an OpAnd or OpOr of operands, flattening those of the same kind.
func join(op Op, xs []*Node) *Node {
	if len(xs) == 1 {
		return xs[0]
	}
	flat := make([]*Node, 0, len(xs))
	for _, x := range xs {
		if x.Op == op {
			flat = append(flat, x.Xs...)
		} else {
			flat = append(flat, x)
		}
	}
	return &Node{Op: op, Xs: flat, Pos: xs[0].Pos}
}

// mapped returns the node with f applied to each operand.
func (n *Node) mapped(f func(*Node) *Node) *Node {
	xs := make([]*Node, len(n.Xs))
	for i, x := range n.Xs {
		xs[i] = f(x)
	}
	return n.with(xs)
}

// with returns the node with other operands.
func (n *Node) with(xs []*Node) *Node {
	if n.Op == OpAnd || n.Op == OpOr {
		return join(n.Op, xs)
	}
	m := *n
	m.Xs = xs
	return &m
}

// all yields the nodes of a tree from left to right, parents first.
func (n *Node) all() iter.Seq[*Node] { return func(yield func(*Node) bool) { n.walk(yield) } }

func (n *Node) walk(visit func(*Node) bool) bool {
	return visit(n) && !slices.ContainsFunc(n.Xs, func(x *Node) bool { return !x.walk(visit) })
}

// variables yields each mention of a variable in a tree, including quantified and counted ones.
func (n *Node) variables() iter.Seq[Term] {
	return func(yield func(Term) bool) {
		for m := range n.all() {
			for _, t := range m.Args {
				if t.Kind == TermVariable && !yield(t) {
					return
				}
			}
		}
	}
}

// free yields each mention of a variable that nothing in the tree binds, except those of outer.
func (n *Node) free(outer []string) iter.Seq[Term] {
	return func(yield func(Term) bool) { n.walkFree(outer, yield) }
}

func (n *Node) walkFree(bound []string, visit func(Term) bool) bool {
	if n.binds() {
		bound = withNames(withNames(bound, n.Args), n.Inner)
	} else {
		for _, t := range n.Args {
			if t.Kind == TermVariable && !slices.Contains(bound, t.Name) && !visit(t) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(n.Xs, func(x *Node) bool { return !x.walkFree(bound, visit) })
}

// withNames returns names and those of variables.
func withNames(names []string, vars []Term) []string {
	for _, v := range vars {
		names = append(slices.Clip(names), v.Name)
	}
	return names
}

// has reports whether a tree contains a node of a kind.
func (n *Node) has(op Op) bool { return !n.walk(func(m *Node) bool { return m.Op != op }) }

// statement is a statement of a model: *declaration, *kinds, *typeLine, *template or *rule.
type statement any

type (
	// declaration gives a predicate its argument types and role.
	declaration struct {
		Name  string
		Types []string
		Role  Role
		Pos   Position
	}
	// kinds declares types of numbers.
	kinds struct{ Names []string }
	// typeLine lists constants of a type.
	typeLine struct {
		Name      string
		Constants []string
		Pos       Position

		signed Error // what is wrong if the type is not numeric, nil for nothing
	}
	// template names the alternatives to which its uses expand.
	template struct {
		Name         string
		Params       []Term
		Kind         string  // compound, extend, or "" for one alternative
		Limit        int     // N of compound N and extend N, else 1
		Alternatives []*Node // free of bracket lists once checked
		Pos          Position

		reached bool // declared before the current statement
		used    bool
	}
	// rule is a formula as written.
	rule struct {
		Body      *Node
		Weight    float64 // if HasWeight
		HasWeight bool
		Hard      bool
		Shape     Shape
		Numbers   []float64 // of the shape
		Standing  Standing
		Pos       Position

		quoted bool // has a quoted constant, so it is not a declaration
	}
)

type (
	// Position is a place in a source file.
	Position = lex.Position
	// Diagnostic is a message about a place in a source file.
	Diagnostic = lex.Diagnostic
	// Error is an error in a model. Every error of this package is one, or an [ErrorList] of them.
	Error = lex.Error
	// ErrorList holds the errors of a model, sorted by position: at least one and at most ten.
	ErrorList = lex.ErrorList //nolint:errname // a list, named as in go/scanner
	// SyntaxError reports text that is not in the language.
	SyntaxError = lex.SyntaxError
	// ModelError reports a well-formed text that makes no valid model: mismatched names and types, Alchemy features the language lacks,
	// formulas that cannot be candidates, files that cannot be included, and exceeded limits.
	ModelError = lex.Fault
)
