package cd

import "math"

// Phase is how learning uses a pass over the stream. The values are part of checkpoints.
type Phase int

// The phases.
const (
	Online   Phase = iota // a step after each mini-batch, for the requested number of passes
	Exactly               // a step after each pass, by exact sums
	Nearly                // the same with the pseudo-likelihood, if a component is too large for exact sums
	Settling              // small steps from its optimum, until the weights settle
)

// Schedule is the sequence of phases: Online, or to the optimum by Exactly or, if that is infeasible, by Nearly and Settling.
type Schedule struct {
	Phase   Phase
	Newton  *Newton    // for Exactly and Nearly
	Optimum *Optimizer // for Online and Settling
	Course  Course     // for Settling
	Rule    Rule       // for Online

	means []float64
	fixed []bool
	sigma float64
}

// NewSchedule returns a schedule that starts at the prior means of the weights; those of fixed formulas stay there.
func NewSchedule(means []float64, fixed []bool, sigma float64) *Schedule {
	return &Schedule{means: means, fixed: fixed, sigma: sigma}
}

// NewOptimizer returns an optimizer that starts at the means; sigma is the prior's for n subgraphs.
func (s *Schedule) NewOptimizer(sigma float64, n, updates int) *Optimizer {
	return NewOptimizer(s.means, s.fixed, sigma, n, updates)
}

// At returns a schedule that computes sums at weights.
func (s *Schedule) At(weights []float64, p Phase) *Schedule {
	return &Schedule{Phase: p, Newton: NewNewton(weights, s.means, s.fixed, s.sigma)}
}

// Summing reports whether the phase computes sums over the stream.
func (s *Schedule) Summing() bool { return s.Phase == Exactly || s.Phase == Nearly }

// Begin starts a phase on n subgraphs from the last phase's weights. An Online phase makes the given number of updates.
func (s *Schedule) Begin(p Phase, n, updates int) {
	s.Phase = p
	switch p {
	case Exactly, Nearly:
		s.Newton = NewNewton(s.means, s.means, s.fixed, s.sigma)
	case Online:
		s.Optimum = s.NewOptimizer(s.sigma, n, updates).Follow(s.Rule)
	case Settling:
		s.Optimum = s.NewOptimizer(s.sigma, n, math.MaxInt/2)
		s.Optimum.Begin(s.Newton.Best, s.Newton.Information)
	}
}

// EndPass finishes a pass, with a step if the phase computes sums. It reports whether the phase has finished.
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

// Reached is how near a schedule has come to the optimum. Unknown values are NaN, as all are without an atom of known truth.
type Reached struct {
	Converged              bool
	Unlabeled              bool // no atom of known truth was found
	Gradient, Short, Drift float64
}

// Reached returns how near the schedule has come to the optimum.
func (s *Schedule) Reached() Reached {
	out := Reached{Gradient: math.NaN(), Short: math.NaN(), Drift: math.NaN()}
	switch n := s.Newton; {
	case s.Phase != Exactly || n.Rounds == 0:
	case n.atoms == 0:
		out.Unlabeled = true
	default:
		out.Converged, out.Gradient, out.Short = n.Converged, n.Norm, n.Gain
	}
	if s.Course.Drift > 0 {
		out.Drift = s.Course.Drift
	}
	out.Converged = out.Converged || s.Course.Calm()
	return out
}
