package loglinear

import "fmt"

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
	e := &UnsatisfiableError{Constraint: constraint, Proven: proven}
	m.EachAtom(constraint, func(a uint32) { e.Atoms = append(e.Atoms, a) })
	return e
}

// EachAtom calls f with each atom of a hard constraint.
func (m *Model) EachAtom(constraint int, f func(a uint32)) {
	if n := len(m.Net.Clauses); constraint >= n {
		for _, a := range m.Net.HardFeatures[constraint-n].Atoms {
			f(a)
		}
		return
	}
	for _, l := range m.Net.Clauses[constraint] {
		f(l.Atom())
	}
}

// FirstAtom returns the first atom of a hard constraint that has one.
func (m *Model) FirstAtom(constraint int) uint32 {
	if n := len(m.Net.Clauses); constraint >= n {
		return m.Net.HardFeatures[constraint-n].Atoms[0]
	}
	return m.Net.Clauses[constraint][0].Atom()
}
