package report

import (
	"slices"
	"strings"

	"resolwe/format/mln"
)

// general says a formula that is no condition for one head.
func (n *narrator) general(f *mln.Formula) {
	switch {
	case f.Hard:
		n.put("Always, ")
	case f.Weight >= 0:
		n.put("A state is the more likely, the more often ")
	default:
		n.put("A state is the less likely, the more often ")
	}
	n.logic(f.Body, false)
	n.put(".")
}

// logic says an expression, where it is asked for between "both" or "either" and its end.
func (n *narrator) logic(x mln.Expr, within bool) {
	if l, ok := mln.LiteralOf(x); ok {
		n.literal(l)
		return
	}
	open := func(word string) {
		if within {
			n.put("%s ", word)
		}
	}
	switch x := x.(type) {
	case *mln.And:
		if literals, ok := conjuncts(x); ok && !within {
			n.conjunction(literals)
			return
		}
		open("both")
		n.joined(x.Xs, " and ")
	case *mln.Or:
		n.put("either ")
		n.joined(x.Xs, " or ")
	case *mln.Not:
		n.put("it is not so that ")
		n.logic(x.X, true)
	case *mln.Implies:
		n.put("if ")
		n.logic(x.L, true)
		n.put(", then ")
		n.logic(x.R, true)
	case *mln.Iff:
		n.logic(x.L, true)
		n.put(" exactly where ")
		n.logic(x.R, true)
	case *mln.Exists:
		n.put("there is ")
		n.one(x.Vars)
		n.put(" for which ")
		n.logic(x.X, true)
	case *mln.ForAll:
		n.put("for every ")
		n.these(x.Vars)
		n.put(", ")
		n.logic(x.X, true)
	}
}

func (n *narrator) joined(xs []mln.Expr, word string) {
	for i, x := range xs {
		if i > 0 {
			n.put("%s", word)
		}
		n.logic(x, true)
	}
}

// one, these and many name new variables: a user u; user u; users u, or pairs of user u and tag t.
func (n *narrator) one(vars []int) {
	if first := strings.ToLower(n.schema.Types[n.vars[vars[0]].Type]); strings.ContainsRune("aeio", rune(first[0])) {
		n.put("an ")
	} else {
		n.put("a ")
	}
	n.these(vars)
}

func (n *narrator) these(vars []int) {
	for i, v := range vars {
		n.put("%s", between(i, len(vars)))
		n.said[v] = false
		n.variable(v)
	}
}

func (n *narrator) many(vars []int) {
	switch len(vars) {
	case 1:
		n.said[vars[0]] = true
		n.put("%s ", plural(n.schema.Types[n.vars[vars[0]].Type]))
		n.name(n.vars[vars[0]].Name)
		return
	case 2:
		n.put("pairs of ")
	default:
		n.put("combinations of ")
	}
	n.these(vars)
}

// plural returns that of a noun in English, as most have it.
func plural(noun string) string {
	lower := strings.ToLower(noun)
	ends := func(suffixes ...string) bool {
		return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(lower, s) })
	}
	switch {
	case ends("s", "x", "z", "ch", "sh"):
		return noun + "es"
	case ends("y") && !ends("ay", "ey", "oy", "uy"):
		return noun[:len(noun)-1] + "ies"
	}
	return noun + "s"
}
