package discover

import (
	"strconv"
	"strings"

	"resolwe/format/mln"
)

// formula returns the pattern as an unweighted formula, an implication. pred says what stands for a predicate.
func (g *Grower) formula(p *Pattern, pred func(int) (int, string)) *mln.Formula {
	f := &mln.Formula{Free: len(p.types)}
	taken := map[string]bool{}
	for _, t := range p.types {
		f.Vars = append(f.Vars, mln.Variable{Name: variableName(g.schema.Types[t], taken), Type: t})
	}
	atom := func(at int, name string, args []int32) *mln.Atom {
		a := &mln.Atom{Pred: at, Name: name}
		for _, x := range args {
			a.Args = append(a.Args, g.term(f, x))
		}
		return a
	}
	var body []mln.Expr
	for _, l := range p.literals {
		at, name := pred(l.pred)
		body = append(body, atom(at, name, l.args))
	}
	if p.differ[0] != p.differ[1] {
		body = append(body, &mln.Not{X: &mln.Equal{A: g.term(f, p.differ[0]), B: g.term(f, p.differ[1])}})
	}
	head := make([]int32, p.heads)
	for v := range head {
		head[v] = int32(v)
	}
	var from mln.Expr = &mln.And{Xs: body}
	if len(body) == 1 {
		from = body[0]
	}
	f.Body = &mln.Implies{L: from, R: atom(p.Target, g.schema.Predicates[p.Target].Name, head)}
	return f
}

func (g *Grower) term(f *mln.Formula, a int32) mln.Term {
	if a < 0 {
		return g.constants[^a]
	}
	v := f.Vars[a]
	return mln.Term{Kind: mln.TermVariable, Name: v.Name, Var: int(a), Type: v.Type}
}

// variableName returns a name after a type that is not taken, and takes it.
func variableName(typ string, taken map[string]bool) string {
	letter := strings.ToLower(typ[:1])
	for n := 1; ; n++ {
		if name := letter + strconv.Itoa(n); !taken[name] && name != typ {
			taken[name] = true
			return name
		}
	}
}

// own is a predicate itself.
func (g *Grower) own(pred int) (int, string) { return pred, g.schema.Predicates[pred].Name }
