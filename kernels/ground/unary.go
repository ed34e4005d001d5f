package ground

import "slices"

// unaryTerms collects the terms of one atom: of a formula either a vector or a list.
type unaryTerms struct {
	atoms   int
	formula uint32 // at work
	vectors [][]int64
	lists   [][]unaryTerm // ascending
}

type unaryTerm struct {
	atom uint32
	n    int64
}

func (u *unaryTerms) reset(formulas, atoms int) {
	u.atoms = atoms
	u.vectors = resized(u.vectors, formulas)
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

// append adds a term to the list of the formula at work, whose atoms come in ascending order, each once.
func (u *unaryTerms) append(atom uint32, n int64) {
	list := &u.lists[u.formula]
	*list = append(*list, unaryTerm{atom, n})
}

// into sets the terms of one atom of a network, in its memory where that suffices.
func (u *unaryTerms) into(net *Network) {
	start := resized(net.UnaryStart, u.atoms+2)
	for _, v := range u.vectors {
		for a, n := range v {
			if n != 0 {
				start[a+2]++
			}
		}
	}
	for _, list := range u.lists {
		for i := range list {
			start[list[i].atom+2]++
		}
	}
	for a := range u.atoms {
		start[a+2] += start[a+1]
	}
	total := int(start[u.atoms+1])
	coefs := slices.Grow(net.Unary[:0], total)[:total]
	for f := range u.vectors { // start[a+1] moves from the beginning of a's coefficients to their end
		for a, n := range u.vectors[f] {
			if n != 0 {
				coefs[start[a+1]] = Coef{uint32(f), n}
				start[a+1]++
			}
		}
		for _, t := range u.lists[f] {
			coefs[start[t.atom+1]] = Coef{uint32(f), t.n}
			start[t.atom+1]++
		}
	}
	net.UnaryStart, net.Unary = start[:u.atoms+1], coefs
}
