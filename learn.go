package resolwe

import (
	"context"
	"math/rand/v2"

	"golang.org/x/sync/errgroup"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
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
	Sigma     float64 // standard deviation of the Gaussian prior, above 0
	Method    LearnMethod
	Passes    int          // over the stream, at least 1
	Batch     int          // subgraphs per update, at least 1
	Skip      int          // subgraphs at the beginning that are left out
	Sample    bool         // sample every component of two atoms or more, small ones too (--exact never)
	Samples   int          // per subgraph and update, at least 1
	Sampler   mcsat.Method // MethodMCSAT, MethodGibbs, or MethodAuto for the cheaper one that is sound for the model
	Seed      uint64
	Subgraphs int  // how many the stream has, where that is not known from its index: the prior is spread over them
	Objective bool // compute the penalised log-likelihood of the result, where components are small enough
	Run       Run
}

// DefaultLearnOptions returns one pass of contrastive divergence with five samples and a prior of sigma 2.
func DefaultLearnOptions() LearnOptions {
	return LearnOptions{
		Sigma: 2, Method: CD, Passes: 1, Batch: 1, Samples: 5, Sampler: mcsat.MethodAuto, Seed: 1, Objective: true,
	}
}

const (
	// learnExact is the largest component whose expectations are enumerated while learning.
	learnExact = 10
	// objectiveExact is the largest component whose partition function is computed for the objective.
	objectiveExact = 20
	// cacheBytes bounds the ground networks that are kept from one pass to the next.
	cacheBytes = 256 << 20
)

// Learned is the outcome of learning.
type Learned struct {
	Model     *Model  // with a weight for each formula that is not hard
	Subgraphs int     // learned on
	Objective float64 // penalised conditional log-likelihood, where Exact
	Exact     bool
}

// Learn learns the weights of the model's formulas on a stream. Unit clauses of the target predicates are added where
// the model has none.
func Learn(ctx context.Context, m *Model, s *Stream, opt LearnOptions) (*Learned, error) {
	return learnOn(ctx, m, s, opt, func(i int) bool { return i >= opt.Skip }, -1)
}

// learnOn learns on the subgraphs whose positions keep accepts, n of them where that is known, else -1.
func learnOn(ctx context.Context, m *Model, s *Stream, opt LearnOptions, keep func(int) bool, n int) (*Learned, error) {
	if err := m.requireTarget(); err != nil {
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
	for pass := range opt.Passes {
		if err := l.pass(ctx, pass); err != nil {
			return nil, err
		}
	}
	return l.result(ctx)
}

func (o *LearnOptions) validate() error {
	switch {
	case !(o.Sigma > 0):
		return &OptionError{"sigma", "above 0"}
	case o.Passes < 1:
		return &OptionError{"passes", "at least 1"}
	case o.Batch < 1:
		return &OptionError{"batch", "at least 1"}
	case o.Samples < 1:
		return &OptionError{"cd-samples", "at least 1"}
	case o.Skip < 0:
		return &OptionError{"skip", "at least 0"}
	case o.Sampler == mcsat.MethodExact:
		return &OptionError{"sampler", "auto, mcsat or gibbs"}
	}
	return nil
}

// length returns the number of subgraphs to learn on.
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
		n = len(entries) - o.Skip
	}
	if n < 1 {
		return 0, &OptionError{"stream", "no subgraph is left to learn on"}
	}
	return n, nil
}

// learner is the state of one run of learning.
type learner struct {
	model     *Model
	stream    *Stream
	opt       LearnOptions
	keep      func(int) bool
	program   *ground.Program
	optimum   *cd.Optimizer
	workers   []*cd.Worker
	grads     []*cd.Gradient
	means     []float64
	fixed     []bool
	batch     []*example
	seen      int
	chains    map[int][]uint64 // by position, the state of a persistent chain
	cache     []*example       // of the first pass, while it fits
	cacheable int              // bytes left for the cache; negative where it did not fit
	sampler   mcsat.Method
}

// example is a ground subgraph.
type example struct {
	cd.Example
	name  string
	index int
	atoms *ground.Atoms
	state []bool // where the chain of the current update starts
}

func newLearner(m *Model, s *Stream, opt LearnOptions, keep func(int) bool, n int) *learner {
	l := &learner{
		model: m, stream: s, opt: opt, keep: keep, cacheable: cacheBytes, chains: map[int][]uint64{},
		program: ground.Compile(m.Schema, m.Formulas, ground.Learning),
	}
	l.sampler = opt.Sampler
	if l.sampler == mcsat.MethodAuto {
		l.sampler = mcsat.MethodGibbs
	}
	for _, f := range m.Formulas {
		l.means = append(l.means, f.Weight)
		l.fixed = append(l.fixed, f.Hard)
		if f.Hard && opt.Sampler == mcsat.MethodAuto {
			l.sampler = mcsat.MethodMCSAT // single flips need not reach every state that hard formulas allow
		}
	}
	updates := opt.Passes * ((n + opt.Batch - 1) / opt.Batch)
	l.optimum = cd.NewOptimizer(l.means, l.fixed, opt.Sigma, n, updates)
	workers := cd.Options{Samples: opt.Samples, Sampler: l.sampler, MaxExact: learnExact}
	if opt.Sample {
		workers.MaxExact = 0
	}
	for range max(1, min(opt.Batch, workerCount(opt.Run.Workers))) {
		l.workers = append(l.workers, cd.NewWorker(workers))
	}
	for range opt.Batch {
		l.grads = append(l.grads, &cd.Gradient{})
	}
	return l
}

