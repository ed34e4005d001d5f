// Package learning learns the weights of formulas on a stream: to the optimum with exact expectations or sampled ones, or online.
package learning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"resolwe/internal/machine"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/stage/run"
	"resolwe/kernels/cd"
)

// Method is a way of learning.
type Method uint8

// The methods of learning.
const (
	CD  Method = iota + 1 // contrastive divergence: chains start at the data
	PCD                   // persistent contrastive divergence: chains continue from their states in the last pass
	// AdaGrad takes steps along the gradient that CD estimates, with a rate for each weight; CDA learns a margin by coordinate dual
	// ascent, so that its weights maximise no likelihood. They serve comparisons: see [cd.Rule].
	AdaGrad
	CDA
)

// Options are the parameters of learning. The zero value learns to the optimum.
type Options struct {
	Sigma  float64 // standard deviation of the Gaussian prior, 1e-6 to 1e6; 0 for 2
	Method Method  // 0 for PCD if Passes is 0, else for CD
	// Passes over the stream, at least 1; 0 for as many as the optimum needs (see Learn), but 1 for AdaGrad, for CDA, and for a
	// pipe, which is read once.
	Passes  int
	Batch   int  // subgraphs per update, unless updates use sums over the stream; at least 1; 0 for the value of BatchOf
	Skip    int  // subgraphs to leave out at the beginning; 0 for none
	Sample  bool // sample every component of two or more atoms, including small ones, which are enumerated by default
	Samples int  // per subgraph and update, at least 1; 0 for 5
	// Sampler is MethodMCSAT, MethodGibbs, or MethodAuto for the cheapest one that is sound for the model and method; 0 for
	// MethodAuto.
	Sampler inferring.Method
	Seed    uint64 // of all random numbers; 0 for 1
	// Subgraphs is the number of subgraphs in the stream, if it is not known from an index: the prior is divided among them.
	Subgraphs int
	Objective bool // compute the penalised log-likelihood of the result if that can be done exactly, and not for CDA; by default not
	// CacheBytes bounds the ground networks kept from pass to pass; the others are rebuilt. 0 stands for an eighth of the memory
	// that the process may use, or of 2 GiB if that is not known; negative for none.
	CacheBytes int

	Checkpoints run.Checkpoints // how to save and resume a run; by default none
	Curve       bool            // score each subgraph before learning from it, see Learned.Curve
	Stop        func() bool     // called after each update; true ends learning with the weights so far; nil for never

	Run run.Run

	states int // bound on the enumeration for the objective; 0 for the usual one
}

// Learned is the result of learning.
type Learned struct {
	Model     *run.Model // with a weight for each formula that is not hard
	Subgraphs int        // learned on, with those whose data violate a hard formula: nothing is learned from them
	Visits    int        // number of times that a subgraph was learned from, in all passes
	Passes    int        // completed passes over the stream
	Stopped   bool       // Options.Stop ended learning: Model has the best weights, or an average that favours later ones
	Unlabeled bool       // no query atom of known truth was learned from: the weights are those of the prior
	Converged bool       // the optimum was reached; also false if that is not known
	// Gradient is the largest component of the objective's gradient per atom, each divided by the standard deviation of its
	// formula's count of true groundings; NaN if expectations are not exact. Converged means at most 1e-6.
	Gradient float64
	Short    float64 // estimate of the nats by which the objective is below its optimum; NaN if Gradient is
	// Drift is the largest difference between the averages of a weight over the last two quarters of the updates, in standard
	// errors of that weight; NaN unless weights are learned until these agree. Converged means at most .01, three times in a row.
	Drift     float64
	Curve     []Point // in the order of learning
	Objective float64 // penalised conditional log-likelihood if Exact; -Inf if the data violate a hard formula
	Exact     bool    // whether the objective was requested and could be computed
}

// smallDrift is the drift below which weights that have not settled are as good as settled: the share of a standard error that stopping rules
// allow the average of a chain (Vats, Flegal and Jones, Multivariate output analysis for Markov chain Monte Carlo, 2019).
const smallDrift = .05

