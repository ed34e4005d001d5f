package mln

import "strings"

// FormatFormula returns a formula as text with the fewest brackets, without its weight or period.
func FormatFormula(f *Formula) string { return formatNode(toNode(f.Body, f.Vars)) }

// FormatRule returns a formula as a line of a file, with its weight or period.
func FormatRule(f *Formula) string {
	r := Rule{Body: toNode(f.Body, f.Vars), Weight: f.Weight, HasWeight: f.HasWeight, Hard: f.Hard}
	return r.String()
}

// FormatAtom returns an atom as text.
func FormatAtom(a *Atom) string { return formatNode(toNode(a, nil)) }

// FormatLiteral returns a literal as text.
func FormatLiteral(l Literal) string { return formatNode(toNode(l.expr(), nil)) }

// expr returns the literal as a tree.
func (l Literal) expr() Expr {
	var x Expr = l.Atom
	if l.Atom == nil {
		x = l.Equal
	}
	if l.Negated {
		return &Not{x}
	}
	return x
}

// toNode returns a typed tree as a tree to print; vars names the quantified variables.
func toNode(x Expr, vars []Variable) *Node {
	operands := func(xs ...Expr) []*Node {
		out := make([]*Node, len(xs))
		for i, x := range xs {
			out[i] = toNode(x, vars)
		}
		return out
	}
	quantified := func(bound []int) []Term {
		out := make([]Term, len(bound))
		for i, v := range bound {
			out[i] = Term{Kind: TermVariable, Name: vars[v].Name}
		}
		return out
	}
	switch x := x.(type) {
	case *Atom:
		return &Node{Op: OpAtom, Name: []NamePart{{Text: x.Name}}, Args: x.Args}
	case *Equal:
		return &Node{Op: OpEqual, Args: []Term{x.A, x.B}}
	case *Not:
		return &Node{Op: OpNot, Xs: operands(x.X)}
	case *And:
		return &Node{Op: OpAnd, Xs: operands(x.Xs...)}
	case *Or:
		return &Node{Op: OpOr, Xs: operands(x.Xs...)}
	case *Implies:
		return &Node{Op: OpImplies, Xs: operands(x.L, x.R)}
	case *Iff:
		return &Node{Op: OpIff, Xs: operands(x.L, x.R)}
	case *Exists:
		return &Node{Op: OpExists, Args: quantified(x.Vars), Xs: operands(x.X)}
	case *ForAll:
		return &Node{Op: OpForAll, Args: quantified(x.Vars), Xs: operands(x.X)}
	}
	panic("mln: not an expression of this package")
}

// Declarations returns the type lines and the declarations of the predicates, as they head a file.
func (m *Model) Declarations() string {
	var b strings.Builder
	for t, constants := range m.Constants {
		if len(constants) > 0 {
			line := TypeLine{Name: m.Schema.Types[t], Constants: constants}
			b.WriteString(line.String() + "\n")
		}
	}
	for _, p := range m.Schema.Predicates {
		d := Declaration{Name: p.Name, Role: p.Role}
		for _, t := range p.Args {
			d.Types = append(d.Types, m.Schema.Types[t])
		}
		b.WriteString(d.String() + "\n")
	}
	return b.String()
}
