package mln

import "slices"

// readConstants asks for the constants of the types that a + needs and no type line describes. Where there are errors the
// data need not be read.
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

// plusVariables returns the variables with a + in a formula, with their types, in order of appearance. It reports whether
// there was no error.
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
