package render

import (
	"resolwe/format/mln"
)

// logic puts an expression into words; if within, the extent of a conjunction is made clear by "both".
func (n *narrator) logic(x mln.Expr, within bool) {
	if l, ok := mln.LiteralOf(x); ok {
		n.literal(l)
		return
	}
	switch x := x.(type) {
	case *mln.And:
		if literals, ok := mln.LiteralsOf(x); ok && !within {
			n.conjunction(literals)
			return
		}
		n.joined(Either(within, "both ", ""), x.Xs, " and ")
	case *mln.Or:
		n.joined("either ", x.Xs, " or ")
	case *mln.Not:
		n.say("it is not so that ", x.X)
	case *mln.Implies:
		n.say("if ", x.L, ", then ", x.R)
	case *mln.Iff:
		n.say(x.L, " exactly where ", x.R)
	case *mln.Exists:
		n.say("there is ", one(x.Vars), " for which ", x.X)
	case *mln.ForAll:
		n.say("for every ", these(x.Vars), ", ", x.X)
	}
}

func (n *narrator) joined(before string, xs []mln.Expr, between string) {
	for _, x := range xs {
		n.say(before, x)
		before = between
	}
}

func (n *narrator) many(vars []int) {
	switch len(vars) {
	case 1:
		n.said[vars[0]] = true
		v := n.vars[vars[0]]
		n.say(plural(n.schema.Types[v.Type])+" ", Name(v.Name))
	case 2:
		n.say("pairs of ", these(vars))
	default:
		n.say("combinations of ", these(vars))
	}
}
