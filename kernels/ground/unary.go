package ground

import "slices"

// unaryTerms collects the terms of one atom: of a formula either a vector, for each copy of the atoms the same, or a list.
type unaryTerms struct {
	atoms   int // of a copy
	copies  int
	formula uint32 // at work
	vectors [][]int64
	lists   [][]unaryTerm // ascending
}

type unaryTerm struct {
	atom uint32
	n    int64
}

func (u *unaryTerms) reset(formulas, atoms, copies int) {
	u.atoms, u.copies = atoms, copies
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

// list returns the list of the formula at work, whose atoms are to come in ascending order, each once.
func (u *unaryTerms) list() *[]unaryTerm { return &u.lists[u.formula] }

// into sets the terms of one atom of a network, in its memory where that suffices.
func (u *unaryTerms) into(net *Network) {
	atoms := u.atoms * u.copies
	start := resized(net.UnaryStart, atoms+2)
	for _, v := range u.vectors {
		for a, n := range v {
			if n != 0 {
				start[a+2]++
			}
		}
	}
	for c := u.atoms + 2; c < len(start); c += u.atoms { // the copies have as many
		copy(start[c:c+u.atoms], start[2:])
	}
	for _, list := range u.lists {
		for i := range list {
			start[list[i].atom+2]++
		}
	}
	for a := range atoms {
		start[a+2] += start[a+1]
	}
	total := int(start[atoms+1])
	coefs := slices.Grow(net.Unary[:0], total)[:total]
	for f := range u.vectors { // start[a+1] moves from the beginning of a's coefficients to their end
		for c := 0; c < len(u.vectors[f])*u.copies; c += u.atoms {
			writeVector(coefs, start[c+1:], uint32(f), u.vectors[f])
		}
		for _, t := range u.lists[f] {
			coefs[start[t.atom+1]] = Coef{uint32(f), t.n}
			start[t.atom+1]++
		}
	}
	net.UnaryStart, net.Unary = start[:atoms+1], coefs
}

// writeVector writes the coefficients of a formula that are not 0, by atom, where the atom's are to go on.
func writeVector(coefs []Coef, at []uint32, formula uint32, counts []int64) {
	for a, n := range counts {
		if n != 0 {
			coefs[at[a]] = Coef{formula, n}
			at[a]++
		}
	}
}
