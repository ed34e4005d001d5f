package cd

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"resolwe/internal/grow"
	"resolwe/kernels/exact"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/network"
)

// Example is a subgraph to learn from.
type Example struct {
	Net  *network.Network
	Data []bool // the truth of the network's atoms

	Conditioned bool // made by a Conditioner: its likelihood is the pseudo-likelihood of the original example

	Prepared *Prepared // for this example; if nil, Gradient prepares it

	// Room, unless nil, is the number of bytes that examples may still keep: while there are any, Gradient and Evaluate keep their
	// preparations in Prepared.
	Room *atomic.Int64

	routes   []loglinear.Route // of the model's components, once known
	maxExact int               // the option from which routes follow
}

// Prepared holds the part of an example's gradients that does not depend on the weights. The zero value is ready for [Prepared.Prepare],
// which reuses its memory.
type Prepared struct {
	model  loglinear.Model
	router exact.Router
	routes []loglinear.Route
	counts []float64 // n_i(data), without the network's constants, in units of Network.Scale
}

// Prepare prepares an example for gradients under the options, which must be the worker's.
func (p *Prepared) Prepare(ex *Example, opt Options) {
	p.model.BindExact(ex.Net, 1)
	if ex.routes == nil || ex.maxExact != opt.MaxExact {
		p.router.Divide(&p.model, max(opt.MaxExact, 1), treeBounds(ex.Net))
		ex.routes, ex.maxExact = slices.Clone(p.router.Routes()), opt.MaxExact
	}
	p.routes = ex.routes
	p.model.SetRoutes(p.routes)
	p.counts = grow.Zeroed(p.counts, len(ex.Net.Constant))
	loglinear.AddCounts(p.counts, ex.Net, ex.Data)
}

// Bytes returns the approximate memory, without the network.
func (p *Prepared) Bytes() int { return grow.Bytes(p) }

// treeBounds limits the junction trees used repeatedly for a network's expectations: there is a table for each formula, and a product for
// each two of them.
func treeBounds(net *network.Network) exact.Bounds {
	f := max(1, len(net.Constant))
	return exact.Bounds{Entries: min(1<<20, 1<<30/f/f), PerAtom: max(8, min(1<<10, 1<<16/f/f))}
}

// Gradient is the contribution of one subgraph to the gradient, by formula.
type Gradient struct {
	Value       []float64 // n_i(data) - E[n_i]
	Information []float64 // F x F by rows: the covariance of the counts, or its pseudo-likelihood approximation; empty with Options.Lean
	Loss        float64   // of Margin
	Atoms       int       // number whose truth depends on the weights
	Score       *Score    // set too, unless nil
}

// Options control how expectations are computed.
type Options struct {
	Samples  int          // MC-SAT samples or Gibbs sweeps per gradient, at least 1; of a chain started at the data only the last half is used
	Sampler  mcsat.Method // MethodMCSAT or MethodGibbs
	Lean     bool         // omit the information from gradients
	MaxExact int          // largest component to enumerate; larger ones use small junction trees if possible; 0 samples every component of two or more atoms
}

// Worker computes gradients, reusing its memory. It must not be used by several goroutines at once.
type Worker struct {
	// Stop, unless nil, is called before each sample, each sweep of a search, and each component of several atoms whose expectation is
	// exact. An error ends the work and is returned.
	Stop func() error

	opt    Options
	own    Prepared
	at     *Prepared // of the current example
	expect exact.Expectation
	chain  mcsat.Chain
	info   Information
	visit  Conditionals
	atoms  atomSums
	sum    []float64
	margin margin
}

// NewWorker returns a worker.
func NewWorker(opt Options) *Worker {
	w := &Worker{opt: opt}
	w.expect.Stop = w.stopped
	return w
}

// Gradient sets dst to the gradient of one subgraph's conditional log-likelihood at the weights. A chain starts at the data (contrastive
// divergence) or, if state is not nil, at state, where it stores its last state (persistent contrastive divergence). The error is a
// *loglinear.UnsatisfiableError.
func (w *Worker) Gradient(dst *Gradient, ex *Example, weights []float64, state []bool, r *rand.Rand) error {
	w.use(ex, weights)
	w.expect.Diagonal = w.opt.Lean
	if err := w.expect.Compute(&w.at.model, true); err != nil {
		return err
	}
	dst.Value, dst.Atoms = grow.Zeroed(dst.Value, len(weights)), ex.Net.NumAtoms
	if dst.Score != nil {
		w.score(dst.Score, ex)
	}
	for i, m := range w.expect.Mean {
		dst.Value[i] = w.at.counts[i] - m
	}
	if dst.Information = dst.Information[:0]; !w.opt.Lean {
		dst.Information = append(dst.Information, w.expect.Cov...)
	}
	if len(w.at.model.Scope.Atoms) > 0 {
		if err := w.sample(dst, ex.Data, state, r); err != nil {
			return err
		}
	}
	dst.scale(ex.Net.Scale)
	return nil
}

