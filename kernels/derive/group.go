package derive

import (
	"slices"

	"resolwe/format/mln"
	"resolwe/kernels/plan"
)

// newGroup compiles the rows of an item.
func (p *Measures) newGroup(t *parts) *group {
	g := &group{vars: t.coreVars()}
	f := &mln.Formula{Vars: t.Vars}
	conj, binder := p.prog.Conjunction(t.Vars, p.relations.Literals(f, t.core))
	g.binder = binder
	for i, v := range t.head {
		if slices.Contains(g.vars, v) {
			g.shared = append(g.shared, shared{i, g.output(v)})
		}
	}
	g.bound = len(g.outputs)
	for _, v := range t.ordered(g.vars) {
		g.output(v)
	}
	g.query = p.prog.Query(conj, g.outputs)
	return g
}

// ordered returns the listed variables among the given ones. Where possible each follows one that shares an atom with it, or follows the
// head's variables, so that few of its values are tried.
func (t *parts) ordered(among []int) (out []int) {
	known := slices.Clone(t.head)
	left := slices.DeleteFunc(slices.Clone(t.Count.Listed), func(v int) bool { return !slices.Contains(among, v) })
	for len(left) > 0 {
		at := slices.IndexFunc(left, func(v int) bool {
			return slices.ContainsFunc(t.core, func(l mln.Literal) bool {
				return l.Atom != nil && occurs(l, v) > 0 && slices.ContainsFunc(known, func(k int) bool { return occurs(l, k) > 0 })
			})
		})
		at = max(at, 0)
		known, out = append(known, left[at]), append(out, left[at])
		left = slices.Delete(left, at, at+1)
	}
	return out
}

// output makes a core variable an output and returns its position, or the constant that it equals.
func (g *group) output(v int) plan.Arg { return g.binder.Output(&g.outputs, v) }

// add adds an item with the group's core.
func (g *group) add(p *Measures, at int, t *parts, texts []string) {
	vars := t.coreVars()
	arg := func(v int) plan.Arg { return g.output(g.vars[slices.Index(vars, v)]) }
	read := func(a *mln.Atom) lookup {
		types := p.relations.Schema().Predicates[a.Pred].Args
		l := plan.Literal{Source: plan.SourceTrue, Pred: a.Pred, Args: []plan.Arg{0, 1}}
		return lookup{arg: arg(a.Args[0].Var), node: p.prog.Scan(l, []plan.Arg{0, 1}, types), typ: types[1]}
	}
	direct := func(v int) lookup { return lookup{arg: arg(v), node: plan.None, typ: t.Vars[v].Type} }
	c := column{item: at, kind: t.Count.Kind, value: lookup{node: plan.None}, text: mln.FormatLiteral(mln.Literal{Count: t.Count}, t.Vars)}
	switch {
	case t.value != nil:
		c.value = read(t.value)
	case c.kind == mln.AggregateShare:
		c.value.in = p.part(t, arg)
	case c.kind.Leading() > 0:
		c.value = direct(t.Count.Listed[0])
	}
	if c.kind.Leading() > 1 {
		c.by = direct(t.Count.Listed[1])
	}
	for i, w := range t.windows {
		k := g.window(texts[i])
		if k < 0 {
			k = len(g.windows)
			g.windows = append(g.windows, newWindow(texts[i], read(w.atom), w.tests))
		}
		c.windows |= 1 << k
	}
	g.columns = append(g.columns, c)
}

// part returns the rows for which the part of a share holds: there are inner variables for which all its literals do.
func (p *Measures) part(t *parts, arg func(int) plan.Arg) *tuples {
	body, part := t.Count.Parts()
	exists := &mln.Count{Listed: t.Count.Inner, X: &mln.And{Xs: expressions(slices.Concat(part, body))}, Op: mln.AtLeast, K: 1}
	f := &mln.Formula{Vars: t.Vars}
	a, _ := p.relations.count(f, exists)
	in := &tuples{pred: a.Pred}
	for _, v := range sharedVariables(exists) {
		in.args = append(in.args, arg(v))
	}
	return in
}

func expressions(literals []mln.Literal) (out []mln.Expr) {
	for _, l := range literals {
		out = append(out, l.Expr())
	}
	return out
}

func newWindow(text string, number lookup, tests []mln.Literal) window {
	w := window{text: text, number: number}
	for _, l := range tests {
		v, _ := mln.ParseNumber(l.Compare.Value.Name) // checked by the parser
		w.tests = append(w.tests, test{l.Compare.Op, v})
	}
	return w
}
