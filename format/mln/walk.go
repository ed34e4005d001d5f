package mln

// Constants returns the constants of a formula, the center left out, each as often as it stands there.
func (f *Formula) Constants() []Term {
	var out []Term
	EachTerm(f.Body, func(t Term) {
		if t.Kind == TermConstant {
			out = append(out, t)
		}
	})
	return out
}

// EachTerm calls visit for the terms of atoms and comparisons in an expression, in order.
func EachTerm(e Expr, visit func(Term)) {
	switch e := e.(type) {
	case *Atom:
		for _, t := range e.Args {
			visit(t)
		}
	case *Equal:
		visit(e.A)
		visit(e.B)
	case *Not:
		EachTerm(e.X, visit)
	case *And:
		for _, x := range e.Xs {
			EachTerm(x, visit)
		}
	case *Or:
		for _, x := range e.Xs {
			EachTerm(x, visit)
		}
	case *Implies:
		EachTerm(e.L, visit)
		EachTerm(e.R, visit)
	case *Iff:
		EachTerm(e.L, visit)
		EachTerm(e.R, visit)
	case *Exists:
		EachTerm(e.X, visit)
	case *ForAll:
		EachTerm(e.X, visit)
	}
}
