package cd

import "math"

// Phase is what learning does with a pass over the stream. The values are part of checkpoints.
type Phase int

// The phases.
const (
	Online   Phase = iota // a step after each mini-batch, for as many passes as were asked for
	Exactly               // a step after each pass, by exact sums
	Nearly                // the same on the pseudo-likelihood, where a component is too large for exact ones
	Settling              // from its optimum by small steps, until the weights settle
)

// Schedule is how learning goes on from pass to pass: Online, or to the optimum by Exactly, or where that cannot be by Nearly
// and Settling.
type Schedule struct {
	Phase   Phase
	Newton  *Newton    // of Exactly and Nearly
	Optimum *Optimizer // of Online and Settling
	Course  Course     // of Settling

	means []float64
	fixed []bool
	sigma float64
}

// NewSchedule returns one that starts at the means of the weights' prior; those of fixed formulas stay there.
func NewSchedule(means []float64, fixed []bool, sigma float64) *Schedule {
	return &Schedule{means: means, fixed: fixed, sigma: sigma}
}

// NewOptimizer returns one that starts at the means; sigma is the prior's for n subgraphs.
func (s *Schedule) NewOptimizer(sigma float64, n, updates int) *Optimizer {
	return NewOptimizer(s.means, s.fixed, sigma, n, updates)
}

// At returns a schedule that takes sums at weights.
func (s *Schedule) At(weights []float64, p Phase) *Schedule {
	return &Schedule{Phase: p, Newton: NewNewton(weights, s.means, s.fixed, s.sigma)}
}

// Summing reports whether the phase takes sums over the stream.
func (s *Schedule) Summing() bool { return s.Phase == Exactly || s.Phase == Nearly }

// Begin begins a phase on n subgraphs, from the weights that the last one has reached; with so many updates where it is Online.
func (s *Schedule) Begin(p Phase, n, updates int) {
	s.Phase = p
	switch p {
	case Exactly, Nearly:
		s.Newton = NewNewton(s.means, s.means, s.fixed, s.sigma)
	case Online:
		s.Optimum = s.NewOptimizer(s.sigma, n, updates)
	case Settling:
		s.Optimum = s.NewOptimizer(s.sigma, n, math.MaxInt/2)
		s.Optimum.Begin(s.Newton.Best, s.Newton.Information)
	}
}

// EndPass does what is due between two passes: a step where sums are taken. It reports whether the phase has reached its end.
func (s *Schedule) EndPass(sums *Sums) bool {
	switch s.Phase {
	case Exactly, Nearly:
		s.Newton.Update(sums)
		return s.Newton.Done
	case Settling:
		s.Course.EndPass()
		return s.Course.Settled(s.Optimum.Errors)
	case Online:
	}
	return false
}

// Reached says how near the optimum a schedule has come. What is not known is NaN.
type Reached struct {
	Converged              bool
	Gradient, Short, Drift float64
}

// Reached says how near the optimum the schedule has come.
func (s *Schedule) Reached() Reached {
	out := Reached{Gradient: math.NaN(), Short: math.NaN(), Drift: math.NaN()}
	if s.Phase == Exactly && s.Newton.Rounds > 0 {
		out = Reached{s.Newton.Converged, s.Newton.Norm, s.Newton.Gain, math.NaN()}
	}
	if s.Course.Drift > 0 {
		out.Drift = s.Course.Drift
	}
	out.Converged = out.Converged || s.Course.Calm()
	return out
}
