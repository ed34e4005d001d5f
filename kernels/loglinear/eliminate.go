package loglinear

import (
	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// MostEquations limits the parities of a component that are solved.
const MostEquations = 1 << 12

// eliminate finds what the parities of each component imply, given what is known, and reports whether that is more. It sets Conflict if
// they have no solution.
func (h *Implications) eliminate(m *Model) (more bool) {
	var atoms []uint32
	h.parities.Build(m.Components.Len(), func(emit func(component, parity uint32)) {
		for i := range m.HardParities {
			if atoms = m.AppendAtoms(atoms[:0], m.HardParities[i].terms[0]); len(atoms) > 0 {
				emit(uint32(m.Components.Of(atoms[0])), uint32(i))
			}
		}
	})
	h.x = grow.To(h.x, m.Net.NumAtoms)
	for a := range h.x {
		value, fixed := h.Fixed(uint32(a))
		h.x[a] = value || !fixed && h.Block[a].Negated()
	}
	for c := range m.Components.Len() {
		list := h.parities.Of(uint32(c))
		if len(list) == 0 || len(list) > MostEquations {
			continue
		}
		against := -1
		h.flips.Solve(m.HardParities, list, h.x, h.Free, nil, func(i uint32) { against = int(i) })
		h.flips.Repair(func(unit uint32) { h.x[unit] = !h.x[unit] })
		if against >= 0 {
			for _, a := range m.Components.Atoms(c) {
				if _, fixed := h.Fixed(a); !fixed {
					h.x[a] = h.Block[a].True(h.x)
				}
			}
			h.Conflict = m.HardParities[against].violatedTerm(m, h.x)
			return false
		}
		more = h.conclude() || more
	}
	return more
}

// conclude notes the units that the parities fix or make equal to others, and reports whether there are any.
func (h *Implications) conclude() (more bool) {
	first := map[uint64]uint32{} // unit, by the sum of hashes of the units that it flips with: sums are equal by chance once in 2^64
	for _, unit := range h.flips.Columns {
		sum := uint64(0)
		h.flips.Leaders(unit, func(leader uint32) { sum ^= elementary.Mix(uint64(leader) + 1) })
		other, known := first[sum]
		switch {
		case sum == 0:
			h.fix(network.NewLit(unit, !h.x[unit]))
		case known:
			h.same = append(h.same, [2]network.Lit{network.NewLit(unit, !h.x[unit]), network.NewLit(other, !h.x[other])})
		default:
			first[sum] = unit
			continue
		}
		more = true
	}
	return more
}

// violatedTerm returns the hard constraint of a violated parity that state x violates.
func (p *Parity) violatedTerm(m *Model, x []bool) int {
	for _, i := range p.terms {
		if lits, feature := m.HardFactor(i); feature != nil || TrueLits(lits, x) == 0 {
			return int(i)
		}
	}
	panic("kernels/loglinear: a parity of clauses that all hold is violated")
}
