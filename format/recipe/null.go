package recipe

import (
	"slices"

	"resolwe/format/lex"
)

// View is a relation with the rows of another that name the center, changed to what they might be if the target were independent of
// everything else.
type View struct {
	Of     int // the other relation, the same for all centers
	Center int // its column of centers
	// Other is the column whose entities are replaced by others about as frequent there, -1 if Labels are exchanged instead. If Both is
	// set, it may also hold the center, and Center the others.
	Other int
	Both  bool
	// Labels are columns whose values are exchanged between atoms, which are identified by Atoms; between neighboring centers if those of a
	// center are one atom.
	Labels []int
	Atoms  []int
	Seed   uint64
}

// nulling makes the rules for what is predicted, and for what is true, use a view of the target's tables. All other rules see the tables
// unchanged, and the new predicted atoms.
type nulling struct {
	*checker
	views   map[int]*View // by relation that is replaced
	seen    map[int]int   // by such a relation: the relation of its view
	fixed   []bool        // by relation: it determines the centers
	decides []bool        // by relation: it determines what is predicted or true
	changed map[int]bool  // by relation: whether its contents change, as far as known
	who     []bool        // by relation: it determines which entities are predicted
	copies  map[int]int   // by relation that others see unchanged: the copy for relations that decide
}

// Null returns the recipe of a null stream: with the same centers, as if the target were independent of everything else. The rows of the
// target's table around a center name other entities, or exchange labels, by random numbers that depend on the seed and the center. drawn
// reports whether the recipe samples the predicted atoms, so labels come with it. The recipe's text and file name are passed again, for
// messages. The error is a [lex.ErrorList] that names the rule of a target with no known null.
func (r *Recipe) Null(file string, src []byte, seed uint64) (null *Recipe, drawn bool, err error) {
	next := *r
	next.Relations, next.Rules = slices.Clone(r.Relations), slices.Clone(r.Rules)
	next.Requires, next.Order = slices.Clone(r.Requires), nil
	for i := range next.Relations {
		next.Relations[i].Rules = slices.Clone(next.Relations[i].Rules)
	}
	var errs lex.Collector
	c := &checker{file: file, recipe: &next, errs: &errs, sources: lex.Sources{}}
	c.sources.Add(file, string(src))
	n := &nulling{checker: c, views: map[int]*View{}, seen: map[int]int{}, changed: map[int]bool{}, copies: map[int]int{}}
	n.findViews(seed)
	if err := errs.Err(); err != nil {
		return nil, false, err
	}
	for _, v := range n.views {
		drawn = drawn || v.Other >= 0
	}
	n.rewrite()
	c.order()
	next.prune()
	return &next, drawn, errs.Err()
}

// targets returns the relations that state atoms of targets.
func (n *nulling) targets(role Role) (out []int) {
	for i, r := range n.recipe.Relations {
		if r.Role == role && n.recipe.Schema.Predicates[r.Index].Role.IsTarget() {
			out = append(out, i)
		}
	}
	return out
}

// findViews finds the tables from which the targets are read.
func (n *nulling) findViews(seed uint64) {
	for _, i := range n.targets(RoleTrue) {
		r := &n.recipe.Relations[i]
		var falsehoods []int
		for _, k := range n.targets(RoleFalse) {
			if f := &n.recipe.Relations[k]; f.Index == r.Index {
				falsehoods = f.Rules
			}
		}
		for _, rule := range r.Rules {
			v, ok := n.viewOf(&n.recipe.Rules[rule], falsehoods)
			if ok {
				v.Seed = seed
				old := n.views[v.Of]
				ok = old == nil || old.Center == v.Center && old.Other == v.Other && slices.Equal(old.Labels, v.Labels)
			}
			if !ok {
				n.fail(n.recipe.Rules[rule].Pos, "the null of this rule is not known: it takes a target that is read as TABLE(@center, x), "+
					"with x predicted, or a table of labels that its true and its false rules read")
				continue
			}
			n.views[v.Of] = &v
		}
	}
	if len(n.views) == 0 && n.errs.Len() == 0 {
		n.fail(n.recipe.Relations[n.recipe.Center].Pos, "no rule states a target true: there is no null of it")
	}
}

// viewOf finds the view that a target's rule needs: of the only row around the center that names a predicted entity.
func (n *nulling) viewOf(rule *Rule, falsehoods []int) (view View, ok bool) {
	for i := range rule.Positive {
		a := &rule.Positive[i]
		if n.recipe.Relations[a.Relation].Local {
			continue
		}
		for center, t := range a.Args {
			if t.Kind != TermCenter {
				continue
			}
			v, is := n.viewOfAtom(rule, a, center, falsehoods)
			if is && ok {
				return View{}, false // ambiguous
			}
			if is {
				view, ok = v, true
			}
		}
	}
	return view, ok
}

func (n *nulling) viewOfAtom(rule *Rule, a *Atom, center int, falsehoods []int) (View, bool) {
	columns := n.recipe.Relations[a.Relation].Columns
	v := View{Of: a.Relation, Center: center, Other: -1}
	for column, t := range a.Args {
		if t.Kind == TermVariable && columns[column].isEntity() && isStated(rule, t) {
			v.Atoms = append(v.Atoms, column)
		}
	}
	for _, f := range falsehoods {
		for _, b := range n.recipe.Rules[f].Positive {
			if b.Relation == a.Relation && b.Args[center].Kind == TermCenter {
				v.Labels = labels(rule, a, &n.recipe.Rules[f], &b)
			}
		}
		if len(v.Labels) > 0 {
			return v, true
		}
	}
	if len(v.Atoms) != 1 {
		return v, false
	}
	v.Other = v.Atoms[0]
	v.Both = columns[v.Other] == columns[center]
	return v, columns[v.Other].isEntity()
}

// isStated reports whether a term appears unchanged in the head.
func isStated(rule *Rule, t Term) bool { return slices.ContainsFunc(rule.Terms, t.isPlainIn) }

// labels returns the columns that distinguish true from false.
func labels(yes *Rule, a *Atom, no *Rule, b *Atom) (out []int) {
	for column, t := range a.Args {
		u := b.Args[column]
		same := t.Kind == u.Kind && t.Name == u.Name && t.Int == u.Int && t.Float == u.Float && t.Kind != TermVariable
		if isLabel(yes, t) && isLabel(no, u) && !same {
			out = append(out, column)
		}
	}
	return out
}

// isLabel reports whether a term is a constant, or compared only with one.
func isLabel(rule *Rule, t Term) bool {
	if t.Kind != TermVariable {
		return t.Kind != TermCenter
	}
	compared := slices.ContainsFunc(rule.Comparisons, func(c Comparison) bool {
		is := func(x, y Term) bool {
			return x.Kind == TermVariable && x.Var == t.Var && y.Kind != TermVariable && y.Kind != TermCenter
		}
		return is(c.A, c.B) || is(c.B, c.A)
	})
	return compared && !isStated(rule, t)
}

// prune removes relations that no fact, center or requirement needs from the order.
func (r *Recipe) prune() {
	need := make([]bool, len(r.Relations))
	for i, rel := range r.Relations {
		need[i] = rel.Role != RoleTable && rel.Role != RoleHelper
	}
	for _, q := range r.Requires {
		need[q.Left] = true
		if q.Right >= 0 {
			need[q.Right] = true
		}
	}
	for _, i := range slices.Backward(r.Order) {
		if need[i] {
			for _, k := range r.dependsOn(i) {
				need[k] = true
			}
		}
	}
	r.Order = slices.DeleteFunc(r.Order, func(i int) bool { return !need[i] })
}
