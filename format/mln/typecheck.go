package mln

import "slices"

// builder turns a tree into a typed formula.
type builder struct {
	*checker
	vars   []Variable
	first  []Position // by variable: the place that determined its type
	scope  []scoped   // visible variables, inner ones last
	equals []*Equal
	orders []*Compare
	counts []*Count
	types  map[string]int // of variables that no atom mentions
}

// scoped is a variable visible under a name.
type scoped struct {
	name  string
	index int
}

// build returns the typed formula of a tree without templates and bracket lists; nil if it reported an error. types holds those of
// variables that atoms need not mention.
func (c *checker) build(n *Node, types map[string]int) *Formula {
	b, before := &builder{checker: c, types: types}, c.refused
	for n.Op == OpForAll {
		b.checkMentioned(n)
		n = n.Xs[0]
	}
	for t := range n.free(nil) {
		if b.lookup(t.Name) < 0 {
			b.declareVariable(t)
		}
	}
	if c.refused > before {
		return nil
	}
	f := &Formula{Free: len(b.vars)}
	f.Body = b.expr(n)
	for _, e := range b.equals {
		b.typeComparison(e)
	}
	for _, e := range b.orders {
		b.typeOrder(e)
	}
	for _, n := range b.counts {
		b.typeAggregate(n)
	}
	if c.refused > before {
		return nil
	}
	f.Vars = b.vars
	return f
}

func (b *builder) declareVariable(t Term) {
	if len(b.vars) == maxVariables {
		b.refuse(t.Pos, "the formula has more than %d variables", maxVariables)
	}
	b.scope = append(b.scope, scoped{t.Name, len(b.vars)})
	b.vars = append(b.vars, Variable{Name: t.Name, Type: -1})
	b.first = append(b.first, t.Pos)
}

// lookup returns the index of the variable with that name in scope, -1 for none.
func (b *builder) lookup(name string) int {
	for _, s := range slices.Backward(b.scope) {
		if s.name == name {
			return s.index
		}
	}
	return -1
}

// expr builds a tree.
func (b *builder) expr(n *Node) Expr {
	switch n.Op {
	case OpAtom:
		return b.atom(n)
	case OpEqual:
		e := &Equal{A: b.term(n.Args[0]), B: b.term(n.Args[1]), Pos: n.Pos}
		b.equals = append(b.equals, e)
		return e
	case OpCompare:
		e := &Compare{X: b.term(n.Args[0]), Value: b.term(n.Args[1]), Op: n.Cmp, Pos: n.Pos}
		b.orders = append(b.orders, e)
		return e
	case OpCount:
		listed, inner, x := b.binder(n)
		c := &Count{Kind: n.Kind, Listed: listed, Inner: inner, X: x, Op: n.Cmp, K: n.K, Pos: n.Pos}
		b.counts = append(b.counts, c)
		return c
	case OpNot:
		return &Not{b.expr(n.Xs[0])}
	case OpAnd:
		return &And{b.exprs(n.Xs)}
	case OpOr:
		return &Or{b.exprs(n.Xs)}
	case OpImplies:
		return &Implies{b.expr(n.Xs[0]), b.expr(n.Xs[1])}
	case OpIff:
		return &Iff{b.expr(n.Xs[0]), b.expr(n.Xs[1])}
	case OpExists:
		vars, _, x := b.binder(n)
		return &Exists{vars, x}
	case OpForAll:
		vars, _, x := b.binder(n)
		return &ForAll{vars, x}
	}
	panic("mln: a node without kind")
}

func (b *builder) exprs(xs []*Node) []Expr {
	out := make([]Expr, len(xs))
	for i, x := range xs {
		out[i] = b.expr(x)
	}
	return out
}

// binder builds the body of a quantifier or a counting literal with its variables in scope.
func (b *builder) binder(n *Node) (vars, inner []int, x Expr) {
	outer := len(b.scope)
	vars, inner = b.local(n.Args), b.local(n.Inner)
	b.checkMentioned(n)
	x = b.expr(n.Xs[0])
	if n.Kind == AggregateShare {
		x = &Implies{x, b.expr(n.Xs[1])}
	}
	b.scope = b.scope[:outer]
	return vars, inner, x
}

// local declares variables of an inner scope and returns their indices.
func (b *builder) local(terms []Term) []int {
	vars := make([]int, len(terms))
	for i, v := range terms {
		vars[i] = len(b.vars)
		b.declareVariable(v)
	}
	return vars
}

