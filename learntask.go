package resolwe

import (
	"context"
	"errors"
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// learnExact is the largest component whose expectations are enumerated while learning, objectiveExact that for the
// objective.
const (
	learnExact     = 10
	objectiveExact = 20
)

// LearnTask is what there is to learn, for learners that go over parts of a stream: package distributed.
type LearnTask struct {
	model     *Model // with unit clauses
	opt       LearnOptions
	program   *ground.Program
	means     []float64 // of the prior, by formula
	fixed     []bool
	gradients cd.Options
	trace     tracer
}

// NewLearnTask adds the unit clauses that the model lacks. The error is an *OptionError, or a *NoTargetError.
func NewLearnTask(m *Model, opt LearnOptions) (*LearnTask, error) {
	if err := m.Predicts(); err != nil {
		return nil, err
	}
	if err := opt.fill(); err != nil {
		return nil, err
	}
	m = m.withUnitClauses()
	t := &LearnTask{
		model: m, opt: opt, program: ground.Compile(m.Schema, m.Formulas, ground.Learning),
		gradients: cd.Options{Samples: opt.Samples, Sampler: opt.samplerFor(m), MaxExact: learnExact},
		trace:     opt.Run.newTracer("learn", m.Formulas),
	}
	if opt.Sample {
		t.gradients.MaxExact = 0
	}
	for _, f := range m.Formulas {
		t.means = append(t.means, f.Weight)
		t.fixed = append(t.fixed, f.Hard)
	}
	return t, nil
}

// samplerFor returns what draws the samples. Gibbs sweeps are cheaper; but single flips need not reach every state that
// hard formulas allow, and a few sweeps from the data leave the estimate near it where atoms are tied.
func (o *LearnOptions) samplerFor(m *Model) Method {
	switch {
	case o.Sampler != MethodAuto:
		return o.Sampler
	case o.Method == CD || slices.ContainsFunc(m.Formulas, func(f *mln.Formula) bool { return f.Hard }):
		return MethodMCSAT
	}
	return MethodGibbs
}

// Options returns the options with their defaults.
func (t *LearnTask) Options() LearnOptions { return t.opt }

// Optimizer returns one that starts at the model's weights; sigma is the prior's for n subgraphs.
func (t *LearnTask) Optimizer(sigma float64, n, updates int) *cd.Optimizer {
	return cd.NewOptimizer(t.means, t.fixed, sigma, n, updates)
}

// Pass learns once from a stream of n subgraphs, with an optimizer and the random numbers of that pass, from 0. It returns
// how many it has learned from: fewer, where some are damaged and left out. LearnOptions.Skip plays no part.
func (t *LearnTask) Pass(ctx context.Context, s *Stream, n, pass int, o *cd.Optimizer) (int, error) {
	l := &learnRun{
		LearnTask: t, source: t.once(s), size: n, updates: -1, chains: map[int][]uint64{},
		pass: pass, last: pass + 1, optimum: o,
	}
	l.setBatch()
	err := l.passes(ctx)
	if errors.Is(err, errNothing) { // all of it may be damaged
		err = nil
	}
	return l.seen, err
}

// Newton returns one that starts at the model's weights.
func (t *LearnTask) Newton() *cd.Newton { return cd.NewNewton(t.means, t.means, t.fixed, t.opt.Sigma) }

// Sums returns the exact sums over a stream of n subgraphs at the weights where a Newton wants them. The error is a
// *cd.TiedError where a component has too many atoms; with pseudo it takes the pseudo-likelihood of such a subgraph.
// LearnOptions.Skip plays no part.
func (t *LearnTask) Sums(ctx context.Context, s *Stream, n int, at *cd.Newton, pseudo bool) (*cd.Sums, error) {
	return t.sumsOver(ctx, t.once(s), n, at, pseudo)
}

func (t *LearnTask) sumsOver(ctx context.Context, source *networks, n int, at *cd.Newton, alsoPseudo bool) (*cd.Sums, error) {
	task := *t
	task.opt.Checkpoints, task.opt.Stop, task.opt.CurveEvery = Checkpoints{}, nil, 0
	l := &learnRun{LearnTask: &task, source: source, size: n, phase: phaseNewton, newton: at, sums: at.NewSums()}
	if alsoPseudo {
		l.phase = phasePseudo
	}
	l.setBatch()
	err := l.onePass(ctx)
	return l.sums, err
}

// Weighted returns the model with weights, but for hard formulas.
func (t *LearnTask) Weighted(weights []float64) *Model {
	formulas := make([]*mln.Formula, len(t.model.Formulas))
	for i, f := range t.model.Formulas {
		g := *f
		if !f.Hard {
			g.Weight, g.HasWeight = weights[i], true
		}
		formulas[i] = &g
	}
	return t.model.With(formulas)
}

// LogPrior returns the logarithm of the weights' prior density, without its constant.
func (t *LearnTask) LogPrior(weights []float64) (sum float64) {
	for i, w := range weights {
		if d := w - t.means[i]; !t.fixed[i] {
			sum -= d * d / (2 * t.opt.Sigma * t.opt.Sigma)
		}
	}
	return sum
}

// LogLikelihood returns the conditional log-likelihood of a stream, and whether it is small enough a task to compute it:
// see Learn.
func (t *LearnTask) LogLikelihood(ctx context.Context, s *Stream, weights []float64) (float64, bool, error) {
	return t.addLogLikelihood(ctx, 0, t.once(s), weights)
}

func (t *LearnTask) addLogLikelihood(ctx context.Context, sum float64, n *networks, weights []float64) (float64, bool, error) {
	left := t.opt.states
	worker := cd.NewWorker(t.gradients)
	err := n.each(ctx, &Run{Workers: t.opt.Run.Workers, Labels: t.opt.Run.Labels}, 0, func(ex *example) error {
		ll, ok, err := worker.LogLikelihood(&ex.Example, weights, objectiveExact, &left)
		switch {
		case err == nil && !ok:
			return errTooLarge
		case breaks(ex.Net, ex.Data):
			ll = math.Inf(-1)
		case err != nil:
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

// errTooLarge ends the iteration.
var errTooLarge = errors.New("too many states to enumerate")

// breaks reports whether a state violates a hard constraint.
func breaks(net *network.Network, state []bool) bool {
	for _, c := range net.Clauses {
		if !slices.ContainsFunc(c, func(l network.Lit) bool { return l.True(state) }) {
			return true
		}
	}
	return slices.ContainsFunc(net.HardFeatures, func(f network.Feature) bool { return !f.Root.True(state) })
}
