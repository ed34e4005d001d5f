package mln

import (
	"slices"
	"strings"
)

// formulas expands the rules into the model's formulas. All are expanded before the first is typed: a runaway template
// is found early.
func (c *checker) formulas() {
	expanded := make([][]expansion, len(c.rules))
	for i, r := range c.rules {
		c.expand(expansion{body: r.Body}, func(x expansion) bool {
			return c.expandPlus(x, func(x expansion) bool {
				expanded[i] = append(expanded[i], x)
				return true
			})
		})
		if c.errs.Full() || c.spent() {
			return
		}
	}
	seen := map[string]bool{}
	for i, r := range c.rules {
		source := formatNode(r.Body)
		for _, x := range expanded[i] {
			if !c.finish(r, Origin{Pos: r.Pos, Source: source, Choices: x.choices}, x.body, seen) {
				break
			}
		}
		if c.errs.Full() {
			return
		}
	}
}

// finish types an expanded formula and adds it, or its clauses, to the model. It reports whether it could.
func (c *checker) finish(r *Rule, origin Origin, body *Node, seen map[string]bool) bool {
	f := c.build(body, nil)
	if f == nil {
		return false
	}
	list := []*Formula{f}
	if c.opt.CNF {
		if list = c.clauses(body, typesOf(f)); list == nil {
			return false
		}
	}
	for _, f := range list {
		f.Origin, f.Hard, f.HasWeight = origin, r.Hard, r.HasWeight
		if r.HasWeight {
			f.Weight = r.Weight / float64(len(list))
		}
		if len(c.model.Formulas) >= maxFormulas {
			c.errs.Add(&LimitError{c.model.sources.At(r.Pos, "the model has more than %d formulas", maxFormulas)})
			return false
		}
		if !r.HasWeight && !r.Hard {
			key := Canonical(f)
			if seen[key] {
				continue
			}
			seen[key] = true
			c.avoidDeclaration(f)
		}
		c.model.Formulas = append(c.model.Formulas, f)
	}
	return true
}

// typesOf returns the types of a formula's variables by name, without the names that have several.
func typesOf(f *Formula) map[string]int {
	types := make(map[string]int, len(f.Vars))
	for _, v := range f.Vars {
		if t, ok := types[v.Name]; ok && t != v.Type {
			types[v.Name] = -1
		} else {
			types[v.Name] = v.Type
		}
	}
	return types
}

// clauses builds a formula for each clause of a formula. A variable that only comparisons mention in its clause has its
// type from the whole formula.
func (c *checker) clauses(body *Node, types map[string]int) []*Formula {
	nodes, ok := splitCNF(stripForAll(body))
	if !ok {
		e := c.model.sources.At(body.Pos, "the conjunctive normal form has more than %d literals", maxCNF)
		c.errs.Add(&LimitError{e})
		return nil
	}
	list := make([]*Formula, len(nodes))
	for i, n := range nodes {
		if !c.spend(n) {
			return nil
		}
		if list[i] = c.build(n, types); list[i] == nil {
			return nil
		}
	}
	return list
}

// expandPlus emits the formula with each choice of constants for its + variables.
func (c *checker) expandPlus(x expansion, emit func(expansion) bool) bool {
	var plus *Term
	x.body.walk(func(n *Node) bool {
		if i := slices.IndexFunc(n.Args, func(t Term) bool { return t.Plus }); i >= 0 {
			plus = &n.Args[i]
		}
		return plus == nil
	})
	if plus == nil {
		return emit(x)
	}
	f := c.build(x.body, nil)
	if f == nil {
		return false
	}
	free := func(v Variable) bool { return v.Name == plus.Name }
	i := slices.IndexFunc(f.Vars[:f.Free], free)
	if i < 0 {
		c.errs.Add(&PlusError{c.model.sources.At(plus.Pos, "+%s: a quantified variable takes no +", plus.Name), plus.Name})
		return false
	}
	t := f.Vars[i].Type
	if len(c.model.Constants[t]) == 0 {
		name := c.model.Schema.Types[t]
		e := c.model.sources.At(plus.Pos, "+%s: no type line gives the constants of type %s", plus.Name, name)
		c.errs.Add(&UnknownTypeError{e, name})
		return false
	}
	for _, name := range c.model.Constants[t] {
		body := substitute(stripForAll(x.body), plus.Name, Term{Kind: TermConstant, Name: name})
		if !c.spend(body) || !c.expandPlus(x.choose(body, "+"+plus.Name, FormatConstant(name)), emit) {
			return false
		}
	}
	return true
}

