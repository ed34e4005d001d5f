package mln

import "resolwe/format/lex"

// Candidates reads the unweighted formulas of a model for selection, as [Candidate] describes, in order and merged up to
// renaming variables and reordering literals. It returns warnings for target literals that it read un-negated, and an
// [ErrorList] where a formula has another shape ([ShapeError]), a head with an evidence literal ([HeadError]) or no
// target literal ([NoTargetError]).
func Candidates(m *Model) ([]*Candidate, []Diagnostic, error) {
	r := candidateReader{model: m}
	var out []*Candidate
	seen := map[string]bool{}
	for _, f := range m.Formulas {
		if f.HasWeight || f.Hard {
			continue
		}
		c := r.read(f)
		if c == nil {
			continue
		}
		if key := Canonical(c.Joint()); !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	if err := r.errs.Err(); err != nil {
		return nil, nil, err
	}
	return out, r.warnings, nil
}

// candidateReader reads formulas as candidates.
type candidateReader struct {
	model    *Model
	errs     lex.Collector
	warnings []Diagnostic
	warned   map[Position]bool
}

// read returns the candidate that a formula is, nil where it reported an error.
func (r *candidateReader) read(f *Formula) *Candidate {
	body, head := f.Body, Expr(nil)
	if i, ok := body.(*Implies); ok {
		body, head = i.L, i.R
	}
	literals, ok := literalsOf(body)
	inHead, headOK := literalsOf(head)
	if !ok || !headOK {
		r.errs.Add(&ShapeError{r.at(f, "not a conjunction of literals, nor an implication between two: %s", FormatFormula(f))})
		return nil
	}
	for _, l := range inHead {
		if !r.isTarget(l) {
			text := FormatLiteral(l)
			r.errs.Add(&HeadError{r.model.sources.At(l.pos(), "evidence literal %s in the head of a candidate", text), text})
			return nil
		}
	}
	c := &Candidate{Formula: f}
	for _, l := range append(literals, inHead...) {
		r.add(c, l)
	}
	if len(c.Enforcer) == 0 {
		r.errs.Add(&NoTargetError{r.at(f, "no target literal in candidate %s%s", FormatFormula(f), r.targetHint())})
		return nil
	}
	return c
}

// at returns a message about a formula as written.
func (r *candidateReader) at(f *Formula, format string, args ...any) modelError {
	return r.model.sources.At(f.Origin.Pos, format, args...)
}

// targetHint says what to do in a model without targets.
func (r *candidateReader) targetHint() string {
	for _, p := range r.model.Schema.Predicates {
		if p.Role.IsTarget() {
			return ""
		}
	}
	return ": the model marks no target predicate"
}

func (r *candidateReader) isTarget(l Literal) bool {
	return l.Atom != nil && r.model.Schema.Predicates[l.Atom.Pred].Role.IsTarget()
}

// add puts a literal into a candidate unless it is there.
func (r *candidateReader) add(c *Candidate, l Literal) {
	if !r.isTarget(l) {
		for _, old := range c.Selector {
			if old.Negated == l.Negated && sameExpr(old, l) {
				return
			}
		}
		c.Selector = append(c.Selector, l)
		return
	}
	if l.Negated {
		r.warn(l)
	}
	for _, old := range c.Enforcer {
		if sameExpr(Literal{Atom: old}, l) {
			return
		}
	}
	c.Enforcer = append(c.Enforcer, l.Atom)
}

// warn notes a negated target literal, once for each place.
func (r *candidateReader) warn(l Literal) {
	if r.warned[l.pos()] {
		return
	}
	if r.warned == nil {
		r.warned = map[Position]bool{}
	}
	r.warned[l.pos()] = true
	e := r.model.sources.At(l.pos(), "target literal %s is read without its negation", FormatLiteral(l))
	r.warnings = append(r.warnings, e.Diagnostic)
}

// literalsOf returns the literals of a conjunction; false where it is none. Nil has none.
func literalsOf(x Expr) ([]Literal, bool) {
	switch x := x.(type) {
	case nil:
		return nil, true
	case *And:
		out := make([]Literal, 0, len(x.Xs))
		for _, y := range x.Xs {
			l, ok := literalOf(y)
			if !ok {
				return nil, false
			}
			out = append(out, l)
		}
		return out, true
	default:
		l, ok := literalOf(x)
		return []Literal{l}, ok
	}
}

// literalOf returns the literal that a tree is; two negations cancel.
func literalOf(x Expr) (Literal, bool) {
	switch x := x.(type) {
	case *Atom:
		return Literal{Atom: x}, true
	case *Equal:
		return Literal{Equal: x}, true
	case *Not:
		l, ok := literalOf(x.X)
		l.Negated = !l.Negated
		return l, ok
	}
	return Literal{}, false
}

func (l Literal) pos() Position {
	if l.Atom != nil {
		return l.Atom.Pos
	}
	return l.Equal.Pos
}

// sameExpr reports whether two literals of one formula have the same atom or comparison.
func sameExpr(a, b Literal) bool {
	if a.Atom != nil && b.Atom != nil {
		if a.Atom.Pred != b.Atom.Pred {
			return false
		}
		for i, t := range a.Atom.Args {
			if !sameTerm(t, b.Atom.Args[i]) {
				return false
			}
		}
		return true
	}
	if a.Equal == nil || b.Equal == nil {
		return false
	}
	return sameTerm(a.Equal.A, b.Equal.A) && sameTerm(a.Equal.B, b.Equal.B) ||
		sameTerm(a.Equal.A, b.Equal.B) && sameTerm(a.Equal.B, b.Equal.A)
}

func sameTerm(a, b Term) bool { return a.Kind == b.Kind && a.Name == b.Name }

// Joint returns E ^ Q1 ^ .. ^ Ql as an unweighted formula of its own.
func (c *Candidate) Joint() *Formula {
	return c.formula(append(c.selector(), c.enforcer(-1)...), nil)
}

// Conditional returns E ^ (Qi, i != k) => Qk as an unweighted formula of its own; Qk alone where nothing stands before it.
func (c *Candidate) Conditional(k int) *Formula {
	return c.formula(append(c.selector(), c.enforcer(k)...), c.Enforcer[k])
}

func (c *Candidate) selector() []Expr {
	xs := make([]Expr, 0, len(c.Selector)+len(c.Enforcer))
	for _, l := range c.Selector {
		xs = append(xs, l.expr())
	}
	return xs
}

// enforcer returns the target literals but the one at skip.
func (c *Candidate) enforcer(skip int) []Expr {
	var xs []Expr
	for i, a := range c.Enforcer {
		if i != skip {
			xs = append(xs, a)
		}
	}
	return xs
}

// formula makes a formula of conjuncts and a head, nil for none, and numbers its variables anew.
func (c *Candidate) formula(conjuncts []Expr, head *Atom) *Formula {
	n := numbering{from: c.Formula.Vars, index: map[int]int{}}
	xs := make([]Expr, len(conjuncts))
	for i, x := range conjuncts {
		xs[i] = n.expr(x)
	}
	var body Expr
	switch {
	case len(xs) > 1:
		body = &And{xs}
	case len(xs) == 1:
		body = xs[0]
	}
	switch {
	case head != nil && body == nil:
		body = n.expr(head)
	case head != nil:
		body = &Implies{body, n.expr(head)}
	}
	return &Formula{Body: body, Vars: n.to, Free: len(n.to), Origin: c.Formula.Origin}
}

// numbering copies literals with variables in order of appearance.
type numbering struct {
	from, to []Variable
	index    map[int]int // new by old
}

func (n *numbering) expr(x Expr) Expr {
	switch x := x.(type) {
	case *Atom:
		a := *x
		a.Args = make([]Term, len(x.Args))
		for i, t := range x.Args {
			a.Args[i] = n.term(t)
		}
		return &a
	case *Equal:
		return &Equal{A: n.term(x.A), B: n.term(x.B), Pos: x.Pos}
	case *Not:
		return &Not{n.expr(x.X)}
	}
	panic("mln: not a literal")
}

func (n *numbering) term(t Term) Term {
	if t.Kind != TermVariable {
		return t
	}
	i, ok := n.index[t.Var]
	if !ok {
		i = len(n.to)
		n.index[t.Var] = i
		n.to = append(n.to, n.from[t.Var])
	}
	t.Var = i
	return t
}
