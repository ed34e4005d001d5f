package loglinear

import (
	"fmt"
	"math/rand/v2"

	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// FactorKind is a kind of factor over any number of atoms.
type FactorKind uint8

// The kinds, in the order in which a model numbers such factors; the first two are the hard constraints.
const (
	Clause FactorKind = iota
	HardFeature
	Conjunction
	Feature
)

// Factors returns how many factors over any number of atoms there are.
func (m *Model) Factors() int {
	net := m.Net
	return len(net.Clauses) + len(net.HardFeatures) + len(net.Conjunctions) + len(net.Features)
}

// Factor returns the kind of a factor, and its place among those of the kind.
func (m *Model) Factor(i uint32) (kind FactorKind, place uint32) {
	net := m.Net
	for kind, n := range [...]int{len(net.Clauses), len(net.HardFeatures), len(net.Conjunctions)} {
		if i < uint32(n) {
			return FactorKind(kind), i
		}
		i -= uint32(n)
	}
	return Feature, i
}

// AppendFactors appends the factors on an atom, of the clauses those that refs name as Model.Clauses does.
func (m *Model) AppendFactors(dst []uint32, a uint32, refs []uint32) []uint32 {
	hard := uint32(len(m.Net.Clauses))
	conjunctions := hard + uint32(len(m.Net.HardFeatures))
	features := conjunctions + uint32(len(m.Net.Conjunctions))
	for _, ref := range m.Conjunctions.Of(a) {
		dst = append(dst, conjunctions+ref>>1)
	}
	for _, i := range m.Features.Of(a) {
		dst = append(dst, features+i)
	}
	for _, ref := range refs {
		dst = append(dst, ref>>1)
	}
	for _, i := range m.HardFeatures.Of(a) {
		dst = append(dst, hard+i)
	}
	return dst
}

// AppendAtoms appends the atoms of a factor, ascending.
func (m *Model) AppendAtoms(dst []uint32, i uint32) []uint32 {
	var lits []network.Lit
	switch kind, place := m.Factor(i); kind {
	case HardFeature:
		return append(dst, m.Net.HardFeatures[place].Atoms...)
	case Feature:
		return append(dst, m.Net.Features[place].Atoms...)
	case Clause:
		lits = m.Net.Clauses[place]
	case Conjunction:
		lits = m.Net.Conjunctions[place].Lits
	}
	for _, l := range lits {
		dst = append(dst, l.Atom())
	}
	return dst
}

// Satisfied reports whether a hard constraint holds.
func (s *State) Satisfied(i uint32) bool {
	if clauses := uint32(len(s.ClauseTrue)); i >= clauses {
		return s.M.Net.HardFeatures[i-clauses].Root.True(s.X)
	}
	return s.ClauseTrue[i] > 0
}

// UnsatisfiableError is a set of hard constraints without a solution, or without one that was found.
type UnsatisfiableError struct {
	// Constraint is one that the others leave violated: Network.Clauses[Constraint], or for an index of
	// len(Network.Clauses) and more, Network.HardFeatures[Constraint-len(Network.Clauses)].
	Constraint int
	Atoms      []uint32 // of the constraint
	Proven     bool     // there is no solution; else the search gave up
}

// Error implements error.
func (e *UnsatisfiableError) Error() string {
	if e.Proven {
		return fmt.Sprintf("hard constraints have no solution: constraint %d over atoms %d", e.Constraint, e.Atoms)
	}
	return fmt.Sprintf("no solution found of the hard constraints: constraint %d over atoms %d", e.Constraint, e.Atoms)
}

// Unsatisfiable returns an *UnsatisfiableError of a hard constraint.
func (m *Model) Unsatisfiable(constraint int, proven bool) error {
	return &UnsatisfiableError{Constraint: constraint, Atoms: m.AppendAtoms(nil, uint32(constraint)), Proven: proven}
}

// Violated is a set of factors that are not as they have to be, by number. The zero value is ready for [Violated.Reset].
type Violated struct {
	List []uint32 // those, in an order that depends on how they came and went; not to be changed

	place []uint32 // by factor: its place in List, plus 1; 0 where it is as it has to be
}

// Reset empties the set, for n factors.
func (v *Violated) Reset(n int) {
	v.List, v.place = v.List[:0], grow.Zeroed(v.place, n)
}

// Clear empties the set, for as many factors as before, in time that grows with what is in it.
func (v *Violated) Clear() {
	for _, i := range v.List {
		v.place[i] = 0
	}
	v.List = v.List[:0]
}

// Has reports whether a factor is in the set.
func (v *Violated) Has(i uint32) bool { return v.place[i] > 0 }

// Note records whether a factor is as it has to be.
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

// Moves are what may satisfy violated factors.
type Moves[M any] struct {
	Each func(factor uint32, offer func(M)) // offers the moves that change a factor
	Cost func(move M, step int) float64
	Make func(move M, step int) // and notes what it violates and satisfies
}

// Repair makes moves until no factor of a set is violated (WalkSAT: Selman, Kautz and Cohen, 1994), and reports whether it came
// to that within so many steps. In each it takes a random violated factor and makes a random one of the moves that change it, with
// a probability of noise, or else one of those of least cost.
func (moves *Moves[M]) Repair(v *Violated, steps int, noise float64, r *rand.Rand) bool {
	var best M
	step, seen, least, noisy := 0, 0, 0.0, false
	offer := func(m M) {
		cost := 0.0
		if !noisy {
			cost = moves.Cost(m, step)
		}
		switch {
		case seen == 0 || cost < least:
			best, least, seen = m, cost, 1
		case cost == least:
			if seen++; r.IntN(seen) == 0 {
				best = m
			}
		}
	}
	for ; step < steps && len(v.List) > 0; step++ {
		factor := v.List[r.IntN(len(v.List))]
		noisy, seen = r.Float64() < noise, 0
		if moves.Each(factor, offer); seen > 0 {
			moves.Make(best, step)
		}
	}
	return len(v.List) == 0
}
