package recipe

import (
	"slices"

	"resolwe/format/lex"
	"resolwe/format/table"
)

// inference infers the types of helper relations' columns and rules' variables: joined terms have one type.
type inference struct {
	*checker
	columns []int // by relation: the node of its first column
	parent  []int // of each node, in the forest of nodes with equal types
	types   []Type
	from    []lex.Position // what determined the type of a root
	center  int            // the node of @center
	vars    int            // the node of the current rule's first variable
}

func (c *checker) infer() {
	f := &inference{checker: c}
	for i := range c.recipe.Relations {
		r := &c.recipe.Relations[i]
		f.columns = append(f.columns, len(f.parent))
		for _, t := range r.Columns {
			f.node(t, r.Pos)
		}
	}
	f.center = f.columns[c.recipe.Center]
	first := make([]int, len(c.recipe.Rules))
	for i := range c.recipe.Rules {
		first[i] = len(f.parent)
		f.vars = first[i]
		f.unifyRule(&c.recipe.Rules[i])
	}
	f.typeCenter()
	for i := range c.recipe.Relations {
		f.typeRelation(i)
	}
	if f.errs.Len() > 0 {
		return
	}
	for i := range c.recipe.Rules {
		f.vars = first[i]
		f.typeRule(&c.recipe.Rules[i])
	}
}

// node adds a node; a zero type is unknown.
func (f *inference) node(t Type, pos lex.Position) {
	f.parent = append(f.parent, len(f.parent))
	f.types = append(f.types, t)
	f.from = append(f.from, pos)
}

func (f *inference) root(node int) int {
	for f.parent[node] != node {
		f.parent[node] = f.parent[f.parent[node]]
		node = f.parent[node]
	}
	return node
}

// unify equates the types of two nodes because of a term.
func (f *inference) unify(a, b int, t Term) {
	ra, rb := f.root(a), f.root(b)
	ta, tb := f.types[ra], f.types[rb]
	switch {
	case ta.Kind == 0:
		f.parent[ra] = rb
	case tb.Kind == 0:
		f.parent[rb] = ra
	case ta != tb:
		what := t.Name
		if t.Kind == TermVariable {
			what = "variable " + t.Name
		}
		f.fail(t.Pos, "%s is of type %s here and of type %s at %s", what, f.recipe.TypeName(tb), f.recipe.TypeName(ta), f.from[ra])
	}
}

// of returns the node of a term, -1 for a constant or number.
func (f *inference) of(t Term) int {
	switch t.Kind {
	case TermVariable:
		return f.vars + t.Var
	case TermCenter:
		return f.center
	case TermEntity, TermValue, number:
	}
	return -1
}

// unifyTerm equates the type of a term with that of its node.
func (f *inference) unifyTerm(t Term, node int) {
	n := f.of(t)
	if n < 0 {
		return
	}
	if r := f.root(n); f.types[r].Kind == 0 && f.types[f.root(node)].Kind != 0 {
		f.types[r], f.from[r] = f.types[f.root(node)], t.Pos // the place named by a later conflict
	}
	f.unify(n, node, t)
}

func (f *inference) unifyRule(r *Rule) {
	for range r.Vars {
		f.node(Type{}, lex.Position{})
	}
	for _, a := range r.atoms() {
		for i, t := range a.Args {
			f.unifyTerm(t, f.columns[a.Relation]+i)
		}
	}
	for i, h := range r.Terms {
		if h.IsDays() {
			f.unify(f.of(h.Term), f.of(h.Second), h.Second)
		}
		column := f.columns[r.Head] + i
		if f.recipe.Relations[r.Head].statesNumber(i) {
			continue // values of any kind become numbers
		}
		if kind := h.computed(); kind != 0 {
			column = f.root(column)
			if t := f.types[column]; t.Kind == 0 {
				f.types[column] = Type{Kind: kind}
			} else if t.Kind != kind {
				f.fail(h.Term.Pos, "%s is of type %s, where %s has type %s", h.written(), kindNames[kind],
					f.recipe.Relations[r.Head].describe(), f.recipe.TypeName(t))
			}
			continue
		}
		f.unifyTerm(h.Term, column)
	}
	for _, c := range r.Comparisons {
		a, b := f.of(c.A), f.of(c.B)
		switch {
		case c.IsQuotient():
		case a >= 0 && b >= 0:
			f.unify(a, b, c.B)
		case a < 0 && b < 0:
			f.fail(c.Pos, "a comparison needs a variable or @center, which gives it a type")
		}
	}
}

// typeCenter checks the types of the centers and their folds.
func (f *inference) typeCenter() {
	r := &f.recipe.Relations[f.recipe.Center]
	if t := f.types[f.root(f.center)]; t.Kind != 0 && t.Kind != table.KindEntity {
		f.fail(r.Pos, "the centers are values of type %s, not entities", f.recipe.TypeName(t))
	}
	if !f.recipe.Folds {
		return
	}
	if t := f.types[f.root(f.center+1)]; t.Kind != 0 && t.Kind != table.KindInt {
		f.fail(r.Pos, "folds are of type int, not %s", f.recipe.TypeName(t))
	}
}

// typeRelation sets the types of a relation's columns.
func (f *inference) typeRelation(i int) {
	r := &f.recipe.Relations[i]
	for k := range r.Columns {
		t := f.types[f.root(f.columns[i]+k)]
		if t.Kind == 0 {
			f.fail(r.Pos, "nothing tells the type of argument %d of %s", k+1, r.describe())
		}
		r.Columns[k] = t
	}
}

