package mcsat

import (
	"slices"

	"resolwe/kernels/ground"
)

// copies says that the sides of a network consist of equal parts. Where a join ties the atoms p(c, u) and p(c, v) of each c
// through the same hubs, these differ by the offset of c's atoms alone: one copy tells all.
//
// The atoms of copy r are r*shift beyond those of the first one, which are width atoms from first on, named by their places
// among these.
type copies struct {
	n            uint32
	shift        uint32
	first, width uint32
}

// maxCopies bounds the search; where there are more, each holds several.
const maxCopies = 64

// find finds the copies of which a network with sides consists: one of all atoms where they are not equal.
func (c *copies) find(net *ground.Network) {
	divisor := 0 // of the numbers of hubs and of incidences
	for i := range net.Sides {
		divisor = gcd(gcd(divisor, net.Sides[i].Hubs()), len(net.Sides[i].Atoms))
	}
	for n := min(divisor, maxCopies); n > 1; n-- {
		if divisor%n == 0 && c.consists(net, n) {
			return
		}
	}
	atoms := uint32(net.NumAtoms)
	*c = copies{n: 1, shift: atoms, width: atoms}
}

// consists reports whether a network consists of n copies, and sets them.
func (c *copies) consists(net *ground.Network, n int) bool {
	shift := uint32(0)
	for i := range net.Sides {
		s := &net.Sides[i]
		hubs, size := s.Hubs()/n, len(s.Atoms)/n
		if size == 0 {
			continue
		}
		if shift == 0 {
			shift = s.Atoms[size] - s.Atoms[0]
		}
		if !repeats(s.Start, hubs, uint32(size)) || !repeats(s.Atoms, size, shift) || !repeats(s.Mult, size, 0) {
			return false
		}
	}
	first, end := extent(net, n)
	if shift == 0 || uint64(first)+uint64(n-1)*uint64(shift) >= uint64(net.NumAtoms) || end-first > shift {
		return false
	}
	if n*int(shift) == net.NumAtoms && end <= shift {
		first = 0 // so that every atom is in a copy
	}
	*c = copies{n: uint32(n), shift: shift, first: first, width: end - first}
	return true
}

// repeatPairs reports whether the pairs of a network, which are sorted, are within the copies, and the same in each.
func (c *copies) repeatPairs(net *ground.Network) bool {
	if len(net.Pairs) == 0 {
		return true
	}
	period := len(net.Pairs) / int(c.n)
	if period*int(c.n) != len(net.Pairs) {
		return false
	}
	for i, p := range net.Pairs {
		if i < period && (p.A < c.first || p.B >= c.first+c.shift) {
			return false
		}
		if i >= period && p != (ground.Pair{A: net.Pairs[i-period].A + c.shift, B: net.Pairs[i-period].B + c.shift}) {
			return false
		}
	}
	size := net.PairStart[period]
	return repeats(net.PairStart, period, size) && slices.Equal(net.PairCoefs[size:], net.PairCoefs[:len(net.PairCoefs)-int(size)])
}

// repeats reports whether each value is that of one period before, with a constant added.
func repeats[T uint32 | int32](values []T, period int, added T) bool {
	if len(values) < period {
		return true
	}
	later := values[period:]
	for i, v := range values[:len(later)] {
		if later[i] != v+added {
			return false
		}
	}
	return true
}

// extent returns the first atom of the first of n copies, and the end of its atoms.
func extent(net *ground.Network, n int) (first, end uint32) {
	first = uint32(net.NumAtoms)
	for i := range net.Sides {
		s := &net.Sides[i]
		for h := range s.Hubs() / n {
			if atoms := s.Atoms[s.Start[h]:s.Start[h+1]]; len(atoms) > 0 {
				first, end = min(first, atoms[0]), max(end, atoms[len(atoms)-1]+1)
			}
		}
	}
	return min(first, end), end
}

// of returns the place of an atom within its copy, and that copy. An atom of none has the place unset.
func (c *copies) of(a uint32) (place, copied uint32) {
	place = a - c.first
	if place < c.shift {
		return place, 0
	}
	if copied = place / max(1, c.shift); copied >= c.n {
		return unset, 0
	}
	return place - copied*c.shift, copied
}

// atom returns the atom of a place in a copy.
func (c *copies) atom(place, copied uint32) uint32 { return c.first + copied*c.shift + place }

// gcd returns the greatest common divisor, n for 0 and n.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
