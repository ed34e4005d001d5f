package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"resolwe/format/mln"
	"resolwe/internal/machine"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/stage/run"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
)

// learnExact is the largest component whose expectations are enumerated while learning, objectiveExact that for the
// objective.
const (
	learnExact     = 10
	objectiveExact = 20
)

// Task is a learning problem, for learners that work on parts of a stream (package distributed).
type Task struct {
	model     *run.Model // with unit clauses
	opt       Options
	program   *ground.Program
	means     []float64 // of the prior, by formula
	fixed     []bool
	gradients cd.Options
	trace     run.Tracer
}

// NewTask returns the task of learning a model's weights, and adds missing unit clauses. The error is an *OptionError, a
// *NoTargetError, or one that there is too little memory for so many weights.
func NewTask(m *run.Model, opt Options) (*Task, error) {
	if err := m.Predicts(); err != nil {
		return nil, err
	}
	if err := opt.fill(); err != nil {
		return nil, err
	}
	m = m.With(m.Schema.WithUnitClauses(m.Formulas))
	t := &Task{
		model: m, opt: opt, program: ground.Compile(m.Schema, m.Formulas, ground.Learning),
		gradients: cd.Options{Samples: opt.Samples, Sampler: opt.samplerFor(m), MaxExact: learnExact, Lean: opt.rule() != cd.NewtonSteps},
		trace:     opt.Run.NewTracer("learn", m.Formulas),
	}
	if opt.Sample {
		t.gradients.MaxExact = 0
	}
	for _, f := range m.Formulas {
		t.means = append(t.means, f.Weight)
		t.fixed = append(t.fixed, f.Hard)
	}
	if opt.Passes > 0 {
		if err := t.affordable(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// affordable returns an error where online learning would need more memory than is allowed for the matrices of Newton steps: the information and
// the matrix of a step, and both of a gradient, which have a row and a column for each weight.
func (t *Task) affordable() error {
	const matrices = 4
	n := uint64(len(t.means))
	bytes := matrices * n * n * uint64(unsafe.Sizeof(t.means[0]))
	err := machine.Within(bytes, "fewer formulas, or LearnOptions.Method adagrad,")
	if err != nil && t.opt.rule() == cd.NewtonSteps {
		return fmt.Errorf("learning the weights of %d formulas takes %d matrices of %d x %d numbers, %v: %w", n, matrices, n, n, machine.Size(bytes), err)
	}
	return nil
}

// samplerFor returns the sampler to use. Gibbs sweeps are cheaper; but single flips need not reach every state that hard formulas
// allow, and if atoms are tied, a few sweeps from the data leave the estimate close to the data.
func (o *Options) samplerFor(m *run.Model) inferring.Method {
	switch {
	case o.Sampler != inferring.MethodAuto:
		return o.Sampler
	case o.Method != PCD || slices.ContainsFunc(m.Formulas, func(f *mln.Formula) bool { return f.Hard }):
		return inferring.MethodMCSAT
	}
	return inferring.MethodGibbs
}

// rule returns that of the updates.
func (o *Options) rule() cd.Rule {
	switch o.Method {
	case AdaGrad:
		return cd.AdaptiveGradient
	case CDA:
		return cd.DualAscent
	case CD, PCD:
	}
	return cd.NewtonSteps
}

// Options returns the options with their defaults.
func (t *Task) Options() Options { return t.opt }

// NewSchedule returns a schedule that starts at the model's weights.
func (t *Task) NewSchedule() *cd.Schedule { return cd.NewSchedule(t.means, t.fixed, t.opt.Sigma) }

// Pass learns once from a stream of n subgraphs, with an optimizer and the random numbers of the given pass, counted from 0. It
// returns how many subgraphs it has learned from: fewer than n if damaged ones are skipped. Options.Skip has no effect.
func (t *Task) Pass(ctx context.Context, s *run.Stream, n, pass int, o *cd.Optimizer) (int, error) {
	l := &learnRun{
		Task: t, Schedule: &cd.Schedule{Optimum: o}, source: t.once(s), size: n, updates: -1, chains: map[int][]uint64{},
		pass: pass, last: pass + 1,
	}
	l.setBatch()
	err := l.passes(ctx)
	if errors.Is(err, errNothing) { // all of it may be damaged
		err = nil
	}
	return l.seen, err
}

// Sums returns the exact sums over a stream of n subgraphs, at the weights at which a schedule needs them. If a component has too
// many atoms, the error is a *cd.TiedError; if the schedule is on the pseudo-likelihood, Sums uses that for such a subgraph.
// Options.Skip has no effect.
func (t *Task) Sums(ctx context.Context, s *run.Stream, n int, at *cd.Schedule) (*cd.Sums, error) {
	return t.sumsOver(ctx, t.once(s), n, &learnRun{Schedule: at})
}

// sampledStates is how many states of a chain a sum takes for each of Options.Samples. The second half counts; the first is
// long enough to forget the data, where the chain starts.
const sampledStates = 10

// SampledSums returns sums over a stream of n subgraphs at the given weights, without the likelihood. Expectations that are not
// exact come from chains with the random numbers of the given pass; the sums do not depend on how the stream is cut.
// Options.Skip has no effect.
func (t *Task) SampledSums(ctx context.Context, s *run.Stream, n, pass int, weights []float64) (*cd.Sums, error) {
	task := *t
	task.gradients.Samples *= sampledStates
	return task.sumsOver(ctx, t.once(s), n, &learnRun{Schedule: t.NewSchedule().At(weights, cd.Exactly), sampled: true, pass: pass})
}

// sumsOver computes the sums that a run needs at its weights.
func (t *Task) sumsOver(ctx context.Context, source *networks, n int, l *learnRun) (*cd.Sums, error) {
	task := *t
	task.opt.Checkpoints, task.opt.Stop, task.opt.Curve = run.Checkpoints{}, nil, false
	l.Task, l.source, l.size, l.sums = &task, source, n, l.Newton.NewSums()
	l.setBatch()
	err := l.onePass(ctx)
	return l.sums, err
}

// Weighted returns the model with weights; hard formulas stay hard.
func (t *Task) Weighted(weights []float64) *run.Model {
	formulas := slices.Clone(t.model.Formulas)
	for i, f := range formulas {
		if !f.Hard {
			formulas[i] = f.WithWeight(weights[i])
		}
	}
	return t.model.With(formulas)
}

// LogPrior returns the logarithm of the weights' prior density, without its constant.
func (t *Task) LogPrior(weights []float64) (sum float64) {
	for i, w := range weights {
		if d := w - t.means[i]; !t.fixed[i] {
			sum -= d * d / (2 * t.opt.Sigma * t.opt.Sigma)
		}
	}
	return sum
}

// LogLikelihood returns the conditional log-likelihood of a stream, and whether the task is small enough to compute it: see Learn.
func (t *Task) LogLikelihood(ctx context.Context, s *run.Stream, weights []float64) (float64, bool, error) {
	return t.addLogLikelihood(ctx, 0, t.once(s), weights)
}

func (t *Task) addLogLikelihood(ctx context.Context, sum float64, n *networks, weights []float64) (float64, bool, error) {
	left := t.opt.states
	worker := cd.NewWorker(t.gradients)
	worker.Stop = func() error { return context.Cause(ctx) }
	silent := t.opt.Run.Silent()
	err := n.each(ctx, &silent, 0, func(ex *example) error {
		ll, ok, err := worker.LogLikelihood(&ex.Example, weights, objectiveExact, &left)
		switch {
		case err == nil && !ok:
			return errTooLarge
		case err != nil:
			return &run.SubgraphError{Name: ex.name, Index: ex.index, Err: run.Explained(err, ex.Net, ex.atoms)}
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
