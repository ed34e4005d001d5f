package mln

import (
	"slices"
	"strings"

	"resolwe/internal/printable"
)

// checkTemplates checks all templates, used or not, and expands the bracket lists of their alternatives.
func (c *checker) checkTemplates() {
	for _, t := range c.order {
		c.checkParams(t)
		written := t.Alternatives
		t.Alternatives = nil
		for _, alternative := range written {
			c.expandLists(alternative, func(n *Node) {
				t.Alternatives = append(t.Alternatives, n)
				c.checkWritten(n)
			})
		}
	}
	c.checkRecursion()
}

func (c *checker) checkParams(t *template) {
	for i, p := range t.Params {
		if hasName(t.Params[:i], p.Name) {
			c.refuse(p.Pos, "variable %s stands twice before the = of template %s", p.Name, t.Name)
		}
	}
	if t.Kind == extend && len(t.Params) != 2 {
		c.refuse(t.Pos, "extend chains templates of 2 variables, %s has %d", t.Name, len(t.Params))
	}
}

// checkRecursion reports templates that use themselves.
func (c *checker) checkRecursion() {
	done := map[string]bool{}
	var path []string
	var visit func(t *template)
	visit = func(t *template) {
		if i := slices.Index(path, t.Name); i >= 0 {
			cycle := append(slices.Clone(path[i:]), t.Name)
			c.refuse(t.Pos, "template %s uses itself: %s", t.Name, strings.Join(cycle, " -> "))
			return
		}
		if done[t.Name] {
			return
		}
		if len(path) >= maxDepth {
			c.refuse(t.Pos, "templates use each other more than %d deep", maxDepth)
			return
		}
		path = append(path, t.Name)
		for _, alternative := range t.Alternatives {
			for n := range alternative.all() {
				if inner := c.templates[n.plainName()]; n.Op == OpAtom && inner != nil && !c.errs.Full() {
					visit(inner)
				}
			}
		}
		path = path[:len(path)-1]
		done[t.Name] = true
	}
	for _, t := range c.order {
		visit(t)
	}
}

// checkRules makes the checks that do not depend on the expansion of templates.
func (c *checker) checkRules() {
	for _, r := range c.rules {
		if c.errs.Full() {
			return
		}
		c.checkWritten(r.Body)
	}
}

// checkWritten checks the names in a formula, their numbers of arguments and the places of templates, without looking into bracket lists.
func (c *checker) checkWritten(n *Node) {
	for m := range n.all() {
		if m.Op == OpAtom && m.plainName() != "" && !c.errs.Full() {
			c.checkAtom(m)
		}
	}
	c.checkUses(n, "")
}

// checkAtom reports whether an atom's predicate or template exists and has that many arguments.
func (c *checker) checkAtom(n *Node) bool {
	var want int
	name := n.plainName()
	if t := c.templates[name]; t != nil {
		want = len(t.Params)
		t.used = true
	} else if p, ok := c.declared[name]; ok {
		want = len(c.model.Schema.Predicates[p.index].Args)
	} else {
		names := c.model.Schema.PredicateNames()
		for _, t := range c.order {
			names = append(names, t.Name)
		}
		return c.report(c.model.sources.Near(name, names, n.Pos, "unknown predicate %q", name))
	}
	if len(n.Args) == want {
		return true
	}
	return c.refuse(n.Pos, "%s has %s, found %d", name, printable.Count(want, "argument"), len(n.Args))
}

// checkUses reports misplaced templates; where names what the formula is part of, "" if templates are allowed.
func (c *checker) checkUses(n *Node, where string) {
	if n.Op == OpAtom && where != "" {
		if name := n.plainName(); c.templates[name] != nil {
			c.refuse(n.Pos, "template %s stands %s", name, where)
		}
	}
	for i, x := range n.Xs {
		inner := where
		switch {
		case n.Op == OpNot && x.Op != OpCount:
			inner = "under !"
		case n.Op == OpIff || n.Op == OpImplies && i == 1:
			inner = "in a head"
		}
		c.checkUses(x, inner)
	}
}

// warn reports unused declarations, and aggregates that hardly mean what they say.
func (c *checker) warn() {
	used := make([]bool, len(c.model.Schema.Types))
	for _, p := range c.model.Schema.Predicates {
		for _, t := range p.Args {
			used[t] = true
		}
	}
	note := func(e ModelError) { c.model.Warnings = append(c.model.Warnings, e.Diagnostic) }
	for _, line := range c.typeLines {
		if !used[c.types[line.Name]] {
			note(c.model.sources.Near(line.Name, c.model.Schema.Types, line.Pos, "no predicate has arguments of type %s", line.Name))
		}
	}
	for _, t := range c.order {
		if !t.used {
			note(c.at(t.Pos, "template %s is not used", t.Name))
		}
	}
	warned := map[Position]bool{}
	for _, f := range c.model.Formulas {
		for _, x := range c.model.Schema.byAge(f.Body) {
			if !warned[x.Pos] {
				warned[x.Pos] = true
				note(c.at(x.Pos, "%s by age compares the oldest row, whose age is greatest: the latest is the one of rank 1, as in avg{n, y: .. ^ y_latest(y, k) ^ k <= 1}", x.Kind))
			}
		}
	}
	slices.SortStableFunc(c.model.Warnings, func(a, b Diagnostic) int { return a.Pos.Compare(b.Pos) })
}
