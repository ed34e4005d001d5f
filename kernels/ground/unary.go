package ground

import (
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// unaryTerms collects the terms of one atom: of a formula either a vector, for each replica of the atoms the same, or a
// list.
type unaryTerms struct {
	atoms    int // of a replica
	replicas int
	formula  uint32 // at work
	vectors  [][]int64
	lists    [][]unaryTerm // by formula, of each atom one at most, none 0
}

// unaryTerm is n times an atom.
type unaryTerm struct {
	atom uint32
	n    int64
}

func (u *unaryTerms) reset(formulas, atoms, replicas int) {
	u.atoms, u.replicas = atoms, replicas
	u.vectors = grow.Zeroed(u.vectors, formulas)
	u.lists = slices.Grow(u.lists[:0], formulas)[:formulas]
	for f := range u.lists {
		u.lists[f] = u.lists[f][:0]
	}
}

// vector returns the coefficients of the atoms in a formula that has no list.
func (u *unaryTerms) vector(formula uint32, memory *counts) []int64 {
	v := &u.vectors[formula]
	if *v == nil {
		*v = memory.take(u.atoms)
	}
	return *v
}

// append adds a term to the list of the formula at work.
func (u *unaryTerms) append(atom uint32, n int64) {
	u.lists[u.formula] = append(u.lists[u.formula], unaryTerm{atom, n})
}

// into sets the terms of one atom of a network, in its memory where that suffices.
func (u *unaryTerms) into(net *network.Network) {
	net.UnaryStart = grow.Zeroed(net.UnaryStart, u.atoms*u.replicas+1)
	at := net.UnaryStart[1:] // by atom: the number of its terms, where they begin, where they end
	for f, list := range u.lists {
		for _, t := range list {
			at[t.atom]++
		}
		for first := 0; first < len(at); first += u.atoms {
			countVector(at[first:], u.vectors[f])
		}
	}
	end := uint32(0)
	for a, n := range at {
		at[a] = end
		end += n
	}
	net.Unary = grow.To(net.Unary, int(end))
	for f, list := range u.lists {
		for _, t := range list {
			net.Unary[at[t.atom]] = network.Coef{Formula: uint32(f), Mult: t.n}
			at[t.atom]++
		}
		for first := 0; first < len(at); first += u.atoms {
			writeVector(net.Unary, at[first:], uint32(f), u.vectors[f])
		}
	}
}

// writeVector writes the coefficients of a formula that are not 0, by atom, where the atom's are to go on.
func writeVector(coefs []network.Coef, at []uint32, formula uint32, counts []int64) {
	for a, n := range counts {
		if n != 0 {
			coefs[at[a]] = network.Coef{Formula: formula, Mult: n}
			at[a]++
		}
	}
}

// countVector counts by atom the coefficients that are not 0.
func countVector(at []uint32, counts []int64) {
	for a, n := range counts {
		if n != 0 {
			at[a]++
		}
	}
}