// typeRule sets the types of a rule's variables and terms.
func (f *inference) typeRule(r *Rule) {
	for i := range r.Vars {
		r.Vars[i].Type = f.types[f.root(f.vars+i)]
	}
	for _, a := range r.atoms() {
		for i := range a.Args {
			f.typeTerm(&a.Args[i], f.recipe.Relations[a.Relation].Columns[i])
		}
	}
	for i := range r.Terms {
		if rel := &f.recipe.Relations[r.Head]; rel.statesNumber(i) {
			f.typeNumber(r, &r.Terms[i], rel)
		} else {
			f.typeHead(r, &r.Terms[i], rel.Columns[i])
		}
	}
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		if c.IsQuotient() {
			f.typeQuotients(r, c)
		} else {
			f.typeComparison(c)
		}
	}
}

// typeNumber sets the type of a term that a rule states as a number.
func (f *inference) typeNumber(r *Rule, h *HeadTerm, head *Relation) {
	float := Type{Kind: table.KindFloat}
	term := f.of(h.Term)
	if h.Aggregate != AggregateNone || h.Second.Kind != 0 || term < 0 {
		f.typeHead(r, h, float)
		kind := h.computed()
		h.ToFloat = kind == table.KindInt || kind == 0 && h.Aggregate != AggregateNone && h.Term.Type != float
		return
	}
	h.Term.Type = f.types[f.root(term)]
	h.ToFloat = h.Term.Type != float
	if h.Term.Type.Kind == table.KindEntity {
		f.fail(h.Term.Pos, "%s is an entity of type %s, where %s takes a number: a value of type int, float, day or time",
			h.Term.Name, f.recipe.TypeName(h.Term.Type), head.describe())
	}
}

func (f *inference) typeHead(r *Rule, h *HeadTerm, column Type) {
	if h.Quotient {
		f.typeQuotient(r, &h.Term, &h.Second)
		return
	}
	if h.IsDays() {
		t := r.Vars[h.Term.Var].Type
		if h.Term.Type, h.Second.Type = t, t; t.Kind != table.KindDay && t.Kind != table.KindTime {
			f.fail(h.Term.Pos, "%s is of days or times, %s is of type %s", h.written(), h.Term.Name, f.recipe.TypeName(t))
		}
		return
	}
	if h.Aggregate == AggregateNone {
		f.typeTerm(&h.Term, column)
		return
	}
	h.Term.Type = r.Vars[h.Term.Var].Type
	t := h.Term.Type
	sum := h.Aggregate == AggregateSum || h.Aggregate == AggregateAvg
	if by := h.Second; h.Aggregate == AggregateRank && !slices.ContainsFunc(r.Terms, by.isPlainIn) {
		f.fail(by.Pos, "%s numbers what stands in the head too, %s does not", h.written(), by.Name)
	}
	switch {
	case h.Aggregate == AggregateCount:
	case t.Kind == table.KindEntity || sum && t.Kind != table.KindInt && t.Kind != table.KindFloat:
		want := "values"
		if sum {
			want = "values of type int or float"
		}
		f.fail(h.Term.Pos, "%s is over %s, %s is of type %s", h.written(), want, h.Term.Name, f.recipe.TypeName(t))
	}
}

// isPlainIn reports whether a head term is just the variable.
func (t Term) isPlainIn(h HeadTerm) bool {
	return h.Aggregate == AggregateNone && h.Second.Kind == 0 && h.Term.Kind == TermVariable && h.Term.Var == t.Var
}

// typeQuotient sets the types of two numbers.
func (f *inference) typeQuotient(r *Rule, terms ...*Term) {
	for _, t := range terms {
		if t.Type = r.Vars[t.Var].Type; t.Type.Kind != table.KindInt && t.Type.Kind != table.KindFloat {
			f.fail(t.Pos, "a quotient is of types int or float, %s is of type %s", t.Name, f.recipe.TypeName(t.Type))
		}
	}
}

// typeQuotients types a comparison with a quotient: the other side is also a quotient, or a float.
func (f *inference) typeQuotients(r *Rule, c *Comparison) {
	for i, t := range []*Term{&c.A, &c.B} {
		switch {
		case c.Over[i].Kind != 0:
			f.typeQuotient(r, t, &c.Over[i])
		case f.of(*t) < 0:
			f.typeTerm(t, Type{Kind: table.KindFloat})
		default:
			if t.Type = f.types[f.root(f.of(*t))]; t.Type.Kind != table.KindFloat {
				f.fail(t.Pos, "a quotient compares with a number or a float, %s is of type %s", t.Name, f.recipe.TypeName(t.Type))
			}
		}
	}
}

func (f *inference) typeComparison(c *Comparison) {
	n := f.of(c.A)
	if n < 0 {
		n = f.of(c.B)
	}
	t := f.types[f.root(n)]
	f.typeTerm(&c.A, t)
	f.typeTerm(&c.B, t)
	if t.Kind == table.KindEntity && c.Op != lex.SameAs && c.Op != lex.OtherThan {
		f.fail(c.Pos, "entities of type %s have no order, only = and != compare them: "+
			"declare the column int, float, day or time", f.recipe.TypeName(t))
		return
	}
	f.fold(c)
}
