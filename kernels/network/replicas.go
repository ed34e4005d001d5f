package network

import (
	"math"
	"slices"

	"resolwe/internal/grow"
)

// Replicas describes the equal parts of a network with bilinear factors. If joins connect only the atoms p(c, u) and p(c, v) of each c,
// the pairs and incidence rows for different c differ only by the offset of c's atoms: one replica describes all.
//
// The atoms of replica r are r*Shift after those of the first. The first Width atoms of a replica include all that its incidence rows
// list. A place is an atom's distance from its replica's first atom. The zero value means a single replica of all atoms.
type Replicas struct{ N, Shift, Width uint32 }

// MaxReplicas is the largest N; with more equal parts, each replica holds several.
const MaxReplicas = 64

// Unset stands for a missing atom or index.
const Unset = math.MaxUint32

// Of returns the place of an atom within its replica, and that replica.
func (c *Replicas) Of(a uint32) (place, replica uint32) {
	if a < c.Shift {
		return a, 0
	}
	replica = a / c.Shift
	return a - replica*c.Shift, replica
}

// Atom returns the atom at a place in a replica.
func (c *Replicas) Atom(place, replica uint32) uint32 { return replica*c.Shift + place }

// Entities returns the number of rows of an incidence in one replica.
func (c *Replicas) Entities(s *Incidence) int { return s.Entities() / int(max(1, c.N)) }

// Repeat extends the pairs and incidences of a network's first atoms to n equal parts, and sets Replicas. It allocates little if there is
// capacity.
func (net *Network) Repeat(atoms, n int) {
	if n <= 1 {
		return
	}
	net.repeatFactors(atoms, n)
	if len(net.Bilinears) == 0 {
		return
	}
	parts := n
	for n = min(n, MaxReplicas); parts%n != 0; {
		n--
	}
	net.Replicas = Replicas{N: uint32(n), Shift: uint32(net.NumAtoms / n)}
	for i := range net.Incidences {
		s := &net.Incidences[i]
		for _, a := range s.Atoms[:s.Start[s.Entities()/n]] {
			net.Replicas.Width = max(net.Replicas.Width, a+1)
		}
	}
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

// repeated appends n-1 copies of the numbers from index first on, each shifted further by shift.
func repeated(numbers []uint32, first, n int, shift uint32) []uint32 {
	own := numbers[first:]
	out := grow.By(numbers, (n-1)*len(own))
	for r := 1; r < n; r++ {
		to := out[len(numbers)+(r-1)*len(own):][:len(own)]
		for i, x := range own {
			to[i] = x + uint32(r)*shift
		}
	}
	return out
}
