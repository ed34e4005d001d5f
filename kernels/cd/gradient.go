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

	Conditioned bool // made by a Conditioner: its likelihood is the pseudo-likelihood of the example that it was made from

	Prepared *Prepared // of this example; nil has Gradient prepare it

	// Room, unless nil, is how many bytes may still be kept with examples: where there are any, Gradient and Evaluate keep what
	// they prepare in Prepared.
	Room *atomic.Int64

	routes   []loglinear.Route // of the model's components, once they are known
	maxExact int               // of the options by which they are
}

// Prepared is what the gradients of an example need that does not depend on the weights. The zero value is ready for
// [Prepared.Prepare]; its memory is reused by the next one.
type Prepared struct {
	model  loglinear.Model
	router exact.Router
	routes []loglinear.Route
	counts []float64 // n_i(data), without the network's constants, in units of Network.Scale
}

// Prepare prepares an example for gradients under the options, which have to be the worker's.
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

// Bytes returns about how much memory it takes, beside the network.
func (p *Prepared) Bytes() int { return grow.Bytes(p) }

// treeBounds bounds the junction trees on which a network's expectations are taken, time and again: there is a table for each
// formula, and a product for each two of them.
func treeBounds(net *network.Network) exact.Bounds {
	f := max(1, len(net.Constant))
	return exact.Bounds{Entries: min(1<<20, 1<<30/f/f), PerAtom: max(8, min(1<<10, 1<<16/f/f))}
}

// Gradient is what one subgraph says of the weights, by formula.
type Gradient struct {
	Value       []float64 // n_i(data) - E[n_i]
	Information []float64 // F x F by rows: the covariance of the counts, or its pseudo-likelihood approximation
	Atoms       int       // whose truth the weights decide
	Score       *Score    // set too, unless nil
}

// Options say how expectations are taken.
type Options struct {
	Samples  int          // MC-SAT samples or Gibbs sweeps per gradient, at least 1; of a chain from the data the last half counts
	Sampler  mcsat.Method // MethodMCSAT or MethodGibbs
	MaxExact int          // components of at most this many atoms are enumerated, larger ones take junction trees where these are small; 0 samples every one of two or more
}

// Worker computes gradients. It belongs to one goroutine; its memory is reused.
type Worker struct {
	opt    Options
	own    Prepared
	at     *Prepared // of the example at work
	expect exact.Expectation
	chain  mcsat.Chain
	info   Information
	visit  Conditionals
	atoms  atomSums
	sum    []float64
}

// NewWorker returns a worker.
func NewWorker(opt Options) *Worker { return &Worker{opt: opt} }

// Gradient sets dst to the gradient of one subgraph's conditional log-likelihood at the weights. A chain starts
// at the data (contrastive divergence), or where state is not nil, at that, in which it leaves its last one (persistent
// contrastive divergence). The error is a *loglinear.UnsatisfiableError.
func (w *Worker) Gradient(dst *Gradient, ex *Example, weights []float64, state []bool, r *rand.Rand) error {
	w.use(ex, weights)
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
	dst.Information = append(dst.Information[:0], w.expect.Cov...)
	if len(w.at.model.Scope.Atoms) > 0 {
		if err := w.sample(dst, ex.Data, state, r); err != nil {
			return err
		}
	}
	dst.scale(ex.Net.Scale)
	return nil
}

// use prepares an example, unless it is, and sets the weights.
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

// scale turns counts in units of a network into those of the formulas.
func (g *Gradient) scale(by []float64) {
	for i, s := range by {
		if g.Value[i] *= s; s == 1 {
			continue
		}
		for j := range by {
			g.Information[i*len(by)+j] *= s
			g.Information[j*len(by)+i] *= s
		}
	}
}

// sample takes the expectations over the sampled atoms. Of a chain from the data the first half of the samples is too near it
// to count; a persistent one, from a state, takes several rounds for each sample where the network is small.
func (w *Worker) sample(dst *Gradient, data, state []bool, r *rand.Rand) error {
	opt := mcsat.DefaultOptions()
	opt.Method, opt.BurnIn, opt.Rounds, opt.Sweeps, opt.Blocks = w.opt.Sampler, 0, 1, 1, 0
	start, burnIn := data, w.opt.Samples/2
	if state != nil {
		start, burnIn, opt.Rounds = state, 0, 0
	}
	if err := w.chain.Start(&w.at.model, start, opt, r); err != nil {
		return err
	}
	w.sum = grow.Zeroed(w.sum, len(dst.Value))
	for k := range w.opt.Samples {
		w.chain.Step(r)
		if k >= burnIn {
			w.chain.Accumulate()
		}
	}
	w.chain.AddAccumulated(w.sum)
	for i, s := range w.sum {
		dst.Value[i] -= s / float64(w.opt.Samples-burnIn)
	}
	w.info.Add(dst.Information, w.chain.Current())
	copy(state, w.chain.State())
	return nil
}

// LogLikelihood returns the conditional log-likelihood of a subgraph's data, and whether all its components have at most
// maxAtoms atoms or affordable junction trees, without which it is not computed. Unless nil, left is how many states may still be
// enumerated (see [exact.Router.States]); those of the subgraph are taken from it, and where that leaves less than 0 it is not
// computed either. The error is a *loglinear.UnsatisfiableError.
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
	ll := -w.expect.LogZ
	for i, n := range w.sum {
		ll += float64(model.Weights[i] * n)
	}
	return ll, true, nil
}
