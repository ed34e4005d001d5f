package mcsat

import (
	"fmt"

	"resolwe/kernels/exact"
)

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

// SizeError is a component that is too large for exact inference.
type SizeError struct {
	First uint32 // its first atom
	Limit int    // atoms that would be enumerated
	Tree  *exact.WidthError
}

// Error implements error.
func (e *SizeError) Error() string {
	return fmt.Sprintf("%v; at most %d atoms are enumerated", e.Tree, e.Limit)
}

// Unwrap returns what is wrong with its junction tree.
func (e *SizeError) Unwrap() error { return e.Tree }
