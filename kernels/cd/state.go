package cd

import (
	"errors"
	"math"

	"resolwe/internal/wire"
)

// State is what the updates of an optimizer have changed, from which one of the same start can resume.
type State struct {
	Updates     int
	Clock       float64   // t
	Averaged    float64   // updates in Average
	Weights     []float64 // by formula, like all but Information
	Step        []float64 // the last one
	Average     []float64 // of the weights over the last half of the updates
	Running     []float64 // average of the weights that forgets the first ones
	Information []float64 // running mean, F x F by rows
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

// Restore goes on from a state, which is copied. The error is ErrState, for one that has other formulas, or numbers that no
// updates lead to; the optimizer is then as it was.
func (o *Optimizer) Restore(s State) error {
	if s.Updates < 0 || !(s.Clock >= 0 && s.Averaged >= 0) || math.IsInf(s.Clock, 0) || math.IsInf(s.Averaged, 0) {
		return ErrState
	}
	own := o.fields()
	for i, v := range s.fields() {
		if len(*v) != len(*own[i]) || !finite(*v) {
			return ErrState
		}
	}
	for i, v := range s.fields() {
		copy(*own[i], *v)
	}
	o.Updates, o.Clock, o.Averaged = s.Updates, s.Clock, s.Averaged
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
