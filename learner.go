package resolwe

import (
	"context"
	"errors"
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
	step      func([]*cd.Gradient) error // takes the gradients of a batch
	workers   chan *cd.Worker            // that are free
	gradients cd.Options
	prepared  *sync.Pool      // of *cd.Prepared, for examples that come one by one to an update; nil where the update prepares
	spent     *sync.Pool      // of *example, whose memory the next ones take
	running   *sync.WaitGroup // gradients of the batch
	grads     []*cd.Gradient  // by place in the batch
	errs      []error         // parallel to grads
	means     []float64
	fixed     []bool
	batch     []*example
	size      int              // subgraphs to learn on, as far as is known
	pass      int              // that goes on
	next      int              // position of the first subgraph that the pass has not learned from
	seen      int              // subgraphs learned from, in all passes
	updates   int              // still to come
	stopped   bool             // before the updates were done
	chains    map[int][]uint64 // by position, the state of a persistent chain
	cache     []*example       // of the first whole pass, while it fits
	cached    bool             // it is complete
	cacheable int              // bytes left for the cache; negative where there is to be none
	scores    []cd.Score       // by place in the batch
	curve     []Point
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
		model: m, stream: s, opt: opt, keep: keep, size: n, cacheable: cacheBytes, chains: map[int][]uint64{},
		program: ground.Compile(m.Schema, m.Formulas, ground.Learning), sampler: opt.samplerFor(m),
		trace: opt.Run.newTracer("learn", m.Formulas), spent: &sync.Pool{}, running: &sync.WaitGroup{},
	}
	for _, f := range m.Formulas {
		l.means = append(l.means, f.Weight)
		l.fixed = append(l.fixed, f.Hard)
	}
	l.opt.Batch = min(opt.Batch, n)
	if opt.Passes == 1 && !opt.Objective {
		l.cacheable = -1
	}
	l.updates = opt.Passes * ((n + l.opt.Batch - 1) / l.opt.Batch)
	l.optimum = cd.NewOptimizer(l.means, l.fixed, opt.Sigma, n, l.updates)
	if l.opt.Batch == 1 {
		l.prepared = &sync.Pool{New: func() any { return &cd.Prepared{} }}
	}
	l.gradients = cd.Options{Samples: opt.Samples, Sampler: l.sampler, MaxExact: learnExact}
	if opt.Sample {
		l.gradients.MaxExact = 0
	}
	workers := min(l.opt.Batch, workerCount(opt.Run.Workers))
	l.workers = make(chan *cd.Worker, workers)
	for range workers {
		l.workers <- cd.NewWorker(l.gradients)
	}
	for range l.opt.Batch {
		l.grads = append(l.grads, &cd.Gradient{})
	}
	l.scores, l.errs = make([]cd.Score, l.opt.Batch), make([]error, l.opt.Batch)
	l.step = func(batch []*cd.Gradient) error {
		l.optimum.Update(batch)
		return nil
	}
	return l
}

// run goes over the stream, pass after pass, from where the learner is.
func (l *learner) run(ctx context.Context) error {
	for l.pass < l.opt.Passes && !l.stopped {
		err := l.onePass(ctx)
		if err != nil && !errors.Is(err, errEnough) {
			return l.interrupted(ctx, err)
		}
		if l.seen == 0 {
			return errNothing
		}
		if err == nil {
			l.pass, l.next = l.pass+1, 0
		}
	}
	return l.save()
}

// errEnough ends a reading.
var errEnough = errors.New("learned enough")

// onePass learns from the subgraphs that the pass has left. The error is errEnough where learning is to end.
func (l *learner) onePass(ctx context.Context) error {
	defer l.running.Wait()
	err := l.each(ctx, l.next, func(ex *example) error {
		l.begin(ex)
		if len(l.batch) < l.opt.Batch {
			return nil
		}
		return l.update()
	})
	if err == nil && len(l.batch) > 0 {
		err = l.update()
	}
	return err
}

