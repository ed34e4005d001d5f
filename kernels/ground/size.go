package ground

// Bytes returns about how much memory a network takes.
func (n *Network) Bytes() int {
	b := 8*len(n.Constant) + 4*len(n.UnaryStart) + 16*len(n.Unary) + 8*len(n.Pairs) + 4*len(n.PairStart) + 16*len(n.PairCoefs)
	for _, s := range n.Sides {
		b += 72 + 4*(len(s.Start)+len(s.Atoms)+len(s.Mult))
	}
	for _, p := range n.Products {
		b += 32 + 16*len(p.Coefs)
	}
	for i := range n.Cubes {
		b += 48 + 4*len(n.Cubes[i].Lits) + 16*len(n.Cubes[i].Coefs)
	}
	for _, c := range n.Clauses {
		b += 24 + 4*len(c)
	}
	for _, fs := range [][]Feature{n.Features, n.HardFeatures} {
		for i := range fs {
			b += 64 + 80*len(fs[i].Atoms)
		}
	}
	return b
}

// Bytes returns about how much memory the atoms take, without their subgraph.
func (a *Atoms) Bytes() int { return 10 * len(a.truth) }
