package ground

import (
	"cmp"
	"slices"

	"resolwe/kernels/network"
)

// maxTerms bounds the sums of conjunctions and the sets of clauses into which a ground formula is rewritten; one that needs more is kept as
// a tree.
const maxTerms = 32

// term is a conjunction of literals of distinct atoms, ascending, times a coefficient. Without literals it is a constant.
type term struct {
	n    int64
	lits []network.Lit
}

// poly is a sum of terms. As a function of a state it equals the Boolean formula from which it was made.
type poly []term

// polynomial rewrites a tree as a sum of terms. It returns false if there are too many. A parity becomes the sum of the states that have
// it, without terms of fewer atoms.
func polynomial(n *network.Node) (poly, bool) {
	p, _, ok := polynomials(n)
	return p, ok
}

// polynomials is polynomial for a tree and for its complement.
func polynomials(n *network.Node) (yes, no poly, ok bool) {
	switch n.Op {
	case network.OpLit:
		return poly{{1, []network.Lit{n.Lit}}}, poly{{1, []network.Lit{n.Lit ^ 1}}}, true
	case network.OpNot:
		no, yes, ok = polynomials(n.Kids[0])
		return yes, no, ok
	case network.OpAnd, network.OpOr:
		out := poly{{n: 1}}
		for _, k := range n.Kids {
			p, q, ok := polynomials(k)
			if n.Op == network.OpOr {
				p = q
			}
			if !ok || len(out)*len(p) > 4*maxTerms {
				return nil, nil, false
			}
			if out = out.times(p); len(out) > maxTerms {
				return nil, nil, false
			}
		}
		if n.Op == network.OpOr {
			return out.complement(), out, true
		}
		return out, out.complement(), true
	case network.OpIff:
		p, notP, ok := polynomials(n.Kids[0])
		q, notQ, ok2 := polynomials(n.Kids[1])
		if !ok || !ok2 || max(len(p), len(notP))*max(len(q), len(notQ)) > 4*maxTerms {
			return nil, nil, false
		}
		yes = append(p.times(q), notP.times(notQ)...).merged()
		no = append(p.times(notQ), notP.times(q)...).merged()
		return yes, no, max(len(yes), len(no)) <= maxTerms
	}
	panic("kernels/ground: node without operator")
}

// complement returns 1 - p; for a single literal, the opposite one.
func (p poly) complement() poly {
	if len(p) == 1 && p[0].n == 1 && len(p[0].lits) == 1 {
		return poly{{1, []network.Lit{p[0].lits[0] ^ 1}}}
	}
	out := poly{{n: 1}}
	for _, c := range p {
		out = append(out, term{-c.n, c.lits})
	}
	return out.merged()
}

func (p poly) times(q poly) poly {
	var out poly
	for _, a := range p {
		for _, b := range q {
			if lits, ok := normal(append(slices.Clone(a.lits), b.lits...)); ok {
				out = append(out, term{a.n * b.n, lits})
			}
		}
	}
	return out.merged()
}

// normal sorts the literals of a conjunction (or clause) and removes repetitions. It returns false if an atom occurs with both signs.
func normal(lits []network.Lit) ([]network.Lit, bool) {
	slices.Sort(lits)
	lits = slices.Compact(lits)
	for i := 1; i < len(lits); i++ {
		if lits[i]^1 == lits[i-1] {
			return nil, false
		}
	}
	return lits, true
}

// merged adds equal terms.
func (p poly) merged() poly {
	slices.SortFunc(p, func(a, b term) int {
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
	return slices.DeleteFunc(out, func(c term) bool { return c.n == 0 })
}

// clausal rewrites a tree or, with negate, its complement as a conjunction of clauses. It returns false if there are too many.
func clausal(n *network.Node, negate bool) ([][]network.Lit, bool) {
	switch n.Op {
	case network.OpLit:
		l := n.Lit
		if negate {
			l ^= 1
		}
		return [][]network.Lit{{l}}, true
	case network.OpNot:
		return clausal(n.Kids[0], !negate)
	case network.OpAnd, network.OpOr:
	case network.OpIff:
		p, q := n.Kids[0], n.Kids[1]
		notP, notQ := &network.Node{Op: network.OpNot, Kids: []*network.Node{p}}, &network.Node{Op: network.OpNot, Kids: []*network.Node{q}}
		if negate {
			p, notP = notP, p
		}
		return clausal(&network.Node{Op: network.OpAnd, Kids: []*network.Node{
			{Op: network.OpOr, Kids: []*network.Node{notP, q}}, {Op: network.OpOr, Kids: []*network.Node{p, notQ}},
		}}, false)
	}
	conjunction := (n.Op == network.OpAnd) != negate
	out := [][]network.Lit{{}}
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
		if len(out) > maxTerms {
			return nil, false
		}
	}
	return out, true
}

// distribute returns the clauses of the disjunction of two sets of clauses.
func distribute(a, b [][]network.Lit) [][]network.Lit {
	var out [][]network.Lit
	for _, x := range a {
		for _, y := range b {
			if lits, ok := normal(append(slices.Clone(x), y...)); ok {
				out = append(out, lits)
			}
			if len(out) > maxTerms {
				return out
			}
		}
	}
	return out
}