// use prepares an example if necessary, and sets the weights.
func (w *Worker) use(ex *Example, weights []float64) {
	if w.at = ex.Prepared; w.at != nil {
		w.at.model.SetWeights(weights)
		return
	}
	w.at = &w.own
	lasting := ex.Room != nil && ex.Room.Load() > 0
	if lasting {
		w.at = &Prepared{}
	}
	w.at.Prepare(ex, w.opt)
	w.at.model.SetWeights(weights)
	if lasting {
		ex.Prepared = w.at
		ex.Room.Add(-int64(w.at.Bytes()))
	}
}

func (w *Worker) stopped() error {
	if w.Stop == nil {
		return nil
	}
	return w.Stop()
}

// scale converts counts from units of a network to those of the formulas.
func (g *Gradient) scale(by []float64) {
	for i, s := range by {
		if g.Value[i] *= s; s == 1 || len(g.Information) == 0 {
			continue
		}
		for j := range by {
			g.Information[i*len(by)+j] *= s
			g.Information[j*len(by)+i] *= s
		}
	}
}

// sample computes the expectations over the sampled atoms. The first half of a chain from the data is too near it and is not used; a
// persistent chain runs several rounds for each sample if the network is small.
func (w *Worker) sample(dst *Gradient, data, state []bool, r *rand.Rand) error {
	opt := mcsat.DefaultOptions()
	opt.Method, opt.Rounds, opt.Sweeps, opt.Blocks = w.opt.Sampler, 1, 1, 0
	start, burnIn := data, w.opt.Samples/2
	if state != nil {
		start, burnIn, opt.Rounds = state, 0, 0
	}
	if err := w.chain.Start(&w.at.model, start, opt, r); err != nil {
		return err
	}
	w.sum = grow.Zeroed(w.sum, len(dst.Value))
	for k := range w.opt.Samples {
		if err := w.stopped(); err != nil {
			return err
		}
		w.chain.Step(r)
		if k >= burnIn {
			w.chain.Accumulate()
		}
	}
	w.chain.AddAccumulated(w.sum)
	for i, s := range w.sum {
		dst.Value[i] -= s / float64(w.opt.Samples-burnIn)
	}
	if !w.opt.Lean {
		w.info.Add(dst.Information, w.chain.Current())
		if net := w.at.model.Net; len(net.Clauses)+len(net.HardFeatures) > 0 {
			dst.widen()
		}
	}
	copy(state, w.chain.State())
	return nil
}

// widen raises the information of each formula to the square of its gradient, whose mean is the information at the optimum (Berndt, Hall,
// Hall and Hausman, 1974). Where hard formulas leave no atom free given the others, single atoms have no information at all.
func (g *Gradient) widen() {
	f := len(g.Value)
	for i, v := range g.Value {
		g.Information[i*f+i] = max(g.Information[i*f+i], float64(v*v))
	}
}

// LogLikelihood returns the conditional log-likelihood of a subgraph's data. It returns false if some component has more than maxAtoms
// atoms and no affordable junction tree. Unless nil, left is the number of states that may still be enumerated (see [exact.Router.States]);
// the subgraph's are subtracted, and if left becomes negative LogLikelihood returns false too. The error is a
// *loglinear.UnsatisfiableError.
func (w *Worker) LogLikelihood(ex *Example, weights []float64, maxAtoms int, left *int) (float64, bool, error) {
	model := &w.own.model
	model.Reset(ex.Net, weights)
	w.own.router.Divide(model, maxAtoms, exact.Affordable)
	if len(model.Scope.Atoms) > 0 {
		return 0, false, nil
	}
	if left != nil {
		if *left -= w.own.router.States(); *left < 0 {
			return 0, false, nil
		}
	}
	if err := w.expect.Compute(model, false); err != nil {
		return 0, false, err
	}
	w.sum = grow.Zeroed(w.sum, len(weights))
	loglinear.AddCounts(w.sum, ex.Net, ex.Data)
	return w.logLikelihood(model, w.sum), true, nil
}

// logLikelihood returns the logarithm of the probability of a state with the given counts.
func (w *Worker) logLikelihood(m *loglinear.Model, counts []float64) float64 {
	ll := -w.expect.LogZ
	for i, n := range counts {
		ll += float64(m.Weights[i] * n)
	}
	return ll
}
