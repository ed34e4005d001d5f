package resolwe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"resolwe/internal/machine"
	"resolwe/kernels/cd"
)

// LearnMethod is a way of estimating expectations.
type LearnMethod uint8

// The methods of learning.
const (
	CD  LearnMethod = iota + 1 // contrastive divergence: chains start at the data
	PCD                        // persistent contrastive divergence: chains go on where they were in the last pass
)

// LearnOptions are the parameters of learning. The zero value learns to the optimum.
type LearnOptions struct {
	Sigma  float64     // standard deviation of the Gaussian prior, 1e-6 to 1e6; 0 for 2
	Method LearnMethod // CD or PCD; 0 for PCD where Passes is 0, else for CD
	// Passes over the stream, at least 1; 0 for as many as the optimum takes, see Learn, but of a pipe, which is read once,
	// for 1.
	Passes  int
	Batch   int  // subgraphs per update, where these are not sums over the stream; at least 1; 0 for what BatchOf says
	Skip    int  // subgraphs at the beginning that are left out; 0 for none
	Sample  bool // sample every component of two atoms or more, small ones too; by default these are enumerated
	Samples int  // per subgraph and update, at least 1; 0 for 5
	// Sampler is MethodMCSAT, MethodGibbs, or MethodAuto for the cheaper one that is sound for the model and method; 0 for
	// MethodAuto.
	Sampler Method
	Seed    uint64 // of all random numbers; 0 is a valid seed
	// Subgraphs is how many the stream has, where that is not known from its index: the prior is spread over them.
	Subgraphs int
	Objective bool // compute the penalised log-likelihood of the result, where that can be done exactly; by default not
	// CacheBytes bounds the ground networks that are kept from pass to pass; the others are built anew. 0 is for an eighth of
	// the memory that the process may use, taken as 2 GiB where that is not known; negative for none.
	CacheBytes int

	Checkpoints Checkpoints // from which a run that was ended goes on; by default none
	CurveEvery  int         // score every CurveEvery-th subgraph before it is learned from, see Learned.Curve; 0 for none
	Stop        func() bool // asked after each update; true ends learning with the weights so far; nil for never

	Run Run

	states int // bound on the enumeration for the objective; 0 for the usual one
}

// Learned is the outcome of learning.
type Learned struct {
	Model     *Model // with a weight for each formula that is not hard
	Subgraphs int    // learned on
	Visits    int    // of subgraphs that were learned from, in all passes
	Passes    int    // over the stream that were completed
	Stopped   bool   // LearnOptions.Stop ended learning: Model has the best weights, or an average in which later ones weigh more
	Converged bool   // the optimum was reached; false too where that is not known
	// Gradient is the largest component of the objective's gradient an atom, each divided by the standard deviation of its
	// formula's true groundings; NaN where expectations are not exact. Converged is at most 1e-6.
	Gradient float64
	Short    float64 // about how many nats the objective lies below its optimum; NaN where Gradient is
	// Drift is by how many standard errors of a weight the averages over the last two quarters of the updates differ at most;
	// NaN where weights were not learned until these agree. Converged is at most .01, three times in a row.
	Drift     float64
	Curve     []Point // in the order of learning
	Objective float64 // penalised conditional log-likelihood where Exact; -Inf where the data breaks a hard formula
	Exact     bool    // whether the objective was wanted, and could be computed
}

// ShortOfOptimum says by how much learning ended short of the optimum; nothing where it did not, or that is not known.
func (l *Learned) ShortOfOptimum() string {
	switch {
	case l.Converged:
		return ""
	case l.Stopped && math.IsNaN(l.Gradient+l.Drift):
		return ""
	case !math.IsNaN(l.Gradient):
		return fmt.Sprintf("learning ended short of the optimum: about %.3g nats below it, largest gradient %.2g an atom", l.Short, l.Gradient)
	case !math.IsNaN(l.Drift):
		return fmt.Sprintf("learning ended before the weights had settled: they still drift by up to %.2g of a standard error", l.Drift)
	}
	return ""
}

// Learn learns the weights of the model's formulas on a stream, by maximising the conditional log-likelihood with a
// Gaussian prior around the weights that the model has, 0 where it has none. Hard formulas stay hard. Unit clauses of the
// target predicates are added at the end where the model has none.
//
// By default it goes on to the optimum. Where every component of the ground networks has at most 10 atoms, expectations are
// exact, and it takes Newton steps on sums over the whole stream, which are the same in any order, until the gradient is as
// Learned.Gradient says. Else it does so on the pseudo-likelihood (Besag, 1975), and goes on from there with persistent
// contrastive divergence until the weights settle, as Learned.Drift says, or 20 to 1000 passes are over, more of them on
// short streams.
//
// A stream is read once for each pass, but for the first subgraphs, whose ground networks fit into the cache. Of a pipe, which is read once, the
// options must give the length. The objective is absent where a component of a ground network has more than 20 atoms, where
// enumerating all components would take more than 2^28 states, where a pipe would have to be read again, or where learning
// was stopped.
//
// The error is an *OptionError, a *CheckpointError, a *SubgraphError, ErrReadOnce, what saving a checkpoint returned, or one
// of reading the stream.
func Learn(ctx context.Context, m *Model, s *Stream, opt LearnOptions) (*Learned, error) {
	if err := m.check(s); err != nil {
		return nil, err
	}
	if opt.Passes == 0 && s.ReadOnce() {
		opt.Passes = 1
	}
	t, err := NewLearnTask(m, opt)
	if err != nil {
		return nil, err
	}
	_, rest := s.only.Split(opt.Skip)
	s = &Stream{s.origin, rest}
	n, err := t.opt.length(ctx, s)
	if err != nil {
		return nil, err
	}
	l := t.newRun(s, n)
	if err := l.resume(); err != nil {
		return nil, err
	}
	if err := l.passes(ctx); err != nil {
		return nil, err
	}
	return l.result(ctx)
}

