package mln

import (
	"maps"
	"slices"
)

// maxCNF is the largest total number of literals in the clauses of one formula.
const maxCNF = 10_000

// splitCNF returns the clauses of a formula's conjunctive normal form; false if they are too long. As in Alchemy, a FORALL not inside an
// EXIST becomes free variables of its clauses; an EXIST counts as one literal of its clause.
func splitCNF(n *Node) ([]*Node, bool) {
	norm := normalizer{taken: names{}, left: maxCNF}
	for t := range n.free(nil) {
		norm.taken[t.Name] = true
	}
	n = norm.node(n, false, substitution{})
	if norm.left < 0 {
		return nil, false
	}
	clauses, ok := clausesOf(n)
	if !ok {
		return nil, false
	}
	out := make([]*Node, len(clauses))
	for i, literals := range clauses {
		out[i] = join(OpOr, literals)
	}
	return out, true
}

// normalizer moves negations to the atoms and eliminates => and <=>. Each quantified variable gets its own name.
type normalizer struct {
	taken names // free variables and quantified ones so far
	left  int   // literals that may still be written; <=> doubles its operands
}

// node returns the negation normal form; renamed holds the new names of quantified variables in scope.
func (z *normalizer) node(n *Node, negate bool, renamed substitution) *Node {
	if z.left < 0 {
		return n
	}
	op := n.Op
	switch op {
	case OpNot:
		return z.node(n.Xs[0], !negate, renamed)
	case OpAtom, OpEqual, OpCompare, OpCount:
		z.left--
		m := *n
		if op == OpCount {
			renamed = renamed.extend(n.Args, z.taken).extend(n.Inner, z.taken)
			m = *n.mapped(renamed.put)
			m.Inner = renamed.terms(n.Inner)
		}
		m.Args = renamed.terms(n.Args)
		if negate {
			return negated(&m)
		}
		return &m
	case OpImplies:
		return z.node(disjoin(negated(n.Xs[0]), n.Xs[1]), negate, renamed)
	case OpIff:
		both := []*Node{disjoin(negated(n.Xs[0]), n.Xs[1]), disjoin(n.Xs[0], negated(n.Xs[1]))}
		return z.node(&Node{Op: OpAnd, Xs: both, Pos: n.Pos}, negate, renamed)
	case OpExists, OpForAll:
		renamed = renamed.extend(n.Args, z.taken)
	case OpAnd, OpOr:
	}
	if negate {
		op = dual[op]
	}
	m := &Node{Op: op, Args: renamed.terms(n.Args), Xs: n.Xs, Pos: n.Pos}
	return m.mapped(func(x *Node) *Node { return z.node(x, negate, renamed) })
}

var dual = map[Op]Op{OpAnd: OpOr, OpOr: OpAnd, OpExists: OpForAll, OpForAll: OpExists}

func disjoin(a, b *Node) *Node { return &Node{Op: OpOr, Xs: []*Node{a, b}, Pos: a.Pos} }

// extend returns the substitution with fresh names for quantified variables.
func (b substitution) extend(vars []Term, taken names) substitution {
	out := substitution{}
	maps.Copy(out, b)
	for _, v := range vars {
		old := v.Name
		v.Name = taken.fresh(old)
		out[old] = v
	}
	return out
}

// clausesOf distributes v over ^ in a negation normal form.
func clausesOf(n *Node) ([][]*Node, bool) {
	switch n.Op {
	case OpForAll:
		return clausesOf(n.Xs[0])
	case OpAnd:
		var all [][]*Node
		for _, x := range n.Xs {
			clauses, ok := clausesOf(x)
			if all = append(all, clauses...); !ok || literalsIn(all) > maxCNF {
				return nil, false
			}
		}
		return all, true
	case OpOr:
		product := [][]*Node{nil}
		for _, x := range n.Xs {
			clauses, ok := clausesOf(x)
			if !ok || len(clauses)*len(product) > maxCNF {
				return nil, false
			}
			if product = distribute(product, clauses); literalsIn(product) > maxCNF {
				return nil, false
			}
		}
		return product, true
	case OpAtom, OpEqual, OpCompare, OpCount, OpNot, OpImplies, OpIff, OpExists:
	}
	return [][]*Node{{n}}, true
}

func literalsIn(clauses [][]*Node) int {
	n := 0
	for _, c := range clauses {
		n += len(c)
	}
	return n
}

// distribute joins each clause of a with each of b; a literal appears once in a clause.
func distribute(a, b [][]*Node) [][]*Node {
	out := make([][]*Node, 0, len(a)*len(b))
	for _, left := range a {
		for _, right := range b {
			clause := slices.Clone(left)
			for _, literal := range right {
				text := formatNode(literal)
				if !slices.ContainsFunc(clause, func(n *Node) bool { return formatNode(n) == text }) {
					clause = append(clause, literal)
				}
			}
			out = append(out, clause)
		}
	}
	return out
}
