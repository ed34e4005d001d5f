package resolwe

import (
	"context"
	"errors"
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
)

// Bounds on the enumeration that the objective takes.
var (
	objectiveAtoms  = 20      // of a component
	objectiveStates = 1 << 28 // of all components of all subgraphs
)

// result returns the averaged weights, and the objective where it is wanted.
func (l *learner) result(ctx context.Context) (*Learned, error) {
	weights := l.optimum.Result()
	if l.stopped {
		weights = l.optimum.ResultSoFar()
	}
	out := &Learned{Model: l.model.weighted(weights), Subgraphs: l.seen / l.opt.Passes, Visits: l.seen, Stopped: l.stopped, Curve: l.curve}
	if l.stopped {
		out.Subgraphs = min(l.seen, l.size)
		return out, nil
	}
	if !l.opt.Objective || (!l.cached && l.stream.spent) {
		return out, nil
	}
	var err error
	out.Objective, out.Exact, err = l.objective(ctx, weights)
	return out, err
}

// weighted returns the model with weights, but for hard formulas.
func (m *Model) weighted(weights []float64) *Model {
	formulas := make([]*mln.Formula, len(m.Formulas))
	for i, f := range m.Formulas {
		g := *f
		if !f.Hard {
			g.Weight, g.HasWeight = weights[i], true
		}
		formulas[i] = &g
	}
	return m.With(formulas)
}

// objective returns the penalised log-likelihood, and whether it is small enough a task to compute it.
func (l *learner) objective(ctx context.Context, weights []float64) (float64, bool, error) {
	return l.addLogLikelihood(ctx, l.logPrior(weights), weights)
}

// logPrior returns the logarithm of the weights' prior density, without its constant.
func (l *learner) logPrior(weights []float64) (sum float64) {
	for i, w := range weights {
		if d := w - l.means[i]; !l.fixed[i] {
			sum -= d * d / (2 * l.opt.Sigma * l.opt.Sigma)
		}
	}
	return sum
}

// addLogLikelihood adds the conditional log-likelihood to a sum, and reports whether it is small enough a task to compute it.
func (l *learner) addLogLikelihood(ctx context.Context, start float64, weights []float64) (sum float64, ok bool, err error) {
	sum = start
	quiet := *l
	quiet.prepared = nil
	quiet.opt.Run.Progress = nil
	quiet.cacheable = -1
	left := objectiveStates
	var m mcsat.Model
	worker := cd.NewWorker(l.gradients)
	err = quiet.each(ctx, 0, func(ex *example) error {
		m.Reset(ex.Net, weights)
		if left -= states(&m); left < 0 {
			return errTooLarge
		}
		if breaks(ex.Net, ex.Data) {
			sum = math.Inf(-1)
			return nil
		}
		ll, _, err := worker.LogLikelihood(&ex.Example, weights, objectiveAtoms)
		if err != nil {
			return &SubgraphError{Name: ex.name, Index: ex.index, Err: explained(err, ex.Net, ex.atoms)}
		}
		sum += ll
		return nil
	})
	if errors.Is(err, errTooLarge) {
		return 0, false, nil
	}
	return sum, err == nil, err
}

// errTooLarge ends a reading.
var errTooLarge = errors.New("too many states to enumerate")

// states returns how many states the components of a network have, or more than the objective may take.
func states(m *mcsat.Model) int {
	n := 0
	for c := range m.NumComponents() {
		atoms := len(m.Component(c))
		if atoms > objectiveAtoms {
			return objectiveStates + 1
		}
		if atoms > 1 { // one alone has a closed form
			n += 1 << atoms
		}
	}
	return n
}

// breaks reports whether a state violates a hard constraint.
func breaks(net *ground.Network, state []bool) bool {
	for _, c := range net.Clauses {
		if !slices.ContainsFunc(c, func(l ground.Lit) bool { return l.True(state) }) {
			return true
		}
	}
	return slices.ContainsFunc(net.HardFeatures, func(f ground.Feature) bool { return !f.Root.True(state) })
}