// errNothing says that there is nothing to learn from.
var errNothing = &OptionError{"resolwe.Stream", "no subgraph is left to learn on"}

// fill puts the defaults in, and checks the options.
func (o *LearnOptions) fill() error {
	if o.Method == 0 && o.Passes == 0 {
		o.Method = PCD
	}
	o.Sigma, o.Method, o.Sampler = cmp.Or(o.Sigma, 2), cmp.Or(o.Method, CD), cmp.Or(o.Sampler, MethodAuto)
	o.Samples = cmp.Or(o.Samples, 5)
	o.states = cmp.Or(o.states, 1<<28)
	if o.CacheBytes == 0 {
		o.CacheBytes = cmp.Or(machine.Memory(), 2<<30) / 8
	}
	switch {
	case !(o.Sigma >= 1e-6 && o.Sigma <= 1e6):
		return &OptionError{"LearnOptions.Sigma", "1e-6 to 1e6"}
	case o.Method != CD && o.Method != PCD:
		return &OptionError{"LearnOptions.Method", "cd or pcd"}
	case o.Passes < 0:
		return &OptionError{"LearnOptions.Passes", "at least 1, or auto"}
	case o.Batch < 0:
		return &OptionError{"LearnOptions.Batch", "at least 1"}
	case o.Samples < 1:
		return &OptionError{"LearnOptions.Samples", "at least 1"}
	case o.CurveEvery < 0:
		return &OptionError{"LearnOptions.CurveEvery", "at least 0"}
	case o.Skip < 0:
		return &OptionError{"LearnOptions.Skip", "at least 0"}
	case o.Sampler != MethodAuto && o.Sampler != MethodMCSAT && o.Sampler != MethodGibbs:
		return &OptionError{"LearnOptions.Sampler", "auto, mcsat or gibbs"}
	}
	return nil
}

// Bounds of the subgraphs per update: few beside the stream, so that there are hundreds of updates in a pass.
const (
	batchShare   = 256
	largestBatch = 8
)

// BatchOf returns how many of n subgraphs make an update: Batch, by default one for each 256 subgraphs, from 1 to 8.
func (o *LearnOptions) BatchOf(n int) int {
	return max(1, min(n, cmp.Or(o.Batch, min(largestBatch, n/batchShare))))
}

// Validate returns an *OptionError for the first option that is out of range.
func (o *LearnOptions) Validate() error {
	filled := *o
	return filled.fill()
}

// length returns the number of subgraphs of a stream to learn on.
func (o *LearnOptions) length(ctx context.Context, s *Stream) (n int, err error) {
	if s.ReadOnce() {
		if o.Passes > 1 {
			return 0, ErrReadOnce
		}
		if o.Subgraphs < 1 {
			return 0, &OptionError{"LearnOptions.Subgraphs", "a pipe does not tell how many subgraphs it has: give their number"}
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

// Point is the score of a subgraph under the weights before they learned from it (test, then train; Dawid, 1984). Values
// are in nats an atom.
type Point struct {
	Pass  int // from 0
	Index int // position in the stream
	Atoms int // query atoms
	// PLL is the pseudo-log-likelihood: the mean log-probability of an atom's truth given all others, probabilities clipped
	// to 1e-6 and 1 - 1e-6.
	PLL float64
	// CLL is the conditional log-likelihood of the subgraph over its atoms, where Exact: where every component of its ground
	// network is small enough for learning to enumerate.
	CLL   float64
	Exact bool
}

// result returns the weights, what they have reached, and the objective where it is wanted.
func (l *learnRun) result(ctx context.Context) (*Learned, error) {
	out := &Learned{
		Subgraphs: l.seen, Visits: l.seen, Passes: l.pass, Stopped: l.stopped, Curve: l.curve,
	}
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
	if l.stopped || l.Phase == cd.Exactly || !l.opt.Objective || (!l.source.whole && l.source.stream.sources.Consumed()) {
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

// again returns the networks of the stream once more.
func (l *learnRun) again() *networks {
	if l.source.whole {
		return l.source
	}
	return l.once(l.source.stream)
}

// weights returns the weights that learning has led to.
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

// cautious returns the weights after a short step on the part of the first pass that was done.
func (l *learnRun) cautious() []float64 {
	o := l.NewOptimizer(l.opt.Sigma, 1, 1)
	if g := l.sums.Gradient(); g != nil {
		o.Update([]*cd.Gradient{g}, 1)
	}
	return o.Weights
}

// reach says how near the optimum a schedule has come.
func (l *Learned) reach(r cd.Reached) {
	l.Converged, l.Gradient, l.Short, l.Drift = r.Converged, r.Gradient, r.Short, r.Drift
}

// assess says how far weights are from the optimum, and returns false where expectations are not exact.
func (l *learnRun) assess(ctx context.Context, weights []float64, out *Learned) (bool, error) {
	at := l.At(weights, cd.Exactly)
	task := *l.LearnTask
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
