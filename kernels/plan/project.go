package plan

import (
	"cmp"
	"slices"

	"resolwe/format/mln"
)

// project sums out the variables of a literal that occur only in it and in factors over its variables. It returns false if more than one
// variable is left.
func (e *elimination) project(l Literal, c *Conj, outputs []int) bool {
	if l.Negated || (l.Source != SourceTrue && e.prog.Schema.Predicates[l.Pred].Role != mln.RoleListed) {
		return false // it may be as large as the product of the domains
	}
	vars := l.Vars()
	var kept, order []Arg
	for _, v := range vars {
		if slices.Contains(outputs, int(v)) || c.reaches(v, vars) {
			kept = append(kept, v)
		}
	}
	if len(kept) > 1 {
		return false
	}
	order = append(order, kept...)
	for _, a := range l.Args {
		if a.IsVar() && !slices.Contains(order, a) {
			order = append(order, a)
		}
	}
	n := over(OpProject, len(kept), l, order, c.Types)
	type factor struct {
		kid  NodeID
		args [2]Arg
	}
	var factors []factor
	for i := range order {
		if s := e.prog.and(e.vecs[int(order[i])]); s != None && i >= len(kept) {
			factors = append(factors, factor{s, [2]Arg{Arg(i), Arg(i)}})
			delete(e.vecs, int(order[i]))
		}
		for j := range i {
			x, z := int(order[j]), int(order[i])
			if len(e.mats[[2]int{min(x, z), max(x, z)}]) > 0 {
				factors = append(factors, factor{e.matrix(x, z), [2]Arg{Arg(j), Arg(i)}})
				e.drop(x, z)
			}
		}
	}
	slices.SortFunc(factors, func(a, b factor) int {
		return cmp.Or(cmp.Compare(a.kid, b.kid), slices.Compare(a.args[:], b.args[:]))
	})
	for _, f := range factors {
		n.Kids, n.Factors = append(n.Kids, f.kid), append(n.Factors, f.args)
	}
	e.summed = append(e.summed, order[len(kept):]...)
	id := e.prog.node(n)
	if len(kept) == 0 {
		e.scalars = append(e.scalars, id)
	} else {
		e.addVecProduct(int(kept[0]), id)
	}
	return true
}

// reaches reports whether a variable occurs in a factor with variables other than the given ones, or in more than one literal of three or
// more variables.
func (c *Conj) reaches(v Arg, vars []Arg) bool {
	wide := 0
	for _, l := range c.Literals {
		own := l.Vars()
		if !slices.Contains(own, v) {
			continue
		}
		if len(own) > 2 {
			wide++
		}
		if slices.ContainsFunc(own, func(a Arg) bool { return !slices.Contains(vars, a) }) {
			return true
		}
	}
	return wide > 1 || slices.ContainsFunc(c.Differs, func(d Differ) bool {
		return (d.A == v || d.B == v) && (!slices.Contains(vars, d.A) || (d.B.IsVar() && !slices.Contains(vars, d.B)))
	})
}
