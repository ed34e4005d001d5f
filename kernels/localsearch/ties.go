package localsearch

import (
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// ties list the pairs of atoms coupled by bilinear factors. If they are listed, a flip updates the partners' fields, which are then
// available when a move is offered. That pays if atoms do not have many more partners than entities, as offers are far more frequent than
// flips.
type ties struct {
	loglinear.Adjacent
	listed bool
	place  []uint32 // by atom: its list
}

// Limits on what is listed.
const (
	mostTies    = 1 << 22 // in a component
	tiesPerItem = 32      // partners of an atom per entity, on average
)

// list lists the ties of a component's atoms, if there are any and they are few enough.
func (t *ties) list(m *loglinear.Model, atoms []uint32) {
	t.listed = false
	if !m.Bilinear.Any() {
		return
	}
	t.Sorted, t.place = true, grow.To(t.place, m.Net.NumAtoms)
	t.Reset(m.Net.NumAtoms)
	items := 0
	for _, a := range atoms {
		items += m.Bilinear.Degree(a)
	}
	most := min(mostTies, tiesPerItem*items)
	for i, a := range atoms {
		t.place[a] = uint32(i)
		t.MeetBilinear(m, a)
		if t.End(); len(t.Atoms) > most {
			return
		}
	}
	t.listed = true
}

// of returns the partners of an atom, ascending, and the energies.
func (t *ties) of(a uint32) (others []uint32, energy []float64) { return t.Of(t.place[a]) }
