package loglinear

import (
	"slices"

	"resolwe/kernels/network"
)

// Adjacent lists, atom by atom, the atoms that factors of two atoms connect with it, each once, with the energy of both being true.
type Adjacent struct {
	Sorted bool     // the lists are to be ascending, else in the order in which their atoms were met
	Start  []uint32 // Atoms[Start[i]:Start[i+1]] are those of the i-th atom that was listed
	Atoms  []uint32
	Energy []float64 // parallel to Atoms

	energy []float64 // by atom: with the current one; 0 between lists, as met is false
	met    []bool    // by atom: is in the current list
}

// Reset empties the lists, for a network of some atoms.
func (l *Adjacent) Reset(atoms int) {
	l.Start, l.Atoms, l.Energy = append(l.Start[:0], 0), l.Atoms[:0], l.Energy[:0]
	if len(l.met) < atoms {
		l.energy, l.met = make([]float64, atoms), make([]bool, atoms)
	}
}

// MeetPairs adds the pairs of an atom.
func (l *Adjacent) MeetPairs(m *Model, a uint32) {
	neighbours, classes, base := m.Couplings.Of(a)
	for k, b := range neighbours {
		l.meet(base+b, m.Couplings.Energy[classes[k]])
	}
}

// MeetBilinear adds the bilinear factors of an atom.
func (l *Adjacent) MeetBilinear(m *Model, a uint32) {
	m.Bilinear.EachRow(m.Net, a, func(s *network.Incidence, from, end, factor uint32, mult int64) { // EachPartner, without a call for each
		energy := m.Bilinear.Energy[factor]
		for i := from; i < end; i++ {
			if b := s.Atoms[i]; b != a {
				l.meet(b, float64(energy*float64(mult*s.At(i))))
			}
		}
	})
}

func (l *Adjacent) meet(b uint32, energy float64) {
	if l.energy[b] += energy; !l.met[b] {
		l.met[b] = true
		l.Atoms = append(l.Atoms, b)
	}
}

// End ends the current list and returns it.
func (l *Adjacent) End() []uint32 {
	list := l.Atoms[l.Start[len(l.Start)-1]:]
	if l.Sorted {
		slices.Sort(list)
	}
	for _, b := range list {
		l.Energy = append(l.Energy, l.energy[b])
		l.energy[b], l.met[b] = 0, false
	}
	l.Start = append(l.Start, uint32(len(l.Atoms)))
	return list
}

// Of returns the i-th list, and the energies.
func (l *Adjacent) Of(i uint32) (atoms []uint32, energy []float64) {
	from, end := l.Start[i], l.Start[i+1]
	return l.Atoms[from:end], l.Energy[from:end]
}
