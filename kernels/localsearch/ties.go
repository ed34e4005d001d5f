package localsearch

import (
	"slices"

	"resolwe/internal/grow"
)

// ties are the pairs of atoms that bilinear factors tie, each with the energy of both being true: where they are listed, an
// atom's flip is followed in the fields of the others, which are then at hand when a move is offered. That is worth it as long
// as atoms do not have many more partners than entities, for there are many more offers than flips.
type ties struct {
	listed bool
	start  []uint32 // others[start[a]:end[a]] are tied to atom a, ascending
	end    []uint32
	others []uint32
	energy []float64 // likewise
	sum    []float64 // by atom: memory of list
}

// Bounds of what is listed.
const (
	mostTies    = 1 << 22 // of a component
	tiesPerItem = 32      // partners of an atom for each of its entities, in the mean
)

// list lists the ties of a component's atoms, if there are any and they are few enough.
func (t *ties) list(f *Search, atoms []uint32) {
	m, n := f.model, f.model.Net.NumAtoms
	t.listed = false
	if !m.Bilinear.Any() {
		return
	}
	t.start, t.end, t.sum = grow.To(t.start, n), grow.To(t.end, n), grow.To(t.sum, n)
	t.others, t.energy = t.others[:0], t.energy[:0]
	items := 0
	for _, a := range atoms {
		items += m.Bilinear.Degree(a)
	}
	most := min(mostTies, tiesPerItem*items)
	for _, a := range atoms {
		f.mark++
		first := len(t.others)
		m.Bilinear.EachPartner(m.Net, a, func(b, factor uint32, mult int64) {
			if f.stamp[b] != f.mark {
				f.stamp[b], t.sum[b] = f.mark, 0
				t.others = append(t.others, b)
			}
			t.sum[b] += float64(m.Bilinear.Energy[factor] * float64(mult))
		})
		slices.Sort(t.others[first:])
		for _, b := range t.others[first:] {
			t.energy = append(t.energy, t.sum[b])
		}
		if t.start[a], t.end[a] = uint32(first), uint32(len(t.others)); len(t.others) > most {
			return
		}
	}
	t.listed = true
}

// of returns the atoms that are tied to an atom, and the energies.
func (t *ties) of(a uint32) (others []uint32, energy []float64) {
	return t.others[t.start[a]:t.end[a]], t.energy[t.start[a]:t.end[a]]
}
