package resolwe

import (
	"context"
	"slices"

	"resolwe/format/mln"
	"resolwe/kernels/mcsat"
)

// LearnMethod is a way of estimating expectations.
type LearnMethod uint8

// The methods of learning. The zero value is none.
const (
	CD  LearnMethod = iota + 1 // contrastive divergence: chains start at the data
	PCD                        // persistent contrastive divergence: chains go on where they were in the last pass
)

// LearnOptions are the parameters of learning. DefaultLearnOptions gives a complete value to start from.
type LearnOptions struct {
	Sigma     float64      // standard deviation of the Gaussian prior, 1e-6 to 1e6
	Method    LearnMethod  // CD or PCD
	Passes    int          // over the stream, at least 1
	Batch     int          // subgraphs per update, at least 1
	Skip      int          // subgraphs at the beginning that are left out
	Sample    bool         // sample every component of two atoms or more, small ones too (--exact never)
	Samples   int          // per subgraph and update, at least 1
	Sampler   mcsat.Method // MethodMCSAT, MethodGibbs, or MethodAuto for the cheaper one that is sound for the model and method
	Seed      uint64
	Subgraphs int  // how many the stream has, where that is not known from its index: the prior is spread over them
	Objective bool // compute the penalised log-likelihood of the result, where that can be done exactly

	Checkpoints Checkpoints // from which a run that was ended goes on
	CurveEvery  int         // score every so many-th subgraph before it is learned from, see Learned.Curve; 0 for none
	Enough      func() bool // asked after each update; true ends learning with the weights so far; may be nil

	Run Run
}

// DefaultLearnOptions returns one pass of contrastive divergence with five samples and a prior of sigma 2.
func DefaultLearnOptions() LearnOptions {
	return LearnOptions{
		Sigma: 2, Method: CD, Passes: 1, Batch: 1, Samples: 5, Sampler: mcsat.MethodAuto, Seed: 1, Objective: true,
	}
}

// Learned is the outcome of learning.
type Learned struct {
	Model     *Model  // with a weight for each formula that is not hard
	Subgraphs int     // learned on
	Visits    int     // of subgraphs that were learned from, in all passes
	Stopped   bool    // LearnOptions.Enough ended learning: Model has an average in which later weights weigh more
	Curve     []Point // in the order of learning
	Objective float64 // penalised conditional log-likelihood where Exact; -Inf where the data breaks a hard formula
	Exact     bool    // whether the objective was wanted, and could be computed
}

// Learn learns the weights of the model's formulas on a stream, by maximising the conditional log-likelihood with a
// Gaussian prior around the weights that the model has, 0 where it has none. Hard formulas stay hard. Unit clauses of the
// target predicates are added at the end where the model has none.
//
// A stream is read once for each pass, unless its ground networks fit into 256 MiB. Of a pipe, which is read once, the
// options must give the length. The objective is absent where a component of a ground network has more than 20 atoms, where
// enumerating all components would take more than 2^28 states, where a pipe would have to be read again, or where learning
// was stopped.
//
// The error is an *OptionError, a *CheckpointError, a *SubgraphError, ErrReadOnce, what saving a checkpoint returned, or one
// of reading the stream.
func Learn(ctx context.Context, m *Model, s *Stream, opt LearnOptions) (*Learned, error) {
	return learnOn(ctx, m, s, opt, func(i int) bool { return i >= opt.Skip }, -1)
}

var errNothing = &OptionError{"stream", "no subgraph is left to learn on"}

// learnOn learns on the subgraphs whose positions keep accepts, n of them where that is known, else -1.
func learnOn(ctx context.Context, m *Model, s *Stream, opt LearnOptions, keep func(int) bool, n int) (*Learned, error) {
	if err := m.check(s); err != nil {
		return nil, err
	}
	if err := opt.validate(); err != nil {
		return nil, err
	}
	n, err := opt.length(ctx, s, n)
	if err != nil {
		return nil, err
	}
	l := newLearner(m.withUnitClauses(), s, opt, keep, n)
	if err := l.resume(); err != nil {
		return nil, err
	}
	if err := l.run(ctx); err != nil {
		return nil, err
	}
	return l.result(ctx)
}

func (o *LearnOptions) validate() error {
	switch {
	case !(o.Sigma >= 1e-6 && o.Sigma <= 1e6):
		return &OptionError{"sigma", "1e-6 to 1e6"}
	case o.Method != CD && o.Method != PCD:
		return &OptionError{"method", "cd or pcd"}
	case o.Passes < 1:
		return &OptionError{"passes", "at least 1"}
	case o.Batch < 1:
		return &OptionError{"batch", "at least 1"}
	case o.Samples < 1:
		return &OptionError{"cd-samples", "at least 1"}
	case o.CurveEvery < 0:
		return &OptionError{"curve-every", "at least 0"}
	case o.Skip < 0:
		return &OptionError{"skip", "at least 0"}
	case o.Sampler != mcsat.MethodAuto && o.Sampler != mcsat.MethodMCSAT && o.Sampler != mcsat.MethodGibbs:
		return &OptionError{"sampler", "auto, mcsat or gibbs"}
	}
	return nil
}

// samplerFor returns what draws the samples. Gibbs sweeps are cheaper; but single flips need not reach every state that
// hard formulas allow, and a few sweeps from the data leave the estimate near it where atoms are tied.
func (o *LearnOptions) samplerFor(m *Model) mcsat.Method {
	switch {
	case o.Sampler != mcsat.MethodAuto:
		return o.Sampler
	case o.Method == CD || slices.ContainsFunc(m.Formulas, func(f *mln.Formula) bool { return f.Hard }):
		return mcsat.MethodMCSAT
	}
	return mcsat.MethodGibbs
}

// length returns the number of subgraphs to learn on, which is n unless that is negative.
func (o *LearnOptions) length(ctx context.Context, s *Stream, n int) (int, error) {
	switch {
	case n >= 0:
	case s.ReadOnce():
		if o.Passes > 1 {
			return 0, ErrReadOnce
		}
		if o.Subgraphs < 1 {
			return 0, &OptionError{"subgraphs", "a pipe does not tell how many subgraphs it has: give their number"}
		}
		n = o.Subgraphs - o.Skip
	default:
		entries, err := s.Entries(ctx)
		if err != nil {
			return 0, err
		}
		n = 0
		for _, e := range entries {
			if e.Index >= o.Skip {
				n++
			}
		}
	}
	if n < 1 {
		return 0, errNothing
	}
	return n, nil
}
