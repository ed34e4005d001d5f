package mln

import (
	"slices"
)

const (
	maxFormulas = 1_000_000 // expanded formulas of a model
	maxWork     = 1 << 21   // terms that expansion may write, including intermediate ones
)

// spend deducts a formula from the budget of expansion, and reports whether enough was left.
func (c *checker) spend(n *Node) bool {
	literals, terms := 0, 0
	for m := range n.all() {
		if m.Op == OpAtom || m.Op == OpEqual || m.Op == OpCompare || m.Op == OpCount {
			literals++
			terms += 1 + len(m.Args)
		}
	}
	if literals > maxLiterals {
		return c.refuse(n.Pos, "a formula expands to more than %d literals", maxLiterals)
	}
	if c.work += terms; c.spent() {
		return c.refuse(n.Pos, "the templates expand to more than %d terms", maxWork)
	}
	return true
}

// spent reports whether the budget of expansion is used up.
func (c *checker) spent() bool { return c.work > maxWork }

// expand emits every choice of a formula's bracket lists and template uses, the last varying fastest. It stops and returns false once emit
// does.
func (c *checker) expand(n *Node, emit func(*Node) bool) bool {
	if !c.spend(n) {
		return false
	}
	point := c.firstChoice(n)
	if point == nil {
		return emit(n)
	}
	if point.plainName() == "" {
		return c.expandList(n, emit)
	}
	return c.expandUse(n, point, emit)
}

// firstChoice returns the first atom of a formula that is a template or has a bracket list, nil for none.
func (c *checker) firstChoice(n *Node) *Node {
	for m := range n.all() {
		if name := m.plainName(); m.Op == OpAtom && (name == "" || c.templates[name] != nil) {
			return m
		}
	}
	return nil
}

// expandList expands every choice of the first bracket list.
func (c *checker) expandList(n *Node, emit func(*Node) bool) bool {
	list, _ := firstList(n)
	for _, choice := range list.Choices {
		body := choose(n, list, choice)
		errors := c.errs.Len()
		c.checkWritten(body)
		if c.errs.Len() > errors || !c.expand(body, emit) {
			return false
		}
	}
	return true
}

// expandUse expands every choice of a template use.
func (c *checker) expandUse(n, use *Node, emit func(*Node) bool) bool {
	t := c.templates[use.plainName()]
	return sequences(len(t.Alternatives), t.Limit, t.Kind != extend, func(chosen []int) bool {
		return c.expand(replace(n, use, join(OpAnd, t.parts(chosen, use, n))), emit)
	})
}

// replace replaces a node of a formula.
func replace(n, old, with *Node) *Node {
	switch {
	case n == old:
		return with
	case len(n.Xs) == 0:
		return n
	}
	return n.mapped(func(x *Node) *Node { return replace(x, old, with) })
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
	for m := range n.all() {
		if i := slices.IndexFunc(m.Name, NamePart.IsList); i >= 0 {
			return m.Name[i], true
		}
	}
	return NamePart{}, false
}

// choose replaces every bracket list equal to list.
func choose(n *Node, list NamePart, choice string) *Node {
	m := *n
	m.Name = slices.Clone(n.Name)
	for i, p := range m.Name {
		if p.Equal(list) {
			m.Name[i] = NamePart{Text: choice}
		}
	}
	return m.mapped(func(x *Node) *Node { return choose(x, list, choice) })
}

// readConstants requests the constants of types that a + needs and that have no type line. After errors it does not read the data.
func (c *checker) readConstants(expanded [][]*Node) error {
	if c.opt.Constants == nil {
		return nil
	}
	var types []int
	for _, n := range slices.Concat(expanded...) {
		plus, _ := c.plusVariables(n)
		for _, t := range plus {
			if len(c.model.Constants[t.Type]) == 0 && !slices.Contains(types, t.Type) {
				types = append(types, t.Type)
			}
		}
	}
	constants := make([][]string, len(types))
	if len(types) > 0 && c.errs.Len() == 0 {
		var err error
		if constants, err = c.opt.Constants(&c.model.Schema, types); err != nil {
			return err
		}
	}
	c.data = map[int][]string{}
	for i, t := range types {
		c.data[t] = constants[i]
	}
	return nil
}

// plusVariables returns the variables of a formula with a +, with their types, in order of appearance. It reports whether there was no
// error.
func (c *checker) plusVariables(n *Node) ([]Term, bool) {
	var plus []Term
	for t := range n.variables() {
		if t.Plus && !hasName(plus, t.Name) {
			plus = append(plus, t)
		}
	}
	if plus == nil {
		return nil, true
	}
	f := c.build(n, nil)
	if f == nil {
		return nil, false
	}
	for k, t := range plus {
		i := slices.IndexFunc(f.Vars[:f.Free], func(v Variable) bool { return v.Name == t.Name })
		if i < 0 {
			c.refuse(t.Pos, "+%s: a quantified variable takes no +", t.Name)
			return nil, false
		}
		plus[k].Type = f.Vars[i].Type
	}
	return plus, true
}

// expandPlus emits the formula with each choice of constants for its + variables.
func (c *checker) expandPlus(n *Node, emit func(*Node) bool) bool {
	plus, ok := c.plusVariables(n)
	return ok && c.choosePlus(n, plus, emit)
}

func (c *checker) choosePlus(n *Node, plus []Term, emit func(*Node) bool) bool {
	if len(plus) == 0 {
		return emit(n)
	}
	t := plus[0]
	constants := c.model.Constants[t.Type]
	if len(constants) == 0 {
		var ok bool
		if constants, ok = c.data[t.Type]; !ok {
			name := c.model.Schema.Types[t.Type]
			return c.refuse(t.Pos, "+%s: no type line gives the constants of type %s, and there is no data to take them from", t.Name, name)
		}
	}
	for _, name := range constants {
		body := substitution{t.Name: Term{Kind: TermConstant, Name: name}}.put(stripForAll(n))
		if !c.spend(body) || !c.choosePlus(body, plus[1:], emit) {
			return false
		}
	}
	return true
}
