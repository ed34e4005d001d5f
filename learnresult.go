package resolwe

import (
	"context"
	"errors"
	"math"

	"resolwe/kernels/cd"
)

// result returns the weights, what they have reached, and the objective where it is wanted.
func (l *learnRun) result(ctx context.Context) (*Learned, error) {
	out := &Learned{
		Subgraphs: l.seen, Visits: l.seen, Passes: l.pass, Stopped: l.stopped, Curve: l.curve,
		Gradient: math.NaN(), Short: math.NaN(), Drift: math.NaN(),
	}
	if l.pass > 0 {
		out.Subgraphs /= l.pass
	}
	if l.stopped {
		out.Subgraphs = min(l.seen, l.size)
	}
	weights := l.reached(out)
	out.Model = l.Weighted(weights)
	if l.stopped || l.phase == phaseNewton || !l.opt.Objective || (!l.source.whole && l.source.stream.consumed) {
		return out, nil
	}
	if l.phase == phaseOnline {
		if found, err := l.assess(ctx, weights, out); found || err != nil {
			return out, err
		}
	}
	var err error
	out.Objective, out.Exact, err = l.addLogLikelihood(ctx, l.LogPrior(weights), l.again(), weights)
	return out, err
}

// again returns the networks of the stream once more.
func (l *learnRun) again() *networks {
	if l.source.whole {
		return l.source
	}
	return l.once(l.source.stream)
}

// reached returns the weights that learning has led to, and says how near the optimum they are where it knows.
func (l *learnRun) reached(out *Learned) []float64 {
	switch l.phase {
	case phaseNewton:
		if l.newton.Rounds == 0 {
			return l.cautious()
		}
		out.at(l.newton, l.opt.Objective && !l.stopped)
		return l.newton.Best()
	case phasePseudo: // stopped
		if l.newton.Rounds == 0 {
			return l.cautious()
		}
		return l.newton.Best()
	case phaseSettling:
		if drift := l.course.Drift; drift > 0 {
			out.Drift = drift
		}
		out.Converged = l.course.Calm()
		if weights := l.course.Result(); weights != nil {
			return weights
		}
		return l.optimum.ResultSoFar()
	case phaseOnline:
	}
	if l.stopped {
		return l.optimum.ResultSoFar()
	}
	return l.optimum.Result()
}

// cautious returns the weights after a short step on the part of the first pass that was done.
func (l *learnRun) cautious() []float64 {
	o := l.Optimizer(l.opt.Sigma, 1, 1)
	if g := l.sums.Gradient(); g != nil {
		o.Update([]*cd.Gradient{g})
	}
	return o.Weights
}

// at says what a Newton has reached.
func (out *Learned) at(n *cd.Newton, objective bool) {
	out.Converged, out.Gradient, out.Short = n.Converged, n.Norm(), n.Gain()
	if objective {
		out.Objective, out.Exact = n.Objective(), true
	}
}

// assess says how far weights are from the optimum, and returns false where expectations are not exact.
func (l *learnRun) assess(ctx context.Context, weights []float64, out *Learned) (bool, error) {
	n := cd.NewNewton(weights, l.means, l.fixed, l.opt.Sigma)
	task := *l.LearnTask
	task.opt.Run.Progress = nil
	sums, err := task.sumsOver(ctx, l.again(), l.size, n, false)
	switch {
	case errors.As(err, new(*cd.TiedError)):
		return false, nil
	case err != nil:
		return false, err
	}
	n.Update(sums)
	out.at(n, true)
	return true, nil
}
