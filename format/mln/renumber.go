package mln

import (
	"fmt"
	"slices"
)

// Renumbering copies literals of a formula into another, which gets their variables.
type Renumbering struct {
	from, to *Formula
	index    map[int]int // of the variables in to, by that in from
}

// NewRenumbering returns a renumbering into a formula without variables. Call Free for all expressions before the first Expr.
func NewRenumbering(from, to *Formula) *Renumbering { return &Renumbering{from, to, map[int]int{}} }

// Free gives the variables of an expression that are no counting literal's own the next numbers.
func (r *Renumbering) Free(x Expr) {
	r.free(x, nil)
	r.to.Free = len(r.to.Vars)
}

func (r *Renumbering) free(x Expr, local []int) {
	if c, ok := x.(*Count); ok {
		local = slices.Concat(c.Listed, c.Inner)
	}
	if len(Operands(x)) == 0 {
		EachTerm(x, func(t Term) {
			if _, known := r.index[t.Var]; t.Kind == TermVariable && !known && !slices.Contains(local, t.Var) {
				r.add(t.Var)
			}
		})
	}
	for _, y := range Operands(x) {
		r.free(y, local)
	}
}

// add gives a variable the next number.
func (r *Renumbering) add(v int) int {
	r.index[v] = len(r.to.Vars)
	r.to.Vars = append(r.to.Vars, r.from.Vars[v])
	return r.index[v]
}

// Expr returns a copy of a literal, or of a conjunction of literals, over the new variables.
func (r *Renumbering) Expr(x Expr) Expr {
	switch x := x.(type) {
	case *Atom:
		a := *x
		a.Args = make([]Term, len(x.Args))
		for i, t := range x.Args {
			a.Args[i] = r.term(t)
		}
		return &a
	case *Equal:
		return &Equal{A: r.term(x.A), B: r.term(x.B), Pos: x.Pos}
	case *Compare:
		return &Compare{X: r.term(x.X), Value: x.Value, Op: x.Op, Pos: x.Pos}
	case *Count:
		c := *x
		c.Listed, c.Inner = r.local(x.Listed), r.local(x.Inner)
		c.X = r.Expr(x.X)
		return &c
	case *Not:
		return &Not{r.Expr(x.X)}
	case *And:
		xs := make([]Expr, len(x.Xs))
		for i, y := range x.Xs {
			xs[i] = r.Expr(y)
		}
		return &And{xs}
	}
	panic(fmt.Sprintf("mln: %T is no literal", x))
}

func (r *Renumbering) local(vars []int) []int {
	out := make([]int, len(vars))
	for i, v := range vars {
		out[i] = r.add(v)
	}
	return out
}

func (r *Renumbering) term(t Term) Term {
	if t.Kind == TermVariable {
		t.Var = r.index[t.Var]
		t.Name = r.to.Vars[t.Var].Name
	}
	return t
}
