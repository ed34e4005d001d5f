package localsearch

import (
	"slices"

	"resolwe/internal/grow"
)

// ties list the pairs of atoms coupled by bilinear factors, each with the energy of both being true. If they are listed, a flip updates
// the partners' fields, which are then available when a move is offered. That pays if atoms do not have many more partners than entities,
// as offers are far more frequent than flips.
type ties struct {
	listed bool
	start  []uint32 // others[start[a]:end[a]] are the partners of atom a, ascending
	end    []uint32
	others []uint32
	energy []float64 // parallel to others
	sum    []float64 // by atom: memory of list
}

// Limits on what is listed.
const (
	mostTies    = 1 << 22 // in a component
	tiesPerItem = 32      // partners of an atom per entity, on average
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

// of returns the partners of an atom, and the energies.
func (t *ties) of(a uint32) (others []uint32, energy []float64) {
	return t.others[t.start[a]:t.end[a]], t.energy[t.start[a]:t.end[a]]
}
