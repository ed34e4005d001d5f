package mcsat

import "fmt"

// MethodError is the name of no method.
type MethodError struct{ Name string }

// Error implements error.
func (e *MethodError) Error() string {
	return fmt.Sprintf("unknown method %q: want auto, mcsat, gibbs or exact", e.Name)
}

// OptionError is an option out of its range.
type OptionError struct {
	Option          string
	Value, Min, Max int
}

// Error implements error.
func (e *OptionError) Error() string {
	return fmt.Sprintf("%s is %d: want %d to %d", e.Option, e.Value, e.Min, e.Max)
}

// SizeError is a component that is too large to enumerate.
type SizeError struct {
	Atoms int    // of the component
	First uint32 // its first atom
	Limit int
}

// Error implements error.
func (e *SizeError) Error() string {
	return fmt.Sprintf("component of %d atoms: exact inference enumerates at most %d", e.Atoms, e.Limit)
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

// OverflowError is a count of true groundings beyond 2^63 - 1.
type OverflowError struct{ Formula int }

// Error implements error.
func (e *OverflowError) Error() string {
	return fmt.Sprintf("true groundings of formula %d exceed 2^63 - 1", e.Formula)
}
