package loglinear

import (
	"fmt"
	"math/rand/v2"

	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// HardFactor returns a hard constraint: the literals of a clause or, for numbers after those of the clauses, a hard feature.
func (m *Model) HardFactor(i uint32) (lits []network.Lit, feature *network.Feature) {
	if clauses := uint32(len(m.Net.Clauses)); i >= clauses {
		return nil, &m.Net.HardFeatures[i-clauses]
	}
	return m.Net.Clauses[i], nil
}

// SoftFactor returns a soft factor over any number of atoms: the literals of a conjunction or, for numbers after those of the
// conjunctions, a feature.
func (m *Model) SoftFactor(i uint32) (lits []network.Lit, feature *network.Feature) {
	if conjunctions := uint32(len(m.Net.Conjunctions)); i >= conjunctions {
		return nil, &m.Net.Features[i-conjunctions]
	}
	return m.Net.Conjunctions[i].Lits, nil
}

// SoftCoefs returns the coefficients of a soft factor.
func (m *Model) SoftCoefs(i uint32) []network.Coef {
	if conjunctions := uint32(len(m.Net.Conjunctions)); i >= conjunctions {
		return m.Net.Features[i-conjunctions].Coefs
	}
	return m.Net.Conjunctions[i].Coefs
}

// Constraints returns the number of hard constraints.
func (m *Model) Constraints() uint32 { return uint32(len(m.Net.Clauses) + len(m.Net.HardFeatures)) }

func (m *Model) softFactors() int { return len(m.Net.Conjunctions) + len(m.Net.Features) }

// Factors returns the number of factors over any number of atoms: hard constraints, which come first, and soft factors.
func (m *Model) Factors() int { return int(m.Constraints()) + m.softFactors() }

// factor returns a factor by its number among all factors.
func (m *Model) factor(i uint32) (lits []network.Lit, feature *network.Feature) {
	if hard := m.Constraints(); i >= hard {
		return m.SoftFactor(i - hard)
	}
	return m.HardFactor(i)
}

// AppendFactors appends the factors on an atom: all soft ones, and the hard constraints listed in refs (see Model.Hard).
func (m *Model) AppendFactors(dst []uint32, a uint32, refs []uint32) []uint32 {
	for _, ref := range m.Soft.Of(a) {
		dst = append(dst, m.Constraints()+ref>>1)
	}
	for _, ref := range refs {
		dst = append(dst, ref>>1)
	}
	return dst
}

// AppendAtoms appends the atoms of a factor, ascending.
func (m *Model) AppendAtoms(dst []uint32, i uint32) []uint32 {
	m.EachAtom(i, func(a, _ uint32) { dst = append(dst, a) })
	return dst
}

// EachAtom calls f with each atom of a factor, in ascending order, and 1 if it occurs negated.
func (m *Model) EachAtom(i uint32, f func(a, sign uint32)) {
	lits, feature := m.factor(i)
	for _, l := range lits {
		f(l.Atom(), uint32(l&1))
	}
	if feature != nil {
		for _, a := range feature.Atoms {
			f(a, 0)
		}
	}
}

// UnsatisfiableError reports hard constraints that have no solution, or for which none was found.
type UnsatisfiableError struct {
	// Constraint is one that is violated while the others hold: Network.Clauses[Constraint] or, from len(Network.Clauses) on,
	// Network.HardFeatures[Constraint-len(Network.Clauses)].
	Constraint int
	Atoms      []uint32 // of the constraint
	Proven     bool     // there is no solution; otherwise the search gave up
}

// Error implements error.
func (e *UnsatisfiableError) Error() string {
	if e.Proven {
		return fmt.Sprintf("hard constraints have no solution: constraint %d over atoms %d", e.Constraint, e.Atoms)
	}
	return fmt.Sprintf("no solution found of the hard constraints: constraint %d over atoms %d", e.Constraint, e.Atoms)
}

// Unsatisfiable returns an *UnsatisfiableError for a hard constraint.
func (m *Model) Unsatisfiable(constraint int, proven bool) error {
	return &UnsatisfiableError{Constraint: constraint, Atoms: m.AppendAtoms(nil, uint32(constraint)), Proven: proven}
}

// Violated is a set of violated factors, by number. The zero value is ready for [Violated.Reset].
type Violated struct {
	List []uint32 // the factors, in an order that depends on past changes; read-only

	place []uint32 // by factor: its index in List, plus 1; 0 if it is not violated
}

// Reset empties the set, for n factors.
func (v *Violated) Reset(n int) {
	v.List, v.place = v.List[:0], grow.Zeroed(v.place, n)
}

// Clear empties the set, keeping the number of factors, in time proportional to its size.
func (v *Violated) Clear() {
	for _, i := range v.List {
		v.place[i] = 0
	}
	v.List = v.List[:0]
}

// Has reports whether a factor is in the set.
func (v *Violated) Has(i uint32) bool { return v.place[i] > 0 }

// Note records whether a factor holds.
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

// Moves are the changes of state by which violated factors are repaired.
type Moves[M any] struct {
	Each func(factor uint32, offer func(M)) // offers the moves that change a factor
	Cost func(move M, step int) float64
	Make func(move M, step int) // makes a move and notes the factors that it violates and satisfies
}

// Repair makes moves until no factor of a set is violated (WalkSAT: Selman, Kautz and Cohen, 1994), and reports whether that took at most
// the given number of steps. Each step picks a violated factor at random. Of the moves that change it, the step makes a random one with
// probability noise, otherwise a random one of least cost.
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
