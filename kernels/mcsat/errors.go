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