// substitute puts a constant in place of a free variable.
func substitute(n *Node, variable string, constant Term) *Node {
	is := func(t Term) bool { return t.Kind == TermVariable && t.Name == variable }
	if n.isQuantifier() && slices.ContainsFunc(n.Args, is) {
		return n
	}
	m := *n
	m.Args = slices.Clone(n.Args)
	for i, t := range m.Args {
		if is(t) {
			m.Args[i] = constant
			m.Args[i].Pos = t.Pos
		}
	}
	m.Xs = make([]*Node, len(n.Xs))
	for i, x := range n.Xs {
		m.Xs[i] = substitute(x, variable, constant)
	}
	return &m
}

// stripForAll drops the leading FORALLs.
func stripForAll(n *Node) *Node {
	for n.Op == OpForAll {
		n = n.Xs[0]
	}
	return n
}

// builder turns a tree into a typed formula.
type builder struct {
	*checker
	vars   []Variable
	first  []Position // of each variable: the place that gave it its type
	scope  []scoped   // variables that are visible, inner ones last
	equals []*Equal
	types  map[string]int // of variables that no atom mentions
	failed bool
}

// scoped is a variable that is visible under a name.
type scoped struct {
	name  string
	index int
}

// build returns the formula that a tree without templates and bracket lists stands for; nil where it reported an error.
// Types holds those of variables that atoms need not mention.
func (c *checker) build(n *Node, types map[string]int) *Formula {
	b := &builder{checker: c, types: types}
	for n.Op == OpForAll {
		b.checkMentioned(n)
		n = n.Xs[0]
	}
	if b.declareFree(n, nil); b.failed {
		return nil
	}
	f := &Formula{Free: len(b.vars)}
	f.Body = b.expr(n)
	for _, e := range b.equals {
		b.typeComparison(e)
	}
	if b.failed {
		return nil
	}
	f.Vars = b.vars
	return f
}

func (b *builder) fail(e Error) {
	b.failed = true
	b.errs.Add(e)
}

// declareFree declares the free variables of a tree in order of appearance; bound holds those of outer quantifiers.
func (b *builder) declareFree(n *Node, bound []string) {
	if n.isQuantifier() {
		for _, v := range n.Args {
			bound = append(slices.Clip(bound), v.Name)
		}
	} else {
		for _, t := range n.Args {
			if t.Kind == TermVariable && b.lookup(t.Name) < 0 && !slices.Contains(bound, t.Name) {
				b.declareVariable(t)
			}
		}
	}
	for _, x := range n.Xs {
		b.declareFree(x, bound)
	}
}

func (b *builder) declareVariable(t Term) {
	if len(b.vars) == maxVariables {
		b.fail(&LimitError{b.model.sources.At(t.Pos, "the formula has more than %d variables", maxVariables)})
	}
	b.scope = append(b.scope, scoped{t.Name, len(b.vars)})
	b.vars = append(b.vars, Variable{Name: t.Name, Type: -1})
	b.first = append(b.first, t.Pos)
}

// lookup returns the index of the variable that a name means here, -1 where it means none.
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
		vars, x := b.quantified(n)
		return &Exists{vars, x}
	case OpForAll:
		vars, x := b.quantified(n)
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

