package localsearch

import (
	"math/rand/v2"

	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// block is a set of atoms that move together: a unit of atoms that binary clauses make equal or opposite, or a group of which hard
// clauses allow exactly or at most one true atom.
type block struct {
	start, end uint32 // range in Search.members; for a unit, start is its first atom
	values     int32  // number of values; the last value of a group that may have no true atom is none
	unit       bool
	joint      bool // factors or constraints connect its atoms: the gain of a move is found by making it
}

// divide divides a component into blocks, and sets fixed atoms to their values.
func (f *Search) divide(atoms []uint32) {
	h := &f.model.Implications
	f.blocks, f.members = f.blocks[:0], f.members[:0]
	for _, a := range atoms {
		f.of[a] = network.Unset
		if v, fixed := h.Fixed(a); fixed && f.s.X[a] != v {
			f.s.Flip(a)
		}
	}
	for _, closed := range [...]bool{true, false} {
		for _, a := range atoms {
			g := &f.model.Groups
			if _, fixed := h.Fixed(a); !fixed && g.Grouped(a) && f.of[a] == network.Unset && g.ExactlyOne(g.Of(a)) == closed {
				f.group(g.Atoms(g.Of(a)), closed)
			}
		}
	}
	for _, a := range atoms {
		if b := f.rival(a); b != network.Unset {
			f.group([]uint32{a, b}, false)
		}
	}
	for _, a := range atoms {
		if _, fixed := h.Fixed(a); !fixed && f.of[a] == network.Unset && h.Block[a].Atom() == a {
			for _, b := range h.Members(a) {
				f.of[b] = uint32(len(f.blocks))
			}
			f.blocks = append(f.blocks, block{start: a, values: 2, unit: true})
		}
	}
	f.constraints.collect(f, atoms)
	f.ties.list(f.model, atoms)
	f.value, f.walk.tabu, f.walk.step = grow.To(f.value, len(f.blocks)), grow.Zeroed(f.walk.tabu, len(f.blocks)), 0
	f.parities.list(f, atoms)
	for i := range f.blocks {
		f.blocks[i].joint = f.tied(uint32(i))
	}
}

// single reports whether an atom is free, alone in its unit and in no block yet.
func (f *Search) single(a uint32) bool {
	h := &f.model.Implications
	_, fixed := h.Fixed(a)
	return !fixed && f.of[a] == network.Unset && h.Block[a].Atom() == a && len(h.Members(a)) == 1
}

// rival returns another single atom, later than a, that a binary clause forbids to be true together with a; Unset for none.
func (f *Search) rival(a uint32) uint32 {
	for _, ref := range f.model.Hard.Of(a) {
		lits, _ := f.model.HardFactor(ref >> 1)
		if len(lits) == 2 && lits[0].Negated() && lits[1].Negated() && lits[0].Atom() == a && f.single(a) && f.single(lits[1].Atom()) {
			return lits[1].Atom()
		}
	}
	return network.Unset
}

// group makes a block of the free atoms of a group, if there are at least two. One atom of a closed group is true.
func (f *Search) group(atoms []uint32, closed bool) {
	b := block{start: uint32(len(f.members))}
	for _, a := range atoms {
		if _, fixed := f.model.Implications.Fixed(a); !fixed {
			f.members = append(f.members, a)
		}
	}
	if b.end = uint32(len(f.members)); b.end-b.start < 2 {
		f.members = f.members[:b.start]
		return
	}
	for i, a := range f.members[b.start:] {
		f.of[a], f.at[a] = uint32(len(f.blocks)), int32(i)
	}
	if b.values = int32(b.end - b.start); !closed {
		b.values++
	}
	f.blocks = append(f.blocks, b)
}

// tied reports whether anything connects two atoms of a block.
func (f *Search) tied(i uint32) bool {
	m := f.model
	if f.blocks[i].unit {
		return len(f.atoms(i)) > 1
	}
	bilinear := 0
	for _, a := range f.atoms(i) {
		tied := false
		f.neighbours(a, func(c uint32) { tied = tied || (c != a && f.of[c] == i) })
		if f.summed() && m.Bilinear.Degree(a) > 0 {
			bilinear++
		}
		if tied || bilinear > 1 {
			return true
		}
	}
	return false
}

// neighbours calls visit with the atoms of the factors and constraints on an atom, except for bilinear factors that are not listed.
func (f *Search) neighbours(a uint32, visit func(b uint32)) {
	m := f.model
	others, _, base := m.Couplings.Of(a)
	for _, b := range others {
		visit(base + b)
	}
	if f.ties.listed {
		others, _ := f.ties.of(a)
		for _, b := range others {
			visit(b)
		}
	}
	f.factors = m.AppendFactors(f.factors[:0], a, f.constraints.on(a))
	for _, i := range f.factors {
		f.scope = m.AppendAtoms(f.scope[:0], i)
		for _, b := range f.scope {
			visit(b)
		}
	}
}

// start sets a block to a random value, without updating fields.
func (f *Search) start(i uint32, r *rand.Rand) {
	v := r.Int32N(f.blocks[i].values)
	f.value[i] = v
	for k, a := range f.atoms(i) {
		want := int32(k) == v
		if f.blocks[i].unit {
			want = f.model.Implications.Block[a].Negated() != (v == 1)
		}
		if f.s.X[a] != want {
			f.s.Flip(a)
		}
	}
}