// ShortOfOptimum says how far short of the optimum learning ended, as a sentence; "" if it did not, or so little that nobody could tell, or that is
// not known.
func (l *Learned) ShortOfOptimum() string {
	switch {
	case l.Converged:
		return ""
	case l.Stopped && math.IsNaN(l.Gradient+l.Drift):
		return ""
	case !math.IsNaN(l.Gradient):
		return fmt.Sprintf("learning ended short of the optimum: about %.3g nats below it, largest gradient %.2g per atom", l.Short, l.Gradient)
	case l.Drift > smallDrift:
		return fmt.Sprintf("learning ended before the weights had settled: they still drift by up to %.2g standard errors", l.Drift)
	}
	return ""
}

// Learn is described with resolwe.Learn.
func Learn(ctx context.Context, m *run.Model, s *run.Stream, opt Options) (*Learned, error) {
	s, err := m.On(s)
	if err != nil {
		return nil, err
	}
	s.CheckHard(m)
	if opt.Passes == 0 && s.ReadOnce() {
		opt.Passes = 1
	}
	t, err := NewTask(m, opt)
	if err != nil {
		return nil, err
	}
	_, s = s.Cut(opt.Skip)
	n, err := t.opt.length(ctx, s)
	if err != nil {
		return nil, err
	}
	l := t.newRun(s, n)
	if l.records, err = opt.Checkpoints.Records(ctx, s); err != nil {
		return nil, err
	}
	if err := l.resume(); err != nil {
		return nil, err
	}
	if err := l.passes(ctx); err != nil {
		return nil, err
	}
	out, err := l.result(ctx)
	if err == nil && out.Unlabeled {
		out.Objective, out.Exact = 0, false
	}
	return out, err
}

// errNothing says that there is nothing to learn from.
var errNothing = &run.OptionError{Option: "resolwe.Stream", Reason: "no subgraph is left to learn on"}

// fill sets the defaults and checks the options.
func (o *Options) fill() error {
	switch online := o.Method == AdaGrad || o.Method == CDA; {
	case o.Passes != 0:
	case online:
		o.Passes = 1
	case o.Method == 0:
		o.Method = PCD
	}
	o.Objective = o.Objective && o.Method != CDA
	o.Sigma, o.Method, o.Sampler = cmp.Or(o.Sigma, 2), cmp.Or(o.Method, CD), cmp.Or(o.Sampler, inferring.MethodAuto)
	o.Samples, o.Seed = cmp.Or(o.Samples, 5), cmp.Or(o.Seed, 1)
	o.states = cmp.Or(o.states, 1<<28)
	if o.CacheBytes == 0 {
		o.CacheBytes = cmp.Or(machine.Memory(), 2<<30) / 8
	}
	for _, x := range [...]struct {
		wrong          bool
		option, reason string
	}{
		{!(o.Sigma >= 1e-6 && o.Sigma <= 1e6), "LearnOptions.Sigma", "1e-6 to 1e6"}, // NaN too
		{o.Method > CDA, "LearnOptions.Method", "cd, pcd, adagrad or cda"},
		{o.Method == CDA && (o.Sample || o.Sampler != inferring.MethodAuto), "LearnOptions.Method", "cda takes most probable states: nothing is sampled"},
		{o.Passes < 0, "LearnOptions.Passes", "at least 1, or auto"},
		{o.Batch < 0, "LearnOptions.Batch", "at least 1"},
		{o.Samples < 1, "LearnOptions.Samples", "at least 1"},
		{o.Skip < 0, "LearnOptions.Skip", "at least 0"},
		{o.Sampler != inferring.MethodAuto && o.Sampler != inferring.MethodMCSAT && o.Sampler != inferring.MethodGibbs, "LearnOptions.Sampler", "auto, mcsat or gibbs"},
	} {
		if x.wrong {
			return &run.OptionError{Option: x.option, Reason: x.reason}
		}
	}
	return nil
}

// Bounds of the subgraphs per update: few compared with the stream, so that a pass has hundreds of updates.
const (
	batchShare   = 256
	largestBatch = 8
)

// BatchOf returns the number of subgraphs per update for a stream of n: Batch or, by default, one for each 256 subgraphs, from 1 to
// 8.
func (o *Options) BatchOf(n int) int {
	return max(1, min(n, cmp.Or(o.Batch, min(largestBatch, n/batchShare))))
}

// Validate returns an *OptionError for the first option that is out of range.
func (o *Options) Validate() error {
	filled := *o
	return filled.fill()
}

