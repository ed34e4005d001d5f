package loglinear

import "resolwe/internal/grow"

// Adjacency lists for each atom the items that mention it, in ascending order.
type Adjacency struct{ start, items []uint32 }

// build takes every pair of atom and item from each, which must emit the same pairs, items ascending, at each call.
func (in *Adjacency) build(atoms int, each func(emit func(atom, item uint32))) {
	in.start = grow.Zeroed(in.start, atoms+2)
	n := 0
	each(func(a, _ uint32) {
		in.start[a+2]++
		n++
	})
	if in.items = grow.To(in.items, n); n == 0 {
		return
	}
	for a := range atoms {
		in.start[a+2] += in.start[a+1]
	}
	each(func(a, item uint32) { // start[a+1] moves from the beginning of a's list to its end
		in.items[in.start[a+1]] = item
		in.start[a+1]++
	})
}

// identity lists each atom's number as its only item.
func (in *Adjacency) identity(atoms int) {
	in.start, in.items = grow.To(in.start, atoms+1), grow.To(in.items, atoms)
	for i := range in.items {
		in.start[i+1], in.items[i] = uint32(i+1), uint32(i)
	}
	in.start[0] = 0
}

// Of returns the items of an atom.
func (in *Adjacency) Of(atom uint32) []uint32 { return in.items[in.start[atom]:in.start[atom+1]] }

func (in *Adjacency) empty() bool { return len(in.items) == 0 }