// quantified builds a quantifier's body with its variables in scope.
func (b *builder) quantified(n *Node) ([]int, Expr) {
	outer := len(b.scope)
	vars := make([]int, len(n.Args))
	for i, v := range n.Args {
		vars[i] = len(b.vars)
		b.declareVariable(v)
	}
	b.checkMentioned(n)
	x := b.expr(n.Xs[0])
	b.scope = b.scope[:outer]
	return vars, x
}

// checkMentioned reports a quantified variable that is not mentioned, or twice in its list.
func (b *builder) checkMentioned(n *Node) {
	for i, v := range n.Args {
		twice := slices.ContainsFunc(n.Args[:i], func(t Term) bool { return t.Name == v.Name })
		if twice || !mentions(n.Xs[0], v.Name) {
			b.fail(&UnboundVariableError{b.model.sources.At(v.Pos, "quantified variable %s is not mentioned", v.Name), v.Name})
		}
	}
}

// mentions reports whether a variable is free in a tree.
func mentions(n *Node, name string) bool {
	is := func(t Term) bool { return t.Kind == TermVariable && t.Name == name }
	if slices.ContainsFunc(n.Args, is) {
		return !n.isQuantifier()
	}
	return slices.ContainsFunc(n.Xs, func(x *Node) bool { return mentions(x, name) })
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
		b.failed = true
		return a
	}
	a.Pred = b.declared[a.Name].index
	for i, t := range n.Args {
		a.Args[i] = b.term(t)
		a.Args[i].Type = b.model.Schema.Predicates[a.Pred].Args[i]
		b.typeVariable(a.Args[i])
	}
	return a
}

// typeVariable gives a variable the type of a term, and reports a second type.
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
		e := b.model.sources.At(t.Pos, "variable %s is of type %s here and of type %s at %s", v.Name, types[t.Type], types[v.Type], b.first[t.Var])
		b.fail(&TypeConflictError{e, v.Name, b.first[t.Var]})
	}
}

// typeComparison types the two sides of a comparison once the variables have their types.
func (b *builder) typeComparison(e *Equal) {
	kind := -1
	for _, t := range []*Term{&e.A, &e.B} {
		if t.Kind != TermVariable {
			continue
		}
		v := &b.vars[t.Var]
		if known, ok := b.types[v.Name]; ok && v.Type < 0 {
			v.Type = known
		}
		switch {
		case v.Type < 0:
			b.fail(&UnboundVariableError{b.model.sources.At(t.Pos, "only comparisons mention variable %s", v.Name), v.Name})
			return
		case kind >= 0 && v.Type != kind:
			types := b.model.Schema.Types
			msg := b.model.sources.At(t.Pos, "variable %s is of type %s (%s), %s of type %s (%s)",
				e.A.Name, types[kind], b.first[e.A.Var], v.Name, types[v.Type], b.first[t.Var])
			b.fail(&TypeConflictError{msg, v.Name, b.first[e.A.Var]})
			return
		}
		kind = v.Type
	}
	if kind < 0 {
		b.fail(&UnboundVariableError{b.model.sources.At(e.Pos, "a comparison needs a variable, which gives it a type"), ""})
		return
	}
	e.A.Type, e.B.Type = kind, kind
}

// avoidDeclaration renames a variable of a unit formula that, printed without a weight, would read as a declaration.
func (c *checker) avoidDeclaration(f *Formula) {
	a, ok := f.Body.(*Atom)
	if !ok || len(f.Vars) == 0 {
		return
	}
	taken := names{}
	for i, t := range a.Args {
		if t.Name != c.model.Schema.Types[c.model.Schema.Predicates[a.Pred].Args[i]] {
			return
		}
		taken[t.Name] = true
	}
	old := f.Vars[0].Name
	name := taken.fresh(strings.TrimRight(old, "0123456789"))
	f.Vars[0].Name = name
	for i := range a.Args {
		if a.Args[i].Kind == TermVariable && a.Args[i].Var == 0 {
			a.Args[i].Name = name
		}
	}
}
