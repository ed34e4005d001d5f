package resolwe

import (
	"context"
	"errors"
	"math"
	"runtime/debug"
	"slices"
	"sync"

	"resolwe/format/subgraph"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/pool"
)

// learnRun is where a run of learning stands.
type learnRun struct {
	*LearnTask
	source  networks
	batch   *batch
	optimum *cd.Optimizer
	step    func([]*example, []*cd.Gradient) error // on a batch
	size    int                                    // subgraphs to learn on, as far as is known
	last    int                                    // pass behind the last one
	pass    int                                    // that goes on
	next    int                                    // position of the first subgraph that the pass has not learned from
	seen    int                                    // subgraphs learned from, in all passes
	updates int                                    // still to come
	stopped bool                                   // before the updates were done
	chains  map[int][]uint64                       // by position, the state of a persistent chain
	curve   []Point
}

// newRun begins to learn on a stream of n subgraphs, in batches of at most that size.
func (t *LearnTask) newRun(s *Stream, n, size int) *learnRun {
	size = min(size, n)
	l := &learnRun{
		LearnTask: t, source: networks{task: t, stream: s, room: t.opt.CacheBytes, prepared: size == 1},
		batch: newBatch(size, t), size: n, last: t.opt.Passes, updates: t.opt.Passes * ((n + size - 1) / size),
		chains: map[int][]uint64{},
	}
	if t.opt.Passes == 1 && !t.opt.Objective {
		l.source.room = -1
	}
	l.step = func(_ []*example, gradients []*cd.Gradient) error {
		l.optimum.Update(gradients)
		return nil
	}
	return l
}

// passes goes over the stream, pass after pass, from where the run stands.
func (l *learnRun) passes(ctx context.Context) error {
	for l.pass < l.last && !l.stopped {
		err := l.onePass(ctx)
		if err != nil && !errors.Is(err, errStopped) {
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

// errStopped ends the iteration over a stream.
var errStopped = errors.New("stopped")

// onePass learns from the subgraphs that the pass has left. The error is errStopped where learning is to end.
func (l *learnRun) onePass(ctx context.Context) error {
	defer l.batch.running.Wait()
	err := l.source.each(ctx, &l.opt.Run, l.next, func(ex *example) error {
		l.batch.begin(ex, l.gradient)
		if len(l.batch.examples) < len(l.batch.gradients) {
			return nil
		}
		return l.update()
	})
	if err == nil && len(l.batch.examples) > 0 {
		err = l.update()
	}
	return err
}

// update takes a step on the batch: its gradients are summed in stream order.
func (l *learnRun) update() error {
	b := l.batch
	if err := b.wait(); err != nil {
		return err
	}
	n := len(b.examples)
	for i, ex := range b.examples {
		if l.opt.Method == PCD && l.opt.Passes > 1 {
			l.chains[ex.index] = packed(l.chains[ex.index], ex.state)
		}
		l.addPoint(ex, &b.scores[i], i)
	}
	l.next = b.examples[n-1].index + 1
	err := l.step(b.examples, b.gradients[:n])
	for _, ex := range b.examples {
		l.source.release(ex)
	}
	b.examples = b.examples[:0]
	if err != nil {
		return err
	}
	l.updates--
	l.seen += n
	return l.pause()
}

// pause saves a checkpoint where one is due. It returns errStopped where learning is to end here.
func (l *learnRun) pause() error {
	if l.updates != 0 && l.opt.Stop != nil && l.opt.Stop() {
		l.stopped = true
		return errStopped
	}
	if due := l.opt.Checkpoints.Due; due != nil && due() {
		return l.save()
	}
	return nil
}

// gradient computes the gradient of the subgraph at a place of the batch, with random numbers of its own.
func (l *learnRun) gradient(w *cd.Worker, ex *example, g *cd.Gradient, place int) error {
	l.trace.noFormula()
	if l.opt.Method == PCD {
		ex.state = slices.Clone(ex.Data)
		if err := unpack(ex.state, l.chains[ex.index]); err != nil {
			return err
		}
	}
	g.Score = nil
	if l.scored(place) {
		g.Score = &l.batch.scores[place]
	}
	return w.Gradient(g, &ex.Example, l.optimum.Weights, ex.state, randomFor(learning, l.opt.Seed, ex.index, l.pass))
}

// scored reports whether the subgraph at a place of the batch is scored.
func (l *learnRun) scored(place int) bool {
	return l.opt.CurveEvery > 0 && (l.seen+place)%l.opt.CurveEvery == 0
}

// addPoint adds the score of a subgraph to the curve. One without atoms, or whose data breaks a hard formula, has none.
func (l *learnRun) addPoint(ex *example, s *cd.Score, place int) {
	if !l.scored(place) || ex.Net.NumAtoms == 0 || breaks(ex.Net, ex.Data) {
		return
	}
	p := Point{Pass: l.pass, Index: ex.index, Atoms: s.Atoms, PLL: s.Pseudo / float64(s.Atoms), Exact: s.Exact}
	if s.Exact {
		p.CLL = s.Joint / float64(s.Atoms)
	}
	l.curve = append(l.curve, p)
}

// result returns the averaged weights, and the objective where it is wanted.
func (l *learnRun) result(ctx context.Context) (*Learned, error) {
	out := &Learned{Subgraphs: l.seen / l.opt.Passes, Visits: l.seen, Stopped: l.stopped, Curve: l.curve}
	if l.stopped {
		out.Model, out.Subgraphs = l.Weighted(l.optimum.ResultSoFar()), min(l.seen, l.size)
		return out, nil
	}
	weights := l.optimum.Result()
	out.Model = l.Weighted(weights)
	if !l.opt.Objective || (!l.source.whole && l.source.stream.consumed) {
		return out, nil
	}
	source := &l.source
	if !source.whole {
		source = &networks{task: l.LearnTask, stream: source.stream, room: -1}
	}
	var err error
	out.Objective, out.Exact, err = l.addLogLikelihood(ctx, l.LogPrior(weights), source, weights)
	return out, err
}

// batch computes the gradients of an update's subgraphs side by side.
type batch struct {
	examples  []*example
	gradients []*cd.Gradient // by place in the batch, like the next two
	scores    []cd.Score
	errs      []error
	workers   chan *cd.Worker // that are free
	running   sync.WaitGroup
}

// newBatch returns a batch of at most so many subgraphs.
func newBatch(size int, t *LearnTask) *batch {
	b := &batch{scores: make([]cd.Score, size), errs: make([]error, size)}
	for range size {
		b.gradients = append(b.gradients, &cd.Gradient{})
	}
	workers := min(size, workerCount(t.opt.Run.Workers))
	b.workers = make(chan *cd.Worker, workers)
	for range workers {
		b.workers <- cd.NewWorker(t.gradients)
	}
	return b
}

// begin adds an example, and begins its gradient once a worker is free. A panic in it is a *pool.PanicError.
func (b *batch) begin(ex *example, gradient func(*cd.Worker, *example, *cd.Gradient, int) error) {
	place, w := len(b.examples), <-b.workers
	b.examples = append(b.examples, ex)
	b.running.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				b.errs[place] = &pool.PanicError{Item: uint64(ex.index), Value: v, Stack: debug.Stack()}
			}
			b.workers <- w
		}()
		b.errs[place] = gradient(w, ex, b.gradients[place], place)
	})
}

