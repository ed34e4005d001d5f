package cd

import (
	"errors"
	"math"

	"resolwe/internal/wire"
)

// State is what the updates of an optimizer have changed, with which another one of the same start goes on.
type State struct {
	Updates     int
	Clock       float64
	Averaged    float64   // updates in Average
	Weights     []float64 // by formula, like all but Information
	Step        []float64 // the last one
	Average     []float64
	Running     []float64
	Information []float64 // F x F by rows
}

// fields are the vectors in the order in which they are written.
func (s *State) fields() [5]*[]float64 {
	return [...]*[]float64{&s.Weights, &s.Step, &s.Average, &s.Running, &s.Information}
}

// Write writes a state, and Read reads one.
func (s *State) Write(w *wire.Writer) {
	w.Int(s.Updates)
	w.Float(s.Clock)
	w.Float(s.Averaged)
	for _, values := range s.fields() {
		w.Floats(*values)
	}
}

// Read is described with Write. Whether the state is one, [Optimizer.Restore] says.
func (s *State) Read(r *wire.Reader) {
	s.Updates, s.Clock, s.Averaged = r.Int(), r.Float(), r.Float()
	for _, values := range s.fields() {
		*values = r.Floats()
	}
}

// ErrState says that a state is none of this optimizer.
var ErrState = errors.New("state of another optimizer")

// State returns the present state. Its slices are the optimizer's and change with it.
func (o *Optimizer) State() State {
	return State{
		Updates: o.updates, Clock: o.clock, Averaged: o.count,
		Weights: o.Weights, Step: o.last, Average: o.average, Running: o.running, Information: o.info,
	}
}

// Restore goes on from a state, which is copied. The error is ErrState, for one that has other formulas, or numbers that no
// updates lead to; the optimizer is then as it was.
func (o *Optimizer) Restore(s State) error {
	f := len(o.Weights)
	if s.Updates < 0 || !(s.Clock >= 0 && s.Averaged >= 0) || len(s.Information) != f*f || !finite(s.Information) ||
		math.IsInf(s.Clock, 0) || math.IsInf(s.Averaged, 0) {
		return ErrState
	}
	for _, v := range [][]float64{s.Weights, s.Step, s.Average, s.Running} {
		if len(v) != f || !finite(v) {
			return ErrState
		}
	}
	o.updates, o.clock, o.count = s.Updates, s.Clock, s.Averaged
	copy(o.Weights, s.Weights)
	copy(o.last, s.Step)
	copy(o.average, s.Average)
	copy(o.running, s.Running)
	copy(o.info, s.Information)
	return nil
}

// finite reports whether all numbers are finite.
func finite(values []float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
