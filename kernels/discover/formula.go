package discover

import (
	"strconv"
	"strings"

	"resolwe/format/mln"
)

// building constructs a formula whose head is a target's atom over the first variables.
type building struct {
	*Grower
	f      *mln.Formula
	target int
	heads  int
	taken  map[string]bool         // names of variables in use
	named  func(int) (int, string) // maps an evidence predicate to the predicate to write
}

// building starts a formula with variables of the given types.
func (g *Grower) building(target int, types []int) *building {
	b := &building{g, &mln.Formula{}, target, len(g.schema.Predicates[target].Args), map[string]bool{}, g.own}
	for _, t := range types {
		b.variable(t)
	}
	return b
}

// own maps a predicate to itself.
func (g *Grower) own(pred int) (int, string) { return pred, g.schema.Predicates[pred].Name }

// formula returns the pattern as an unweighted formula, an implication. named maps its predicates.
func (g *Grower) formula(p *Pattern, named func(int) (int, string)) *mln.Formula {
	b := g.building(p.Target, p.types)
	b.named = named
	body := b.atoms(p.literals)
	if p.differ[0] != p.differ[1] {
		body = append(body, &mln.Not{X: &mln.Equal{A: b.term(p.differ[0]), B: b.term(p.differ[1])}})
	}
	return b.implied(body)
}

// variable adds a variable, named after its type.
func (b *building) variable(typ int) int32 {
	of := b.schema.Types[typ]
	for n := 1; ; n++ {
		if name := strings.ToLower(of[:1]) + strconv.Itoa(n); !b.taken[name] && name != of {
			b.taken[name] = true
			b.f.Vars = append(b.f.Vars, mln.Variable{Name: name, Type: typ})
			return int32(len(b.f.Vars) - 1)
		}
	}
}

func (b *building) term(a int32) mln.Term {
	if a < 0 {
		return b.constants[^a]
	}
	v := b.f.Vars[a]
	return mln.Term{Kind: mln.TermVariable, Name: v.Name, Var: int(a), Type: v.Type}
}

func (b *building) atom(pred int, name string, args []int32) *mln.Atom {
	a := &mln.Atom{Pred: pred, Name: name}
	for _, x := range args {
		a.Args = append(a.Args, b.term(x))
	}
	return a
}

func (b *building) atoms(ls []literal) (out []mln.Expr) {
	for _, l := range ls {
		pred, name := b.named(l.pred)
		out = append(out, b.atom(pred, name, l.args))
	}
	return out
}

// implied returns the formula in which the literals imply the head.
func (b *building) implied(body []mln.Expr) *mln.Formula {
	head := make([]int32, b.heads)
	for v := range head {
		head[v] = int32(v)
	}
	from := body[0]
	b.f.Free = len(b.f.Vars)
	if len(body) > 1 {
		from = &mln.And{Xs: body}
	} else if _, ok := from.(*mln.Count); ok {
		b.f.Free = b.heads
	}
	b.f.Body = &mln.Implies{L: from, R: b.atom(b.target, b.schema.Predicates[b.target].Name, head)}
	return b.f
}
