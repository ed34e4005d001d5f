package resolwe

import (
	"context"
	"runtime/debug"
	"sync"

	"resolwe/format/subgraph"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
	"resolwe/pool"
)

// learnExact is the largest component whose expectations are enumerated while learning.
const learnExact = 10

// cacheBytes bounds the ground networks that are kept from one pass to the next.
var cacheBytes = 256 << 20

// learner is the state of one run of learning.
type learner struct {
	model     *Model
	stream    *Stream
	opt       LearnOptions
	keep      func(int) bool
	program   *ground.Program
	optimum   *cd.Optimizer
	workers   []*cd.Worker
	gradients cd.Options
	prepared  *sync.Pool // of *cd.Prepared, for examples that come one by one to an update; nil where the update prepares
	grads     []*cd.Gradient
	means     []float64
	fixed     []bool
	batch     []*example
	seen      int
	chains    map[int][]uint64 // by position, the state of a persistent chain
	cache     []*example       // of the first pass, while it fits
	cacheable int              // bytes left for the cache; negative where it did not fit
	sampler   mcsat.Method
	trace     tracer
}

// example is a ground subgraph.
type example struct {
	cd.Example
	name  string
	index int
	atoms *ground.Atoms
	state []bool // where the chain of the current update starts
}

// bytes returns about how much memory an example takes. Its atoms hold on to the subgraph.
func (ex *example) bytes() int {
	return ex.Net.Bytes() + len(ex.Data) + ex.atoms.Bytes() + int(tableBytes(ex.atoms.Sub))
}

func newLearner(m *Model, s *Stream, opt LearnOptions, keep func(int) bool, n int) *learner {
	l := &learner{
		model: m, stream: s, opt: opt, keep: keep, cacheable: cacheBytes, chains: map[int][]uint64{},
		program: ground.Compile(m.Schema, m.Formulas, ground.Learning), sampler: opt.samplerFor(m),
		trace: opt.Run.newTracer("learn", m.Formulas),
	}
	for _, f := range m.Formulas {
		l.means = append(l.means, f.Weight)
		l.fixed = append(l.fixed, f.Hard)
	}
	l.opt.Batch = min(opt.Batch, n)
	updates := opt.Passes * ((n + l.opt.Batch - 1) / l.opt.Batch)
	l.optimum = cd.NewOptimizer(l.means, l.fixed, opt.Sigma, n, updates)
	if l.opt.Batch == 1 {
		l.prepared = &sync.Pool{New: func() any { return &cd.Prepared{} }}
	}
	l.gradients = cd.Options{Samples: opt.Samples, Sampler: l.sampler, MaxExact: learnExact}
	if opt.Sample {
		l.gradients.MaxExact = 0
	}
	for range min(l.opt.Batch, workerCount(opt.Run.Workers)) {
		l.workers = append(l.workers, cd.NewWorker(l.gradients))
	}
	for range l.opt.Batch {
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
	newGrounder := func() *ground.Grounder {
		g := ground.NewGrounder(l.program)
		g.Trace = l.trace
		return g
	}
	return ordered(ctx, l.stream, &l.opt.Run, l.keep, newGrounder,
		func(g *ground.Grounder, sub *subgraph.Subgraph) (*example, error) {
			net, atoms, err := g.Ground(sub)
			if err != nil {
				return nil, err
			}
			ex := &example{
				Example: cd.Example{Net: net, Data: atoms.Data()}, name: sub.Name, index: sub.Index, atoms: atoms,
			}
			l.prepare(ex)
			return ex, nil
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
	if l.cacheable -= ex.bytes(); l.cacheable < 0 {
		l.cache = nil
		return
	}
	l.cache = append(l.cache, ex)
}

// update takes a step on the batch: gradients in parallel, each with random numbers of its own, summed in stream order.
func (l *learner) update(pass int) error {
	errs := make([]error, len(l.batch))
	var group sync.WaitGroup
	for w, worker := range l.workers {
		group.Go(func() {
			for i := w; i < len(l.batch); i += len(l.workers) {
				errs[i] = l.gradient(worker, i, pass)
			}
		})
	}
	group.Wait()
	for i, ex := range l.batch {
		if err := errs[i]; err != nil {
			return &SubgraphError{Name: ex.name, Index: ex.index, Err: explained(err, ex.Net, ex.atoms)}
		}
		if l.opt.Method == PCD && l.opt.Passes > 1 {
			l.chains[ex.index] = packed(l.chains[ex.index], ex.state)
		}
	}
	l.release()
	l.optimum.Update(l.grads[:len(l.batch)])
	l.seen += len(l.batch)
	l.batch = l.batch[:0]
	return nil
}

// prepare prepares an example for its first gradient, while the gradients of those before it are computed.
func (l *learner) prepare(ex *example) {
	if l.prepared == nil {
		return
	}
	if p, ok := l.prepared.Get().(*cd.Prepared); ok {
		p.Prepare(&ex.Example, l.gradients)
		ex.Prepared = p
	}
}

// release takes back what the examples of the batch were prepared with.
func (l *learner) release() {
	for _, ex := range l.batch {
		if ex.Prepared != nil {
			l.prepared.Put(ex.Prepared)
			ex.Prepared = nil
		}
	}
}

// gradient computes the gradient of one subgraph of the batch. A panic in it is a *pool.PanicError.
func (l *learner) gradient(w *cd.Worker, i, pass int) (err error) {
	ex := l.batch[i]
	l.trace.noFormula()
	defer func() {
		if v := recover(); v != nil {
			err = &pool.PanicError{Item: uint64(ex.index), Value: v, Stack: debug.Stack()}
		}
	}()
	ex.state = ex.Data
	if l.opt.Method == PCD {
		ex.state = append([]bool(nil), ex.Data...)
		unpack(ex.state, l.chains[ex.index])
	}
	return w.Gradient(l.grads[i], &ex.Example, l.optimum.Weights, ex.state, randomFor(learning, l.opt.Seed, ex.index, pass))
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
