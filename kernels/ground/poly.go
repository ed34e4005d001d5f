package ground

import (
	"cmp"
	"slices"
)

// maxCubes bounds the sums of conjunctions and the sets of clauses that a ground formula is rewritten into; one that
// needs more is kept as a tree.
const maxCubes = 32

// cube is a conjunction of literals of distinct atoms, ascending, times a coefficient. Without literals it is a constant.
type cube struct {
	n    int64
	lits []Lit
}

// poly is a sum of cubes. As a function of a state it equals the Boolean formula that it was made of.
type poly []cube

// polynomial rewrites a tree as a sum of cubes. It returns false where that takes too many.
func polynomial(n *Node) (poly, bool) {
	switch n.Op {
	case OpLit:
		return poly{{1, []Lit{n.Lit}}}, true
	case OpNot:
		p, ok := polynomial(n.Kids[0])
		return p.complement(), ok
	case OpAnd, OpOr:
		out := poly{{n: 1}}
		for _, k := range n.Kids {
			p, ok := polynomial(k)
			if n.Op == OpOr {
				p = p.complement()
			}
			if !ok || len(out)*len(p) > 4*maxCubes {
				return nil, false
			}
			if out = out.times(p); len(out) > maxCubes {
				return nil, false
			}
		}
		if n.Op == OpOr {
			out = out.complement()
		}
		return out, true
	case OpIff:
		p, ok := polynomial(n.Kids[0])
		q, ok2 := polynomial(n.Kids[1])
		if !ok || !ok2 || len(p)*len(q) > 4*maxCubes {
			return nil, false
		}
		out := append(p.times(q), p.complement().times(q.complement())...).merged()
		return out, len(out) <= maxCubes
	}
	panic("kernels/ground: node without operator")
}

// complement returns 1 - p; of a single literal the opposite one.
func (p poly) complement() poly {
	if len(p) == 1 && p[0].n == 1 && len(p[0].lits) == 1 {
		return poly{{1, []Lit{p[0].lits[0] ^ 1}}}
	}
	out := poly{{n: 1}}
	for _, c := range p {
		out = append(out, cube{-c.n, c.lits})
	}
	return out.merged()
}

func (p poly) times(q poly) poly {
	var out poly
	for _, a := range p {
		for _, b := range q {
			if lits, ok := normal(append(slices.Clone(a.lits), b.lits...)); ok {
				out = append(out, cube{a.n * b.n, lits})
			}
		}
	}
	return out.merged()
}

// normal sorts the literals of a conjunction (or of a clause) and drops repeated ones. It returns false where an atom
// stands with both signs.
func normal(lits []Lit) ([]Lit, bool) {
	slices.Sort(lits)
	lits = slices.Compact(lits)
	for i := 1; i < len(lits); i++ {
		if lits[i]^1 == lits[i-1] {
			return nil, false
		}
	}
	return lits, true
}

// merged adds up equal cubes.
func (p poly) merged() poly {
	slices.SortFunc(p, func(a, b cube) int {
		return cmp.Or(cmp.Compare(len(a.lits), len(b.lits)), slices.Compare(a.lits, b.lits))
	})
	out := p[:0]
	for _, c := range p {
		if k := len(out) - 1; k >= 0 && slices.Equal(out[k].lits, c.lits) {
			out[k].n += c.n
			continue
		}
		out = append(out, c)
	}
	return slices.DeleteFunc(out, func(c cube) bool { return c.n == 0 })
}

// clausal rewrites a tree as a conjunction of clauses, negate its complement. It returns false where that takes too many.
func clausal(n *Node, negate bool) ([][]Lit, bool) {
	switch n.Op {
	case OpLit:
		l := n.Lit
		if negate {
			l ^= 1
		}
		return [][]Lit{{l}}, true
	case OpNot:
		return clausal(n.Kids[0], !negate)
	case OpAnd, OpOr:
	case OpIff:
		p, q := n.Kids[0], n.Kids[1]
		notP, notQ := &Node{Op: OpNot, Kids: []*Node{p}}, &Node{Op: OpNot, Kids: []*Node{q}}
		if negate {
			p, notP = notP, p
		}
		return clausal(&Node{Op: OpAnd, Kids: []*Node{
			{Op: OpOr, Kids: []*Node{notP, q}}, {Op: OpOr, Kids: []*Node{p, notQ}},
		}}, false)
	}
	conjunction := (n.Op == OpAnd) != negate
	out := [][]Lit{{}}
	if conjunction {
		out = nil
	}
	for _, k := range n.Kids {
		cs, ok := clausal(k, negate)
		if !ok {
			return nil, false
		}
		if conjunction {
			out = append(out, cs...)
		} else {
			out = distribute(out, cs)
		}
		if len(out) > maxCubes {
			return nil, false
		}
	}
	return out, true
}

// distribute returns the clauses of the disjunction of two sets of clauses.
func distribute(a, b [][]Lit) [][]Lit {
	var out [][]Lit
	for _, x := range a {
		for _, y := range b {
			if lits, ok := normal(append(slices.Clone(x), y...)); ok {
				out = append(out, lits)
			}
			if len(out) > maxCubes {
				return out
			}
		}
	}
	return out
}
