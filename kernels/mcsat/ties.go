package mcsat

import (
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// ties are the sampled components that only pairs and bilinear factors tie, one after the other: a field for each atom, and an
// energy for each two atoms that are tied, whatever factors tie them.
type ties struct {
	components []uint32
	end        []int    // by component of these: where its atoms end
	atoms      []uint32 // by place
	bias       []float64
	start      []uint32 // list[start[i]:start[i+1]] are the places that place i is tied to
	list       []uint32
	energy     []float64 // parallel to list
	one        []uint32  // 0, 1, 2 and so on: the energies of one place, as classes of rows.AddEach

	place []uint32  // by atom
	row   []float64 // by place: energies of the place under way
	met   []bool    // by place: is in it
}

// mostPartners is how many times a component's atoms may meet in entities: beyond, sums over these cost less than pairs.
const mostPartners = 1 << 20

// bind takes in the components of a model that are left to sampling and suit.
func (t *ties) bind(m *loglinear.Model) {
	t.components, t.end, t.atoms, t.bias = t.components[:0], t.end[:0], t.atoms[:0], t.bias[:0]
	t.start, t.list, t.energy, t.one = append(t.start[:0], 0), t.list[:0], t.energy[:0], t.one[:0]
	t.place = grow.To(t.place, m.Net.NumAtoms)
	for c := range m.Components.Len() {
		atoms := m.Components.Atoms(c)
		if !m.Sampled(atoms[0]) || !suits(m, atoms) {
			continue
		}
		for _, a := range atoms {
			t.place[a] = uint32(len(t.atoms))
			t.atoms = append(t.atoms, a)
		}
		t.components, t.end = append(t.components, uint32(c)), append(t.end, len(t.atoms))
	}
	t.row, t.met = grow.Zeroed(t.row, len(t.atoms)), grow.Zeroed(t.met, len(t.atoms))
	for _, a := range t.atoms {
		t.bindAtom(m, a)
	}
}

// suits reports whether nothing but pairs ties the atoms of a component, and not too many.
func suits(m *loglinear.Model, atoms []uint32) bool {
	partners := 0
	for _, a := range atoms {
		if len(m.Soft.Of(a))+len(m.Hard.Of(a)) > 0 {
			return false
		}
		if partners += m.Bilinear.LeastPartners(m.Net, a); partners > mostPartners {
			return false
		}
	}
	return true
}

// bindAtom lists what an atom is tied to.
func (t *ties) bindAtom(m *loglinear.Model, a uint32) {
	from := len(t.list)
	add := func(b uint32, energy float64) {
		i := t.place[b]
		if !t.met[i] {
			t.met[i] = true
			t.list = append(t.list, i)
		}
		t.row[i] += energy
	}
	bias := m.Bias[a]
	neighbours, classes, base := m.Couplings.Of(a)
	for k, b := range neighbours {
		add(base+b, m.Couplings.Energy[classes[k]])
	}
	m.Bilinear.EachPartner(m.Net, a, func(b, factor uint32, mult int64) {
		add(b, float64(m.Bilinear.Energy[factor]*float64(mult)))
	})
	m.Bilinear.EachSelf(a, func(factor uint32, mult int64) { bias += float64(m.Bilinear.Energy[factor] * float64(mult)) })
	t.bias = append(t.bias, bias)
	for _, i := range t.list[from:] {
		t.energy = append(t.energy, t.row[i])
		t.row[i], t.met[i] = 0, false
	}
	t.start = append(t.start, uint32(len(t.list)))
	for len(t.one) < len(t.list)-from {
		t.one = append(t.one, uint32(len(t.one)))
	}
}

// of returns the places that one is tied to, and the energies.
func (t *ties) of(i int) (list, one []uint32, energy []float64) {
	from, end := t.start[i], t.start[i+1]
	return t.list[from:end], t.one[:end-from], t.energy[from:end]
}

// places returns where the atoms of the k-th component begin and end.
func (t *ties) places(k int) (from, end int) {
	if k > 0 {
		from = t.end[k-1]
	}
	return from, t.end[k]
}
