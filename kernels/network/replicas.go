package network

import (
	"math"
	"slices"
)

// Replicas says of how many equal parts the incidences of a network consist. Where a join ties the atoms p(c, u) and p(c, v)
// of each c through the same entities, the rows of these differ by the offset of c's atoms alone: one replica tells all.
//
// The atoms of replica r are r*Shift beyond those of the first one, of which Width from First on have all that the first
// replica's rows list; a place is an atom's distance from First there. The zero value stands for a single replica of all atoms.
type Replicas struct {
	N            uint32
	Shift        uint32
	First, Width uint32
	Pairs        bool // pairwise factors are within the replicas too, and the same in each
}

// MaxReplicas bounds N; where there are more equal parts, each replica holds several.
const MaxReplicas = 64

// Unset is in place of a number of an atom.
const Unset = math.MaxUint32

// Of returns the place of an atom within its replica, and that replica. An atom of none has the place Unset.
func (c *Replicas) Of(a uint32) (place, replica uint32) {
	place = a - c.First
	if place < c.Shift {
		return place, 0
	}
	if replica = place / max(1, c.Shift); replica >= c.N {
		return Unset, 0
	}
	return place - replica*c.Shift, replica
}

// Atom returns the atom of a place in a replica.
func (c *Replicas) Atom(place, replica uint32) uint32 { return c.First + replica*c.Shift + place }

// Entities returns how many rows of an incidence are of the first replica.
func (c *Replicas) Entities(s *Incidence) int { return s.Entities() / int(max(1, c.N)) }

// Repeat adds to the pairs and incidences of a network's first atoms those of further ones, n times as many in all, and sets
// Replicas. Where there is room for them it allocates little.
func (net *Network) Repeat(atoms, n int) {
	if n > 1 {
		net.repeatFactors(atoms, n)
	}
	if net.Replicas = (Replicas{}); len(net.Bilinears) == 0 {
		return
	}
	parts := n
	for n = min(n, MaxReplicas); parts%n != 0; {
		n--
	}
	_, end := net.extent(n)
	net.Replicas = Replicas{N: uint32(n), Shift: uint32(net.NumAtoms / n), Width: end, Pairs: true}
}

func (net *Network) repeatFactors(atoms, n int) {
	first, coefs := net.Pairs, len(net.PairCoefs)
	net.Pairs = slices.Grow(net.Pairs, len(first)*(n-1))
	for r := 1; r < n; r++ {
		shift := uint32(r * atoms)
		for _, p := range first {
			net.Pairs = append(net.Pairs, Pair{p.A + shift, p.B + shift})
		}
	}
	net.PairStart = repeated(net.PairStart, 1, n, uint32(coefs))
	for range n - 1 {
		net.PairCoefs = append(net.PairCoefs, net.PairCoefs[:coefs]...)
	}
	for i := range net.Incidences {
		s := &net.Incidences[i]
		s.Start, s.Atoms = repeated(s.Start, 1, n, uint32(len(s.Atoms))), repeated(s.Atoms, 0, n, uint32(atoms))
		if s.Mult != nil {
			s.Mult = slices.Repeat(s.Mult, n)
		}
	}
}

// repeated returns n times the numbers from the first on, each time larger by a shift, behind those before the first.
func repeated(numbers []uint32, first, n int, shift uint32) []uint32 {
	out := slices.Grow(numbers, (n-1)*(len(numbers)-first))
	for r := 1; r < n; r++ {
		for _, x := range numbers[first:] {
			out = append(out, x+uint32(r)*shift)
		}
	}
	return out
}

// FindReplicas sets Replicas to as many as there are, for a network that was not made by Repeat.
func (net *Network) FindReplicas() {
	if net.Replicas = (Replicas{}); len(net.Bilinears) == 0 {
		return
	}
	divisor := 0 // of the numbers of entities and of incidences
	for i := range net.Incidences {
		divisor = gcd(gcd(divisor, net.Incidences[i].Entities()), len(net.Incidences[i].Atoms))
	}
	for n := min(divisor, MaxReplicas); n > 1; n-- {
		if divisor%n == 0 && net.consists(n) {
			return
		}
	}
}

// consists reports whether a network consists of n replicas, and sets them.
func (net *Network) consists(n int) bool {
	shift := uint32(0)
	for i := range net.Incidences {
		s := &net.Incidences[i]
		entities, size := s.Entities()/n, len(s.Atoms)/n
		if size == 0 {
			continue
		}
		if shift == 0 {
			shift = s.Atoms[size] - s.Atoms[0]
		}
		if !repeats(s.Start, entities, uint32(size)) || !repeats(s.Atoms, size, shift) || !repeats(s.Mult, size, 0) {
			return false
		}
	}
	first, end := net.extent(n)
	if shift == 0 || uint64(first)+uint64(n-1)*uint64(shift) >= uint64(net.NumAtoms) || end-first > shift {
		return false
	}
	if n*int(shift) == net.NumAtoms && end <= shift {
		first = 0 // so that every atom is in a replica
	}
	net.Replicas = Replicas{N: uint32(n), Shift: shift, First: first, Width: end - first}
	net.Replicas.Pairs = net.repeatPairs()
	return true
}

// repeatPairs reports whether the pairs, which are sorted, are within the replicas, and the same in each.
func (net *Network) repeatPairs() bool {
	c := &net.Replicas
	if len(net.Pairs) == 0 {
		return true
	}
	period := len(net.Pairs) / int(c.N)
	if period*int(c.N) != len(net.Pairs) {
		return false
	}
	for i, p := range net.Pairs {
		if i < period && (p.A < c.First || p.B >= c.First+c.Shift) {
			return false
		}
		if i >= period && p != (Pair{A: net.Pairs[i-period].A + c.Shift, B: net.Pairs[i-period].B + c.Shift}) {
			return false
		}
	}
	size := net.PairStart[period]
	return repeats(net.PairStart, period, size) && slices.Equal(net.PairCoefs[size:], net.PairCoefs[:len(net.PairCoefs)-int(size)])
}

// repeats reports whether each value is that of one period before, with a constant added.
func repeats[T uint32 | int64](values []T, period int, added T) bool {
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

// extent returns the first atom of the first of n replicas, and the end of its atoms.
func (net *Network) extent(n int) (first, end uint32) {
	first = uint32(net.NumAtoms)
	for i := range net.Incidences {
		s := &net.Incidences[i]
		for e := range s.Entities() / n {
			if atoms := s.Atoms[s.Start[e]:s.Start[e+1]]; len(atoms) > 0 {
				first, end = min(first, atoms[0]), max(end, atoms[len(atoms)-1]+1)
			}
		}
	}
	return min(first, end), end
}

// gcd returns the greatest common divisor, n for 0 and n.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
