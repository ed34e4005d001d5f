package ground

import "resolwe/kernels/network"

// unaryTerms collects the terms of one atom: of a formula either a vector, for each replica of the atoms the same, or a
// list.
type unaryTerms struct {
	vectors [][]int64     // by formula, and atom of a replica
	lists   [][]unaryTerm // by formula, of each atom one at most, none 0
}

// unaryTerm is n times an atom.
type unaryTerm struct {
	atom uint32
	n    int64
}

// vector returns the coefficients of the atoms in a formula that has no list.
func (u *unaryTerms) vector(formula uint32, atoms int) []int64 {
	if u.vectors[formula] == nil {
		u.vectors[formula] = make([]int64, atoms)
	}
	return u.vectors[formula]
}

// append adds a term to the list of a formula.
func (u *unaryTerms) append(formula, atom uint32, n int64) {
	u.lists[formula] = append(u.lists[formula], unaryTerm{atom, n})
}

// into sets the terms of one atom of a network.
func (u *unaryTerms) into(net *network.Network, atoms, replicas int) {
	each := func(visit func(atom uint32, formula int, n int64)) {
		for f, list := range u.lists {
			for _, t := range list {
				visit(t.atom, f, t.n)
			}
			for r := range replicas {
				for a, n := range u.vectors[f] {
					if n != 0 {
						visit(uint32(r*atoms+a), f, n)
					}
				}
			}
		}
	}
	net.UnaryStart = make([]uint32, net.NumAtoms+1)
	at := net.UnaryStart[1:] // by atom: the number of its terms, where they begin, where they end
	each(func(atom uint32, _ int, _ int64) { at[atom]++ })
	end := uint32(0)
	for a, n := range at {
		at[a] = end
		end += n
	}
	net.Unary = make([]network.Coef, end)
	each(func(atom uint32, formula int, n int64) {
		net.Unary[at[atom]] = network.Coef{Formula: uint32(formula), Mult: n}
		at[atom]++
	})
}