// checkMentioned reports a quantified or counted variable that is never mentioned, or listed twice.
func (b *builder) checkMentioned(n *Node) {
	how := "quantified"
	if n.Op == OpCount {
		how = "listed"
	}
	for i, v := range n.Args {
		mentions := func(x *Node) bool { return hasName(slices.Collect(x.free(nil)), v.Name) }
		if hasName(n.Args[:i], v.Name) || !slices.ContainsFunc(n.Xs, mentions) {
			b.refuse(v.Pos, "%s variable %s is not mentioned", how, v.Name)
		}
	}
}

func (b *builder) term(t Term) Term {
	t.Plus, t.Type = false, -1
	if t.Kind == TermVariable {
		t.Var = b.lookup(t.Name)
	}
	return t
}

func (b *builder) atom(n *Node) *Atom {
	a := &Atom{Name: n.plainName(), Pos: n.Pos, Args: make([]Term, len(n.Args))}
	if !b.checkAtom(n) {
		return a
	}
	a.Pred = b.declared[a.Name].index
	for i, t := range n.Args {
		a.Args[i] = b.term(t)
		a.Args[i].Type = b.model.Schema.Predicates[a.Pred].Args[i]
		b.typeVariable(a.Args[i])
		b.typeConstant(&a.Args[i])
	}
	return a
}

// typeVariable gives a variable the type of a term, and reports a conflicting type.
func (b *builder) typeVariable(t Term) {
	if t.Kind != TermVariable {
		return
	}
	switch v := &b.vars[t.Var]; v.Type {
	case t.Type:
	case -1:
		v.Type, b.first[t.Var] = t.Type, t.Pos
	default:
		types := b.model.Schema.Types
		b.refuse(t.Pos, "variable %s is of type %s here and of type %s at %s", v.Name, types[t.Type], types[v.Type], b.first[t.Var])
	}
}

// compared returns the type of a compared variable, negative if it reported that there is none.
func (b *builder) compared(t Term) int {
	v := &b.vars[t.Var]
	if known, ok := b.types[v.Name]; ok && v.Type < 0 {
		v.Type = known
	}
	if v.Type < 0 {
		b.refuse(t.Pos, "only comparisons mention variable %s", v.Name)
	}
	return v.Type
}

// typeComparison types both sides of a comparison once the variables have types.
func (b *builder) typeComparison(e *Equal) {
	kind := -1
	for _, t := range []Term{e.A, e.B} {
		if t.Kind != TermVariable {
			continue
		}
		typ := b.compared(t)
		if types := b.model.Schema.Types; kind >= 0 && typ >= 0 && typ != kind {
			b.refuse(t.Pos, "variable %s is of type %s (%s), %s of type %s (%s)",
				e.A.Name, types[kind], b.first[e.A.Var], t.Name, types[typ], b.first[t.Var])
			return
		}
		if kind = typ; kind < 0 {
			return
		}
	}
	if kind < 0 {
		b.refuse(e.Pos, "a comparison needs a variable, which gives it a type")
		return
	}
	e.A.Type, e.B.Type = kind, kind
	b.typeConstant(&e.A)
	b.typeConstant(&e.B)
}

// typeOrder types both sides of a numeric order.
func (b *builder) typeOrder(e *Compare) {
	if e.X.Kind != TermVariable || e.Value.Kind != TermConstant {
		b.refuse(e.Pos, "%v compares a variable with a number", e.Op)
		return
	}
	typ := b.compared(e.X)
	if typ < 0 {
		return
	}
	if s := &b.model.Schema; !s.IsNumber(typ) {
		b.refuse(e.X.Pos, "%v compares numbers, and variable %s is of type %s (%s)", e.Op, e.X.Name, s.Types[typ], b.first[e.X.Var])
		return
	}
	e.X.Type, e.Value.Type = typ, typ
	b.typeConstant(&e.Value)
}

// typeConstant normalises the name of a numeric constant, and reports a constant that wrongly is, or is not, a number.
func (b *builder) typeConstant(t *Term) {
	if t.Kind != TermConstant {
		return
	}
	if s := &b.model.Schema; !s.IsNumber(t.Type) {
		if t.Number {
			b.refuse(t.Pos, "%s is of type %s here: quote a name with other characters than letters, digits and _", t.Name, s.Types[t.Type])
		}
		return
	}
	v, ok := ParseNumber(t.Name)
	if !ok {
		b.refuse(t.Pos, "%q is no finite number", t.Name)
		return
	}
	t.Name, t.Number = FormatNumber(v), true
}