// length returns the number of subgraphs of a stream to learn on.
func (o *Options) length(ctx context.Context, s *run.Stream) (n int, err error) {
	if s.ReadOnce() {
		if o.Passes > 1 {
			return 0, run.ErrReadOnce
		}
		if o.Subgraphs < 1 {
			return 0, &run.OptionError{Option: "LearnOptions.Subgraphs", Reason: "the number of subgraphs in a pipe is unknown: give it"}
		}
		n = o.Subgraphs - o.Skip
	} else {
		entries, err := s.Entries(ctx)
		if err != nil {
			return 0, err
		}
		n = len(entries)
	}
	if n < 1 {
		return 0, errNothing
	}
	return n, nil
}

// Point is the score of a subgraph under the weights before learning from it (test, then train; Dawid, 1984). Values are in nats
// per atom.
type Point struct {
	Pass  int // from 0
	Index int // position in the stream
	Atoms int // query atoms
	// PLL is the pseudo-log-likelihood: the mean log-probability of an atom's truth given all others, with probabilities clipped to
	// 1e-6 and 1 - 1e-6.
	PLL float64
	// CLL is the conditional log-likelihood of the subgraph divided by its number of atoms. It is defined if Exact, that is, if
	// learning has exact expectations for every component of its ground network.
	CLL   float64
	Exact bool
}

// result returns the weights, how near they are to the optimum, and the objective if it is requested.
func (l *learnRun) result(ctx context.Context) (*Learned, error) {
	out := &Learned{
		Subgraphs: l.seen, Visits: l.seen, Passes: l.pass, Stopped: l.stopped, Curve: l.curve,
	}
	out.Unlabeled = l.read > 0 && l.atoms == 0
	out.reach(l.Reached())
	if l.pass > 0 {
		out.Subgraphs /= l.pass
	}
	if l.stopped {
		out.Subgraphs = min(l.seen, l.size)
	}
	weights := l.weights()
	out.Model = l.Weighted(weights)
	if l.Phase == cd.Exactly && l.opt.Objective && !l.stopped {
		out.Objective, out.Exact = l.Newton.Objective(), true
	}
	if l.stopped || l.Phase == cd.Exactly || !l.opt.Objective || (!l.source.whole && l.source.stream.Consumed()) {
		return out, nil
	}
	if l.Phase == cd.Online {
		if found, err := l.assess(ctx, weights, out); found || err != nil {
			return out, err
		}
	}
	var err error
	out.Objective, out.Exact, err = l.addLogLikelihood(ctx, l.LogPrior(weights), l.again(), weights)
	return out, err
}

// again returns the networks of the stream for another iteration.
func (l *learnRun) again() *networks {
	if l.source.whole {
		return l.source
	}
	return l.once(l.source.stream)
}

// weights returns the learned weights.
func (l *learnRun) weights() []float64 {
	switch {
	case l.Summing() && l.Newton.Rounds == 0:
		return l.cautious()
	case l.Summing():
		return l.Newton.Best
	case l.Phase == cd.Settling:
		if weights := l.Course.Result(); weights != nil {
			return weights
		}
		return l.Optimum.ResultSoFar()
	case l.stopped:
		return l.Optimum.ResultSoFar()
	}
	return l.Optimum.Result()
}

// cautious returns the weights after a short step on the finished part of the first pass.
func (l *learnRun) cautious() []float64 {
	o := l.NewOptimizer(l.opt.Sigma, 1, 1)
	if g := l.sums.Gradient(); g != nil {
		o.Update([]*cd.Gradient{g}, 1)
	}
	return o.Weights
}

// reach records how near a schedule has come to the optimum.
func (l *Learned) reach(r cd.Reached) {
	l.Converged, l.Gradient, l.Short, l.Drift = r.Converged, r.Gradient, r.Short, r.Drift
	l.Unlabeled = l.Unlabeled || r.Unlabeled
}

// assess records how far weights are from the optimum. It returns false if expectations are not exact.
func (l *learnRun) assess(ctx context.Context, weights []float64, out *Learned) (bool, error) {
	at := l.At(weights, cd.Exactly)
	task := *l.Task
	task.opt.Run.Progress = nil
	sums, err := task.sumsOver(ctx, l.again(), l.size, &learnRun{Schedule: at})
	switch {
	case errors.As(err, new(*cd.TiedError)):
		return false, nil
	case err != nil:
		return false, err
	}
	at.EndPass(sums)
	out.reach(at.Reached())
	out.Objective, out.Exact = at.Newton.Objective(), true
	return true, nil
}
