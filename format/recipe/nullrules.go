package recipe

import (
	"slices"

	"resolwe/format/lex"
	"resolwe/format/table"
)

func (t Type) isEntity() bool { return t.Kind == table.KindEntity }

// rewrite makes relations that decide use the views. Those that determine which entities are predicted are rewritten in place; others are
// copied, so that evidence sees them unchanged.
func (n *nulling) rewrite() {
	r := n.recipe
	n.fixed = n.reached([]int{r.Center}, func(int) bool { return true })
	roots := slices.Concat(n.targets(RoleTrue), n.targets(RoleFalse), n.targets(RoleUnknown))
	for _, q := range r.Requires {
		for _, i := range []int{q.Left, q.Right} {
			if i >= 0 && r.Relations[i].Role == RoleHelper {
				roots = append(roots, i)
			}
		}
	}
	n.decides = n.reached(roots, func(i int) bool { return !n.fixed[i] && n.views[i] == nil })
	n.who = make([]bool, len(r.Relations))
	for i := range n.who { // before any of them is rewritten
		n.who[i] = n.tellsWho(i)
	}
	for i, who := range n.who {
		if who {
			n.define(i, i)
		}
	}
	for i := range r.Requires {
		q := &r.Requires[i]
		if q.Left = n.version(q.Left); q.Right >= 0 {
			q.Right = n.version(q.Right)
		}
	}
}

// reached returns some relations and those they depend on, along paths on which all relations pass.
func (n *nulling) reached(from []int, passes func(int) bool) []bool {
	out := make([]bool, len(n.recipe.Relations))
	for len(from) > 0 {
		i := from[len(from)-1]
		from = from[:len(from)-1]
		if n.recipe.Relations[i].Role != RoleTable && !out[i] && passes(i) {
			out[i] = true
			from = append(from, n.recipe.dependsOn(i)...)
		}
	}
	return out
}

// isChanged reports whether the rules of a relation would give different tuples.
func (n *nulling) isChanged(i int) bool {
	if n.recipe.Relations[i].Role == RoleTable || n.fixed[i] || n.views[i] != nil {
		return false
	}
	changed, known := n.changed[i]
	if !known {
		changed = slices.ContainsFunc(n.recipe.dependsOn(i), func(k int) bool { return n.views[k] != nil || n.isChanged(k) })
		n.changed[i] = changed
	}
	return changed
}

// tellsWho reports whether a relation determines which entities are predicted, so evidence must follow its new tuples.
func (n *nulling) tellsWho(i int) bool {
	r := &n.recipe.Relations[i]
	switch {
	case !n.isChanged(i):
		return false
	case !n.decides[i]:
		return r.Role == RoleHelper && slices.ContainsFunc(r.Rules, n.repeatsTarget)
	case r.Role != RoleHelper:
		return n.recipe.Schema.Predicates[r.Index].Role.IsTarget()
	}
	heads := n.targets(RoleTrue)
	of := n.reached([]int{i}, func(int) bool { return true })
	return r.Sample != nil || slices.ContainsFunc(heads, func(k int) bool {
		return of[k] || r.Local && slices.Equal(n.recipe.Relations[k].Columns, r.Columns)
	})
}

// repeatsTarget reports whether a rule uses the other entities of all rows around the center, as a target's rule does.
func (n *nulling) repeatsTarget(rule int) bool {
	r := &n.recipe.Rules[rule]
	if len(r.Positive) != 1 || len(r.Comparisons) > 0 || len(r.Terms) != 1 {
		return false
	}
	a := &r.Positive[0]
	v := n.views[a.Relation]
	return v != nil && v.Other >= 0 && a.Args[v.Center].Kind == TermCenter && a.Args[v.Other].Kind == TermVariable &&
		a.Args[v.Other].isPlainIn(r.Terms[0])
}

// version returns the replacement of a relation in a rule that decides.
func (n *nulling) version(i int) int {
	if !n.isChanged(i) || !n.decides[i] || n.who[i] {
		return i
	}
	if k, ok := n.copies[i]; ok {
		return k
	}
	k := n.add(n.recipe.Relations[i])
	n.recipe.Relations[k].Role, n.recipe.Relations[k].Index = RoleHelper, -1
	n.copies[i] = k
	n.define(i, k)
	return k
}

// add adds a relation.
func (n *nulling) add(r Relation) int {
	n.recipe.Relations = append(n.recipe.Relations, r)
	return len(n.recipe.Relations) - 1
}

