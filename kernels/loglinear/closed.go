package loglinear

import (
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// ClosedForms are the atoms in the scope whose marginals have a closed form: those that are fixed, and units and groups that no factor with
// an energy, and no constraint, connects with others that are not fixed. The zero value is ready for [ClosedForms.Find].
type ClosedForms struct {
	Closed []bool // by atom
	N      int

	tied []bool // by variable: is connected with another
}

// Find finds the atoms of a model with its current weights.
func (f *ClosedForms) Find(m *Model) {
	f.Closed, f.N, f.tied = grow.Zeroed(f.Closed, m.Net.NumAtoms), 0, grow.Zeroed(f.tied, m.Net.NumAtoms)
	s := &m.Scope
	for _, i := range s.Pairs {
		if p := m.Net.Pairs[i]; m.Couplings.Energy[m.Couplings.Class[i]] != 0 {
			f.tie(m, []uint32{p.A, p.B})
		}
	}
	var atoms []uint32
	for _, i := range s.Soft {
		if m.SoftEnergy[i] != 0 && !m.dead(i) {
			atoms = m.AppendAtoms(atoms[:0], m.Constraints()+i)
			f.tie(m, atoms)
		}
	}
	for _, i := range s.Hard {
		if !m.granted(i) {
			atoms = m.AppendAtoms(atoms[:0], i)
			f.tie(m, atoms)
		}
	}
	for i, p := range m.Net.Bilinears {
		l, r := &m.Net.Incidences[p.Left], &m.Net.Incidences[p.Right]
		for h := 0; m.Bilinear.Energy[i] != 0 && h+1 < len(l.Start); h++ {
			left, right := l.Atoms[l.Start[h]:l.Start[h+1]], r.Atoms[r.Start[h]:r.Start[h+1]]
			if len(left) > 0 && len(right) > 0 {
				atoms = append(append(atoms[:0], left...), right...)
				f.tie(m, atoms)
			}
		}
	}
	for _, a := range s.Atoms {
		variable, free := m.variable(a)
		if f.Closed[a] = !free || !f.tied[variable]; f.Closed[a] {
			f.N++
		}
	}
}

// tie notes that a factor over some atoms connects their variables, if there are several.
func (f *ClosedForms) tie(m *Model, atoms []uint32) {
	first := uint32(network.Unset)
	for _, a := range atoms {
		switch v, free := m.variable(a); {
		case !free || v == first:
		case first == network.Unset:
			first = v
		default:
			f.tied[first], f.tied[v] = true, true
		}
	}
}

// variable returns the first atom of an atom's group or unit; free is false if the atom is fixed.
func (m *Model) variable(a uint32) (first uint32, free bool) {
	first, free = m.Implications.Free(a)
	if free && m.Groups.Grouped(a) {
		first = m.Groups.Atoms(m.Groups.Of(a))[0]
	}
	return first, free
}

// granted reports whether fixed atoms satisfy a clause.
func (m *Model) granted(constraint uint32) bool {
	lits, _ := m.HardFactor(constraint)
	_, _, n := m.Implications.open(lits)
	return n < 0
}

// dead reports whether fixed atoms make a soft conjunction false.
func (m *Model) dead(i uint32) bool {
	lits, _ := m.SoftFactor(i)
	return slices.ContainsFunc(lits, func(l network.Lit) bool {
		value, fixed := m.Implications.Fixed(l.Atom())
		return fixed && value == l.Negated()
	})
}