// pass goes over the stream once.
func (l *learner) pass(ctx context.Context, pass int) error {
	err := l.each(ctx, pass == 0, func(ex *example) error {
		l.batch = append(l.batch, ex)
		if len(l.batch) < l.opt.Batch {
			return nil
		}
		return l.update(pass)
	})
	if err == nil && len(l.batch) > 0 {
		err = l.update(pass)
	}
	return err
}

// each visits the ground subgraphs in stream order. The first time it keeps them, where they fit.
func (l *learner) each(ctx context.Context, firstTime bool, visit func(*example) error) error {
	if !firstTime && l.cacheable >= 0 {
		for _, ex := range l.cache {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := visit(ex); err != nil {
				return err
			}
			l.opt.Run.progress(1)
		}
		return nil
	}
	labels := newLabels(l.opt.Run.Labels, "learn", len(l.model.Formulas), func(i int) string {
		return mln.FormatFormula(l.model.Formulas[i])
	})
	newGrounder := func() *ground.Grounder {
		g := ground.NewGrounder(l.program)
		g.Trace = labels
		return g
	}
	return ordered(ctx, l.stream, &l.opt.Run, l.keep, newGrounder,
		func(g *ground.Grounder, sub *subgraph.Subgraph) (*example, error) {
			net, atoms, err := g.Ground(sub)
			if err != nil {
				return nil, err
			}
			return &example{
				Example: cd.Example{Net: net, Data: atoms.Data()}, name: sub.Name, index: sub.Index, atoms: atoms,
			}, nil
		},
		func(ex *example) error {
			if firstTime && l.cacheable >= 0 {
				l.remember(ex)
			}
			return visit(ex)
		})
}

// remember keeps a ground subgraph for later passes; where the stream does not fit, none are kept.
func (l *learner) remember(ex *example) {
	if l.opt.Passes == 1 && !l.opt.Objective {
		l.cacheable = -1
		return
	}
	if l.cacheable -= ex.Net.Bytes() + ex.atoms.Bytes(); l.cacheable < 0 {
		l.cache = nil
		return
	}
	l.cache = append(l.cache, ex)
}

// update takes a step on the batch: gradients in parallel, each with random numbers of its own, summed in stream order.
func (l *learner) update(pass int) error {
	var group errgroup.Group
	for w, worker := range l.workers {
		group.Go(func() error {
			for i := w; i < len(l.batch); i += len(l.workers) {
				if err := l.gradient(worker, i, pass); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, ex := range l.batch {
		if l.opt.Method == PCD && l.opt.Passes > 1 {
			l.chains[ex.index] = packed(l.chains[ex.index], ex.state)
		}
	}
	l.optimum.Update(l.grads[:len(l.batch)])
	l.seen += len(l.batch)
	l.batch = l.batch[:0]
	return nil
}

// gradient computes the gradient of one subgraph of the batch.
func (l *learner) gradient(w *cd.Worker, i, pass int) error {
	ex := l.batch[i]
	ex.state = ex.Data
	if l.opt.Method == PCD {
		ex.state = append([]bool(nil), ex.Data...)
		unpack(ex.state, l.chains[ex.index])
	}
	err := caught(ex.index, func() error {
		return w.Gradient(l.grads[i], &ex.Example, l.optimum.Weights, ex.state, source3(l.opt.Seed, learning, ex.index, pass))
	})
	if err != nil {
		return &SubgraphError{Name: ex.name, Index: ex.index, Err: explained(err, ex.Net, ex.atoms)}
	}
	return nil
}

// result returns the averaged weights, and the objective where it is wanted.
func (l *learner) result(ctx context.Context) (*Learned, error) {
	weights := l.optimum.Result()
	formulas := make([]*mln.Formula, len(l.model.Formulas))
	for i, f := range l.model.Formulas {
		g := *f
		if !f.Hard {
			g.Weight, g.HasWeight = weights[i], true
		}
		formulas[i] = &g
	}
	out := &Learned{Model: l.model.With(formulas), Subgraphs: l.seen / l.opt.Passes}
	if !l.opt.Objective || (l.cacheable < 0 && l.stream.ReadOnce()) {
		return out, nil
	}
	out.Exact = true
	for i, w := range weights {
		if d := w - l.means[i]; !l.fixed[i] {
			out.Objective -= d * d / (2 * l.opt.Sigma * l.opt.Sigma)
		}
	}
	quiet := *l
	quiet.opt.Run.Progress = nil
	err := quiet.each(ctx, false, func(ex *example) error {
		if !out.Exact {
			return nil
		}
		ll, ok, err := l.workers[0].LogLikelihood(&ex.Example, weights, objectiveExact)
		out.Objective += ll
		out.Exact = ok
		return err
	})
	return out, err
}

// packed stores a state, a bit for each atom.
func packed(dst []uint64, state []bool) []uint64 {
	if dst == nil {
		dst = make([]uint64, (len(state)+63)/64)
	}
	clear(dst)
	for i, v := range state {
		if v {
			dst[i/64] |= 1 << (i % 64)
		}
	}
	return dst
}

// unpack reads a state that packed stored; without one the state stays as it is.
func unpack(state []bool, bits []uint64) {
	for i := range state {
		if bits != nil {
			state[i] = bits[i/64]>>(i%64)&1 == 1
		}
	}
}

// What random numbers are drawn for.
const (
	learning = iota
	inferring
)

// source3 returns the random numbers of a purpose, subgraph and pass or chain.
func source3(seed uint64, purpose, index, round int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(purpose)<<60^uint64(index)<<24^uint64(round)))
}