// view returns the relation that is a view of a given one.
func (n *nulling) view(of int) int {
	i, ok := n.seen[of]
	if !ok {
		r := n.recipe.Relations[of]
		i = n.add(Relation{Role: RoleHelper, Name: r.Name, Columns: r.Columns, Index: -1, Pos: r.Pos, View: n.views[of]})
		n.seen[of] = i
	}
	return i
}

// define gives relation k the rewritten rules of relation i.
func (n *nulling) define(i, k int) {
	rules, sample := n.recipe.Relations[i].Rules, n.recipe.Relations[i].Sample
	n.recipe.Relations[k].Rules = nil
	if sample != nil {
		s := *sample
		s.Per = n.version(s.Per)
		n.recipe.Relations[k].Sample = &s
	}
	for _, rule := range rules {
		n.addRules(k, n.recipe.Rules[rule])
	}
}

// addRules adds the rewritten forms of a rule to a relation. If an aggregate spans several cases they are collected first.
func (n *nulling) addRules(head int, rule Rule) {
	cases := n.cases(rule)
	aggregates := slices.ContainsFunc(rule.Terms, func(h HeadTerm) bool { return h.Aggregate != AggregateNone })
	if aggregates && len(cases) > 1 {
		all := Relation{Role: RoleHelper, Name: n.recipe.Relations[head].Name, Index: -1, Pos: rule.Pos}
		atom := Atom{Name: all.Name, Pos: rule.Pos}
		terms := make([]HeadTerm, 0, len(rule.Vars))
		for i, v := range rule.Vars {
			t := Term{Kind: TermVariable, Name: v.Name, Var: i, Type: v.Type, Pos: rule.Pos}
			all.Columns = append(all.Columns, v.Type)
			atom.Args, terms = append(atom.Args, t), append(terms, HeadTerm{Term: t})
		}
		atom.Relation = n.add(all)
		for _, c := range cases {
			c.Terms = terms
			n.addRule(atom.Relation, c)
		}
		rule.Positive, rule.Negative, rule.Comparisons = []Atom{atom}, nil, nil
		cases = []Rule{rule}
	}
	for _, c := range cases {
		n.addRule(head, c)
	}
}

func (n *nulling) addRule(head int, rule Rule) {
	rule.Head = head
	n.recipe.Relations[head].Rules = append(n.recipe.Relations[head].Rules, len(n.recipe.Rules))
	n.recipe.Rules = append(n.recipe.Rules, rule)
}

// cases returns the rewritten forms of a rule: each atom of a replaced table concerns either rows around the center, which come from the
// view, or other rows.
func (n *nulling) cases(rule Rule) []Rule {
	out := []Rule{rule}
	for k := range rule.Positive {
		out = n.split(out, &rule.Positive[k], false, k)
	}
	for k := range rule.Negative {
		out = n.split(out, &rule.Negative[k], true, k)
	}
	return out
}

// split splits rules by the kind of rows of their k-th atom.
func (n *nulling) split(rules []Rule, a *Atom, negated bool, k int) (out []Rule) {
	v := n.views[a.Relation]
	var held []int
	around := false
	for column, t := range a.Args {
		if v != nil && (column == v.Center || v.Both && column == v.Other) {
			held = append(held, column)
			around = around || t.Kind == TermCenter
		}
	}
	for _, r := range rules {
		with := func(relation int, op lex.Comparison, columns ...int) {
			r := r
			list := &r.Positive
			if negated {
				list = &r.Negative
			}
			*list = slices.Clone(*list)
			(*list)[k].Relation = relation
			r.Comparisons = slices.Clone(r.Comparisons)
			for _, c := range columns {
				t := a.Args[c]
				center := Term{Kind: TermCenter, Name: "@center", Type: t.Type, Pos: t.Pos}
				r.Comparisons = append(r.Comparisons, Comparison{Op: op, A: t, B: center, Pos: t.Pos})
			}
			out = append(out, r)
		}
		switch {
		case v == nil:
			with(n.version(a.Relation), 0)
			continue
		case !around:
			with(a.Relation, lex.OtherThan, held...)
		}
		if around || !negated {
			with(n.view(a.Relation), 0)
			continue
		}
		for _, c := range held {
			with(n.view(a.Relation), lex.SameAs, c)
		}
	}
	return out
}
