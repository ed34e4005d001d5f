package mln

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// parts returns some of the alternatives for a template use: over its terms or, for extend, chained from its first term to its second
// through fresh variables.
func (t *template) parts(chosen []int, use, formula *Node) []*Node {
	taken := names{}
	for v := range formula.variables() {
		taken[v.Name] = true
	}
	parts := make([]*Node, len(chosen))
	args, from := use.Args, use.Args[0]
	for i, k := range chosen {
		if t.Kind == extend {
			to := use.Args[1]
			if i < len(chosen)-1 {
				to = Term{Kind: TermVariable, Name: taken.fresh("z")}
			}
			args, from = []Term{from, to}, to
		}
		terms := substitution{}
		for i, p := range t.Params {
			terms[p.Name] = args[i]
		}
		parts[i] = terms.instantiate(t.Alternatives[k], nil, taken)
	}
	return parts
}

// names is a set of variable names in use.
type names map[string]bool

// namesOf returns the names of variables.
func namesOf(vars []Variable) names {
	taken := names{}
	for _, v := range vars {
		taken[v.Name] = true
	}
	return taken
}

// fresh returns and registers an unused name: base itself, or its stem with the least free number from 2.
func (s names) fresh(base string) string {
	name, stem := base, strings.TrimRight(base, "0123456789")
	for i := 2; s[name]; i++ {
		name = stem + strconv.Itoa(i)
	}
	s[name] = true
	return name
}

// substitution maps the variables of an alternative to the terms of a use.
type substitution map[string]Term

// put replaces a formula's free variables by terms.
func (b substitution) put(n *Node) *Node {
	m := *n
	if n.binds() {
		b = maps.Clone(b)
		maps.DeleteFunc(b, func(name string, _ Term) bool { return hasName(n.Args, name) || hasName(n.Inner, name) })
	} else {
		m.Args = b.terms(n.Args)
	}
	return m.mapped(b.put)
}

// terms replaces variables among terms, keeping their positions.
func (b substitution) terms(ts []Term) []Term {
	out := slices.Clone(ts)
	for i, t := range ts {
		if with, ok := b[t.Name]; ok && t.Kind == TermVariable {
			out[i] = with
			out[i].Pos = t.Pos
		}
	}
	return out
}

// instantiate copies an alternative, replacing its parameters by terms and renaming its other variables: free ones the same wherever they
// stand, which b keeps, those that surrounding quantifiers bind as in local.
func (b substitution) instantiate(n *Node, local substitution, taken names) *Node {
	if n.binds() {
		local = local.extend(n.Args, taken)
	}
	m := *n
	m.Args = slices.Clone(n.Args)
	for i, t := range n.Args {
		if t.Kind != TermVariable {
			continue
		}
		with, ok := local[t.Name]
		if !ok {
			if with, ok = b[t.Name]; !ok {
				with = Term{Kind: TermVariable, Name: taken.fresh(t.Name)}
				b[t.Name] = with
			}
		}
		with.Pos = t.Pos
		with.Plus = with.Kind == TermVariable && (with.Plus || t.Plus)
		m.Args[i] = with
	}
	return m.mapped(func(x *Node) *Node { return b.instantiate(x, local, taken) })
}

// sequences calls yield with sequences of 1 to limit numbers below n, shorter ones first, then in order, until it returns false; with
// ascend, only ascending ones.
func sequences(n, limit int, ascend bool, yield func([]int) bool) bool {
	var list []int
	var extend func(size int) bool
	extend = func(size int) bool {
		left := size - len(list)
		if left == 0 {
			return yield(list)
		}
		first, end := 0, n
		if ascend {
			end -= left - 1
		}
		if ascend && len(list) > 0 {
			first = list[len(list)-1] + 1
		}
		for k := first; k < end; k++ {
			list = append(list, k)
			if !extend(size) {
				return false
			}
			list = list[:len(list)-1]
		}
		return true
	}
	for size := 1; size <= limit; size++ {
		if !extend(size) {
			return false
		}
	}
	return true
}
