package mln

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// checkTemplates checks the templates, used or not, and writes out the bracket lists of their alternatives.
func (c *checker) checkTemplates() {
	for _, t := range c.order {
		c.checkParams(t.Template)
		for _, alternative := range t.Alternatives {
			c.expandLists(alternative, func(n *Node) {
				t.alternatives = append(t.alternatives, n)
				c.checkNames(n)
				c.checkUses(n, "")
			})
		}
	}
	c.checkRecursion()
}

func (c *checker) checkParams(t *Template) {
	for i, p := range t.Params {
		same := func(q Term) bool { return q.Name == p.Name }
		if first := slices.IndexFunc(t.Params, same); first < i {
			e := c.model.sources.At(p.Pos, "variable %s stands twice before the = of template %s", p.Name, t.Name)
			c.errs.Add(&DeclarationError{e, p.Name, t.Params[first].Pos})
		}
	}
	if t.Kind == TemplateExtend && len(t.Params) != 2 {
		e := c.model.sources.At(t.Pos, "extend chains templates of 2 variables, %s has %d", t.Name, len(t.Params))
		c.errs.Add(&ArityError{e, t.Name, len(t.Params), 2})
	}
}

// expandLists emits a formula with each choice of its bracket lists, the last varying fastest.
func (c *checker) expandLists(n *Node, emit func(*Node)) {
	list, ok := firstList(n)
	if !ok {
		if c.spend(n) {
			emit(n)
		}
		return
	}
	for _, choice := range list.Choices {
		if c.errs.Full() || c.spent() {
			return
		}
		c.expandLists(choose(n, list, choice), emit)
	}
}

// firstList returns the first bracket list of a formula.
func firstList(n *Node) (list NamePart, found bool) {
	n.walk(func(m *Node) bool {
		if i := slices.IndexFunc(m.Name, NamePart.IsList); i >= 0 {
			list, found = m.Name[i], true
		}
		return !found
	})
	return list, found
}

// choose replaces every bracket list that is equal to list.
func choose(n *Node, list NamePart, choice string) *Node {
	m := *n
	m.Name = slices.Clone(n.Name)
	for i, p := range m.Name {
		if p.Equal(list) {
			m.Name[i] = NamePart{Text: choice}
		}
	}
	m.Xs = make([]*Node, len(n.Xs))
	for i, x := range n.Xs {
		m.Xs[i] = choose(x, list, choice)
	}
	return &m
}

// checkRecursion reports the templates that use themselves.
func (c *checker) checkRecursion() {
	done := map[string]bool{}
	var path []string
	var visit func(t *template)
	visit = func(t *template) {
		if i := slices.Index(path, t.Name); i >= 0 {
			cycle := append(slices.Clone(path[i:]), t.Name)
			e := c.model.sources.At(t.Pos, "template %s uses itself: %s", t.Name, strings.Join(cycle, " -> "))
			c.errs.Add(&TemplateRecursionError{e, cycle})
			return
		}
		if done[t.Name] {
			return
		}
		if len(path) >= maxDepth {
			c.errs.Add(&LimitError{c.model.sources.At(t.Pos, "templates use each other more than %d deep", maxDepth)})
			return
		}
		path = append(path, t.Name)
		for _, alternative := range t.alternatives {
			alternative.walk(func(n *Node) bool {
				if inner := c.templates[n.plainName()]; n.Op == OpAtom && inner != nil {
					visit(inner)
				}
				return !c.errs.Full()
			})
		}
		path = path[:len(path)-1]
		done[t.Name] = true
	}
	for _, t := range c.order {
		visit(t)
	}
}

// names is a set of variable names that are taken.
type names map[string]bool

// variablesOf returns the variables of a formula, quantified ones too.
func variablesOf(n *Node) names {
	taken := names{}
	n.walk(func(m *Node) bool {
		for _, t := range m.Args {
			if t.Kind == TermVariable {
				taken[t.Name] = true
			}
		}
		return true
	})
	return taken
}

// fresh returns a name like base that is not taken, and takes it: base itself, or its stem with the least number from 2.
func (s names) fresh(base string) string {
	name, stem := base, strings.TrimRight(base, "0123456789")
	for i := 2; s[name]; i++ {
		name = stem + strconv.Itoa(i)
	}
	s[name] = true
	return name
}

// binding gives the variables of an alternative the terms that stand for them in a use.
type binding map[string]Term

// instantiate copies an alternative with terms for its parameters and fresh names for its other variables.
func instantiate(n *Node, terms binding, taken names) *Node {
	m := *n
	if n.isQuantifier() {
		inner := maps.Clone(terms)
		for _, v := range n.Args {
			inner[v.Name] = Term{Kind: TermVariable, Name: taken.fresh(v.Name)}
		}
		terms = inner
	}
	m.Args = make([]Term, len(n.Args))
	for i, t := range n.Args {
		m.Args[i] = terms.apply(t, taken)
	}
	m.Xs = make([]*Node, len(n.Xs))
	for i, x := range n.Xs {
		m.Xs[i] = instantiate(x, terms, taken)
	}
	return m.with(m.Xs)
}

// apply returns the term that stands for t.
func (b binding) apply(t Term, taken names) Term {
	if t.Kind != TermVariable {
		return t
	}
	with, ok := b[t.Name]
	if !ok {
		with = Term{Kind: TermVariable, Name: taken.fresh(t.Name)}
		b[t.Name] = with
	}
	with.Pos = t.Pos
	with.Plus = with.Kind == TermVariable && (with.Plus || t.Plus)
	return with
}
