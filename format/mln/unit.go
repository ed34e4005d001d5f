package mln

import "strings"

// UnitClause returns pred(v1, .., vn) over distinct variables, without a weight.
func UnitClause(s *Schema, pred int) *Formula {
	p := s.Predicates[pred]
	letters := make([]string, len(p.Args))
	count := map[string]int{}
	for i, t := range p.Args {
		letters[i] = strings.ToLower(s.Types[t][:1])
		count[letters[i]]++
		if s.Types[t] == letters[i] {
			count[letters[i]]++ // a variable called as its type would make a declaration
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

// HasUnitClause reports whether one of the formulas is an atom of that predicate over distinct variables, or its negation.
func HasUnitClause(formulas []*Formula, pred int) bool {
	for _, f := range formulas {
		if f.Shape != ShapeNone {
			continue
		}
		x := f.Body
		if n, ok := x.(*Not); ok {
			x = n.X
		}
		if a, ok := x.(*Atom); ok && a.Pred == pred && len(f.Vars) == len(a.Args) {
			return true
		}
	}
	return false
}

// avoidDeclaration renames a variable of a unit formula that, printed without a weight, would read as a declaration.
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
