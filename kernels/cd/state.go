package cd

import (
	"errors"
	"math"
	"slices"

	"resolwe/internal/wire"
)

// State is the data that an optimizer's updates change; an optimizer with the same start can resume from it.
type State struct {
	Updates     int
	Clock       float64   // t
	Averaged    float64   // number of updates in Average
	Weights     []float64 // by formula, like all but Information
	Step        []float64 // the last one
	Average     []float64 // of the weights over the last half of the updates
	Running     []float64 // average of the weights that forgets the first ones
	Information []float64 // running mean, F x F by rows
}

// fields returns the vectors in the order of writing.
func (s *State) fields() [5]*[]float64 {
	return [...]*[]float64{&s.Weights, &s.Step, &s.Average, &s.Running, &s.Information}
}

// Code writes or reads a state. [Optimizer.Restore] checks that one that was read is valid.
func (s *State) Code(c wire.Coder) {
	c.Code(&s.Updates, &s.Clock, &s.Averaged)
	for _, values := range s.fields() {
		c.Code(values)
	}
}

// ErrState reports a state that does not belong to this optimizer.
var ErrState = errors.New("state of another optimizer")

// Restore resumes from a state, which is copied. The error is ErrState, for a state with other formulas, or with numbers that no updates
// produce; the optimizer is then unchanged.
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
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