// wait returns once all gradients are there, with the error of the first that failed.
func (b *batch) wait() error {
	b.running.Wait()
	for i, ex := range b.examples {
		if err := b.errs[i]; err != nil {
			return &SubgraphError{Name: ex.name, Index: ex.index, Err: explained(err, ex.Net, ex.atoms)}
		}
	}
	return nil
}

// example is a ground subgraph.
type example struct {
	cd.Example
	name  string
	index int
	atoms *ground.Atoms
	state []bool // of its persistent chain
}

// bytes returns about how much memory an example takes. Its atoms hold on to the subgraph.
func (ex *example) bytes() int {
	return ex.Net.Bytes() + len(ex.Data) + ex.atoms.Bytes() + int(tableBytes(ex.atoms.Sub))
}

// networks grounds the subgraphs of a stream, and keeps them where they fit.
type networks struct {
	task     *LearnTask
	stream   *Stream
	room     int  // bytes left for those that are kept; negative where none are
	prepared bool // each for a gradient of its own, while those of the ones before it are computed

	kept   []*example // of the first iteration over all of them
	whole  bool       // kept is all of them
	free   sync.Pool  // of *example, whose memory the next ones take
	spares sync.Pool  // of *cd.Prepared
}

// each visits the ground subgraphs from a position on, in stream order. Of a pipe, which cannot be read again, it grounds
// those before the position too.
func (n *networks) each(ctx context.Context, run *Run, from int, visit func(*example) error) error {
	if n.whole {
		return n.eachKept(ctx, run, from, visit)
	}
	all := n.room >= 0 && (from == 0 || n.stream.ReadOnce())
	stream := n.stream
	if !all {
		stream = stream.Range(from, math.MaxInt)
	}
	newGrounder := func() *ground.Grounder {
		g := ground.NewGrounder(n.task.program)
		g.Trace = n.task.trace
		return g
	}
	err := Process(ctx, stream, run, newGrounder, n.ground, func(ex *example) error {
		if all {
			n.keep(ex)
		}
		if ex.index < from {
			return nil
		}
		return visit(ex)
	})
	n.whole = err == nil && all && n.room >= 0
	return err
}

// eachKept is each on what has been kept.
func (n *networks) eachKept(ctx context.Context, run *Run, from int, visit func(*example) error) error {
	for _, ex := range n.kept {
		if ex.index < from {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := visit(ex); err != nil {
			return err
		}
		run.progress(1)
	}
	return nil
}

func (n *networks) ground(g *ground.Grounder, sub *subgraph.Subgraph) (*example, error) {
	if old, ok := n.free.Get().(*example); ok {
		g.Recycle(old.Net, old.atoms)
	}
	net, atoms, err := g.Ground(sub)
	if err != nil {
		return nil, err
	}
	ex := &example{Example: cd.Example{Net: net, Data: atoms.Data()}, name: sub.Name, index: sub.Index, atoms: atoms}
	if n.prepared {
		p, ok := n.spares.Get().(*cd.Prepared)
		if !ok {
			p = &cd.Prepared{}
		}
		p.Prepare(&ex.Example, n.task.gradients)
		ex.Prepared = p
	}
	return ex, nil
}

// keep keeps a ground subgraph; where the stream does not fit, none are kept.
func (n *networks) keep(ex *example) {
	if n.room < 0 {
		return
	}
	if n.room -= ex.bytes(); n.room < 0 {
		n.kept = nil
		return
	}
	n.kept = append(n.kept, ex)
}

// release takes back what a visited example was prepared with, and unless it is kept, its network.
func (n *networks) release(ex *example) {
	if ex.Prepared != nil {
		n.spares.Put(ex.Prepared)
		ex.Prepared = nil
	}
	if n.room < 0 {
		n.free.Put(ex)
	}
}
