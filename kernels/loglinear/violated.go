package loglinear

import "resolwe/internal/grow"

// Violated is a set of constraints that do not hold, by number. The zero value is ready for [Violated.Reset].
type Violated struct {
	List []uint32 // those, in an order that depends on how they came and went; not to be changed

	place []uint32 // by constraint: its place in List, plus 1; 0 where it holds
}

// Reset empties the set, for n constraints.
func (v *Violated) Reset(n int) {
	v.List, v.place = v.List[:0], grow.Zeroed(v.place, n)
}

// Clear empties the set, for as many constraints as before, in time that grows with what is in it.
func (v *Violated) Clear() {
	for _, i := range v.List {
		v.place[i] = 0
	}
	v.List = v.List[:0]
}

// Has reports whether a constraint is violated.
func (v *Violated) Has(i uint32) bool { return v.place[i] > 0 }

// Note records whether a constraint holds.
func (v *Violated) Note(i uint32, holds bool) {
	switch at := v.place[i]; {
	case holds == (at == 0):
	case holds:
		last := v.List[len(v.List)-1]
		v.List[at-1], v.place[last] = last, at
		v.List, v.place[i] = v.List[:len(v.List)-1], 0
	default:
		v.List = append(v.List, i)
		v.place[i] = uint32(len(v.List))
	}
}
