package mln

import (
	"slices"
	"strings"
)

// formulas expands the rules into the model's formulas. All are expanded before the first is typed, to detect runaway templates early. The
// error is that of [Options.Constants]; others are collected.
func (c *checker) formulas() error {
	expanded := make([][]*Node, len(c.rules))
	for i, r := range c.rules {
		expanded[i] = []*Node{r.Body}
	}
	if !c.each(expanded, c.expand) || !c.each(expanded, c.scopeCounts) {
		return nil
	}
	if err := c.readConstants(expanded); err != nil || !c.each(expanded, c.expandPlus) {
		return err
	}
	seen := map[string]bool{}
	for i, r := range c.rules {
		for _, body := range expanded[i] {
			if !c.finish(r, body, seen) {
				break
			}
		}
		if c.errs.Full() {
			break
		}
	}
	return nil
}

// each replaces a rule's expansions by what step emits for them, until an error. It reports whether to continue.
func (c *checker) each(expanded [][]*Node, step func(*Node, func(*Node) bool) bool) bool {
	for i, list := range expanded {
		expanded[i] = nil
		emit := func(n *Node) bool {
			expanded[i] = append(expanded[i], n)
			return true
		}
		for _, n := range list {
			if !step(n, emit) {
				break
			}
		}
		if c.errs.Full() || c.spent() {
			return false
		}
	}
	return true
}

// finish types an expanded formula and adds it, or its clauses, to the model, and reports success.
func (c *checker) finish(r *rule, body *Node, seen map[string]bool) bool {
	if r.Shape != ShapeNone {
		if body = c.shaped(r, body); body == nil {
			return false
		}
	}
	f := c.build(body, nil)
	if f == nil {
		return false
	}
	list := []*Formula{f}
	if c.opt.CNF && r.Shape == ShapeNone {
		if list = c.clauses(body, typesOf(f)); list == nil {
			return false
		}
	}
	for _, f := range list {
		f.Pos, f.Hard, f.HasWeight, f.Shape, f.Numbers, f.Standing = r.Pos, r.Hard, r.HasWeight, r.Shape, r.Numbers, r.Standing
		if f.Measures() {
			if n, _, ok := f.Quantity(&c.model.Schema); !ok || n.Op != 0 {
				return c.refuse(r.Pos, "%s: needs %s", r.Shape, measurable)
			}
		}
		if r.HasWeight {
			f.Weight = r.Weight / float64(len(list))
		}
		if len(c.model.Formulas) >= maxFormulas {
			return c.refuse(r.Pos, "the model has more than %d formulas", maxFormulas)
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

// typesOf returns the types of a formula's variables by name, except names with several types.
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

// clauses builds a formula for each clause of a formula. A variable that occurs only in comparisons of its clause takes its type from the
// whole formula.
func (c *checker) clauses(body *Node, types map[string]int) []*Formula {
	nodes, ok := splitCNF(stripForAll(body))
	if !ok {
		c.refuse(body.Pos, "the conjunctive normal form has more than %d literals", maxCNF)
		return nil
	}
	list := make([]*Formula, len(nodes))
	for i, n := range nodes {
		if !c.spend(n) || !c.checkClause(n) {
			return nil
		}
		if list[i] = c.build(n, types); list[i] == nil {
			return nil
		}
	}
	return list
}

// stripForAll removes leading FORALLs.
func stripForAll(n *Node) *Node {
	for n.Op == OpForAll {
		n = n.Xs[0]
	}
	return n
}

// Given returns the formulas that are not candidates: weighted and hard ones.
func Given(formulas []*Formula) []*Formula {
	return slices.DeleteFunc(slices.Clone(formulas), func(f *Formula) bool { return !f.HasWeight && !f.Hard })
}

// Domains returns, by type, the constants that belong to its domain in every subgraph: those of type lines, then those that formulas name in atoms
// and beside = and !=. Numbers are values, which belong only as arguments of target atoms.
func (s *Schema) Domains(lines [][]string, formulas []*Formula) [][]string {
	out := slices.Clone(lines)
	known := make([]map[string]bool, len(lines)) // by type, nil for none yet
	add := func(typ int, name string) {
		if known[typ] == nil {
			known[typ], out[typ] = map[string]bool{}, slices.Clip(lines[typ])
			for _, c := range lines[typ] {
				known[typ][c] = true
			}
		}
		if !known[typ][name] {
			known[typ][name] = true
			out[typ] = append(out[typ], name)
		}
	}
	var visit func(x Expr)
	visit = func(x Expr) {
		for _, y := range Operands(x) {
			visit(y)
		}
		if len(Operands(x)) > 0 {
			return
		}
		a, _ := x.(*Atom)
		target := a != nil && s.Predicates[a.Pred].Role.IsTarget()
		EachTerm(x, func(t Term) {
			if t.Kind == TermConstant && (target || !s.IsNumber(t.Type)) {
				add(t.Type, t.Name)
			}
		})
	}
	for _, f := range formulas {
		visit(f.Body)
	}
	return out
}

// UnitClause returns pred(v1, .., vn) over distinct variables, without a weight.
func UnitClause(s *Schema, pred int) *Formula {
	p := s.Predicates[pred]
	letters := make([]string, len(p.Args))
	count := map[string]int{}
	for i, t := range p.Args {
		letters[i] = strings.ToLower(s.Types[t][:1])
		count[letters[i]]++
		if s.Types[t] == letters[i] {
			count[letters[i]]++ // a variable named like its type would make a declaration
		}
	}
	taken := names{}
	a := &Atom{Pred: pred, Name: p.Name, Args: make([]Term, len(p.Args))}
	f := &Formula{Body: a, Free: len(p.Args), Vars: make([]Variable, len(p.Args))}
	for i, t := range p.Args {
		name := letters[i]
		if count[name] > 1 {
			name += "1"
		}
		name = taken.fresh(name)
		f.Vars[i] = Variable{Name: name, Type: t}
		a.Args[i] = Term{Kind: TermVariable, Name: name, Var: i, Type: t}
	}
	return f
}

// UnitOf returns the predicate of a formula that is an atom over distinct variables, or its negation; -1 for other formulas.
func (f *Formula) UnitOf() int {
	x := f.Body
	if n, ok := x.(*Not); ok {
		x = n.X
	}
	if a, ok := x.(*Atom); ok && f.Shape == ShapeNone && len(f.Vars) == len(a.Args) {
		return a.Pred
	}
	return -1
}

// WithUnitClauses returns formulas followed by the unit clause of each target predicate of which they have none of either sign, so that
// the base rate has a weight of its own.
func (s *Schema) WithUnitClauses(formulas []*Formula) []*Formula {
	out := slices.Clip(formulas)
	for pred, p := range s.Predicates {
		if p.Role.IsTarget() && !slices.ContainsFunc(formulas, func(f *Formula) bool { return f.UnitOf() == pred }) {
			out = append(out, UnitClause(s, pred))
		}
	}
	return out
}

// avoidDeclaration renames a variable of a unit formula that would read as a declaration when printed without a weight.
func (c *checker) avoidDeclaration(f *Formula) {
	a, ok := f.Body.(*Atom)
	if !ok || len(f.Vars) == 0 || f.Shape != ShapeNone {
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