// each visits the ground subgraphs from a position on, in stream order. The first time that it goes over all of them it
// keeps them, where they fit. Of a pipe, which cannot be read again, it grounds those before the position too.
func (l *learner) each(ctx context.Context, from int, visit func(*example) error) error {
	if l.cached {
		return l.eachCached(ctx, from, visit)
	}
	all := l.cacheable >= 0 && (from == 0 || l.stream.ReadOnce())
	keep := func(i int) bool { return (all || i >= from) && l.keep(i) }
	newGrounder := func() *ground.Grounder {
		g := ground.NewGrounder(l.program)
		g.Trace = l.trace
		return g
	}
	err := ordered(ctx, l.stream, &l.opt.Run, keep, newGrounder,
		func(g *ground.Grounder, sub *subgraph.Subgraph) (*example, error) {
			if old, ok := l.spent.Get().(*example); ok {
				g.Recycle(old.Net, old.atoms)
			}
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
			if all {
				l.remember(ex)
			}
			if ex.index < from {
				return nil
			}
			return visit(ex)
		})
	l.cached = err == nil && all && l.cacheable >= 0
	return err
}

// eachCached is each on what has been kept.
func (l *learner) eachCached(ctx context.Context, from int, visit func(*example) error) error {
	for _, ex := range l.cache {
		if ex.index < from {
			continue
		}
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

// remember keeps a ground subgraph for later readings; where the stream does not fit, none are kept.
func (l *learner) remember(ex *example) {
	if l.cacheable < 0 {
		return
	}
	if l.cacheable -= ex.bytes(); l.cacheable < 0 {
		l.cache = nil
		return
	}
	l.cache = append(l.cache, ex)
}

// begin adds an example to the batch, and begins its gradient once a worker is free. Each has random numbers of its own.
func (l *learner) begin(ex *example) {
	i, w := len(l.batch), <-l.workers
	l.batch = append(l.batch, ex)
	l.running.Go(func() {
		l.errs[i] = l.gradient(w, ex, i)
		l.workers <- w
	})
}

// update takes a step on the batch: its gradients are summed in stream order.
func (l *learner) update() error {
	l.running.Wait()
	for i, ex := range l.batch {
		if err := l.errs[i]; err != nil {
			return &SubgraphError{Name: ex.name, Index: ex.index, Err: explained(err, ex.Net, ex.atoms)}
		}
		if l.opt.Method == PCD && l.opt.Passes > 1 {
			l.chains[ex.index] = packed(l.chains[ex.index], ex.state)
		}
	}
	l.addPoints()
	l.release()
	if err := l.step(l.grads[:len(l.batch)]); err != nil {
		return err
	}
	l.updates--
	l.seen += len(l.batch)
	l.next = l.batch[len(l.batch)-1].index + 1
	l.batch = l.batch[:0]
	return l.pause()
}

// pause saves a checkpoint where one is due. It returns errEnough where learning is to end here.
func (l *learner) pause() error {
	if l.updates != 0 && l.opt.Enough != nil && l.opt.Enough() {
		l.stopped = true
		return errEnough
	}
	if due := l.opt.Checkpoints.Due; due != nil && due() {
		return l.save()
	}
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

// release takes back what the examples of the batch were prepared with, and where none are kept, their networks.
func (l *learner) release() {
	for _, ex := range l.batch {
		if ex.Prepared != nil {
			l.prepared.Put(ex.Prepared)
			ex.Prepared = nil
		}
		if l.cacheable < 0 {
			l.spent.Put(ex)
		}
	}
}

// gradient computes the gradient of the subgraph at a place of the batch. A panic in it is a *pool.PanicError.
func (l *learner) gradient(w *cd.Worker, ex *example, i int) (err error) {
	l.trace.noFormula()
	defer func() {
		if v := recover(); v != nil {
			err = &pool.PanicError{Item: uint64(ex.index), Value: v, Stack: debug.Stack()}
		}
	}()
	ex.state = ex.Data
	if l.opt.Method == PCD {
		ex.state = append([]bool(nil), ex.Data...)
		if err := unpack(ex.state, l.chains[ex.index]); err != nil {
			return err
		}
	}
	l.grads[i].Score = nil
	if l.scored(i) {
		l.grads[i].Score = &l.scores[i]
	}
	return w.Gradient(l.grads[i], &ex.Example, l.optimum.Weights, ex.state, randomFor(learning, l.opt.Seed, ex.index, l.pass))
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

// unpack reads a state that packed stored; without one the state stays as it is. The error is a *CheckpointError: only a
// checkpoint has states of another size.
func unpack(state []bool, bits []uint64) error {
	if bits == nil {
		return nil
	}
	if len(bits) != (len(state)+63)/64 {
		return otherRun("the stream")
	}
	for i := range state {
		state[i] = bits[i/64]>>(i%64)&1 == 1
	}
	return nil
}
