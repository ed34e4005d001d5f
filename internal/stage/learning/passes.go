package learning

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/internal/stage/run"
	"resolwe/kernels/cd"
	"resolwe/pool"
)

// learnRun is the state of a run of learning.
type learnRun struct {
	*Task
	*cd.Schedule
	source  *networks
	batch   *batch
	sums    *cd.Sums         // of the current pass, without those still in the batch
	sampled bool             // gradients that are not exact are sampled
	size    int              // subgraphs to learn on, as far as known
	last    int              // one past the last pass
	pass    int              // current pass
	next    int              // position of the first subgraph that the pass has not learned from
	seen    int              // subgraphs learned from, in all passes
	read    int              // of these, since the run was last resumed
	atoms   int              // of those, all
	updates int              // still to come, if known
	stopped bool             // stopped before all updates were done
	chains  map[int][]uint64 // by position, the state of a persistent chain
	curve   []Point
	records string // represents those of the stream, "" for a pipe or without checkpoints
}

// onePassBytes bounds the networks kept if the stream is read only once.
const onePassBytes = 64 << 20

// newRun returns a run that is to learn on a stream of n subgraphs.
func (t *Task) newRun(s *run.Stream, n int) *learnRun {
	l := &learnRun{
		Task: t, Schedule: t.NewSchedule(), source: &networks{task: t, stream: s, limit: t.opt.CacheBytes}, size: n, chains: map[int][]uint64{},
	}
	if t.opt.Passes == 1 {
		l.source.limit = min(l.source.limit, onePassBytes) // so that the objective of a short stream needs no second reading
	}
	if t.opt.Passes == 1 && !t.opt.Objective {
		l.source = t.once(s)
	}
	l.last, l.Rule = cmp.Or(t.opt.Passes, math.MaxInt), t.opt.rule()
	if t.opt.Passes == 0 {
		l.begin(cd.Exactly)
	} else {
		l.begin(cd.Online)
	}
	return l
}

// setBatch sets the batch of the phase. It returns the number of subgraphs per update or, if sums are taken, the number processed
// in parallel.
func (l *learnRun) setBatch() int {
	size := l.opt.BatchOf(l.size)
	if l.Summing() {
		size = min(sumBatch, l.size)
	}
	l.batch, l.source.prepared = newBatch(size, l.Task), size == 1 && l.opt.Method != CDA
	l.source.want(l.Phase == cd.Nearly)
	return size
}

// sumBatch is the number of subgraphs processed in parallel if none waits for another's update.
const sumBatch = 64

// begin begins a phase, from the weights of the last one.
func (l *learnRun) begin(p cd.Phase) {
	l.Phase = p
	size := l.setBatch()
	l.updates = -1
	if p == cd.Online {
		l.updates = l.opt.Passes * ((l.size + size - 1) / size)
	}
	if l.Begin(p, l.size, l.updates); l.Summing() {
		l.sums = l.Newton.NewSums()
	}
}

// passes makes the passes over the stream, from the current state of the run.
func (l *learnRun) passes(ctx context.Context) error {
	for l.pass < l.last && !l.stopped {
		err := l.onePass(ctx)
		switch {
		case errors.Is(err, errStopped):
		case l.Phase == cd.Exactly && errors.As(err, new(*cd.TiedError)):
			l.next, l.seen, l.curve = 0, 0, nil
			l.begin(cd.Nearly)
		case err != nil:
			return l.interrupted(ctx, err)
		case l.seen == 0:
			return errNothing
		default:
			l.pass, l.next = l.pass+1, 0
			if err := l.endPass(); err != nil {
				return err
			}
		}
	}
	return l.save()
}

// errStopped ends the iteration over a stream.
var errStopped = errors.New("stopped")

// onePass learns from the remaining subgraphs of the pass. The error is errStopped if learning is to end.
func (l *learnRun) onePass(ctx context.Context) error {
	err := l.source.each(ctx, &l.opt.Run, l.next, func(ex *example) error {
		l.batch.examples = append(l.batch.examples, ex)
		short := l.opt.Run.Tight != nil && l.opt.Run.Tight()
		// Sums are exact, and so the same however often they are collected.
		if len(l.batch.examples) < len(l.batch.gradients) && (!short || !l.Summing()) {
			return nil
		}
		err := l.update(ctx)
		if short {
			for _, w := range l.batch.learners { // release the workers' memory
				w.Worker = cd.NewWorker(l.gradients)
			}
		}
		return err
	})
	if err == nil && len(l.batch.examples) > 0 {
		err = l.update(ctx)
	}
	return err
}

// endPass does what is due between two passes, and begins the next phase if one is finished.
func (l *learnRun) endPass() error {
	over := l.EndPass(l.sums)
	if l.Summing() {
		l.sums.Clear()
	}
	switch {
	case !over:
	case l.Phase == cd.Nearly:
		if err := l.affordable(); err != nil {
			return err
		}
		l.begin(cd.Settling)
		l.last = l.pass + l.patience()
	default:
		l.last = l.pass
	}
	return nil
}

// patience returns how many passes weights may take to settle: more if a pass has few subgraphs.
func (l *learnRun) patience() int {
	const updates, least, most = 10_000, 20, 1_000
	return min(most, max(least, updates*max(1, l.opt.Batch)/l.size))
}

// update takes a step on the batch, whose gradients are summed in stream order.
func (l *learnRun) update(ctx context.Context) error {
	b := l.batch
	if err := b.compute(ctx, l.gradient); err != nil {
		return err
	}
	n := len(b.examples)
	for i, ex := range b.examples {
		l.read, l.atoms = l.read+1, l.atoms+ex.Net.NumAtoms
		if l.opt.Method == PCD && l.opt.Passes != 1 && !l.Summing() { // in the next pass, chains continue from their states
			l.chains[ex.index] = packed(l.chains[ex.index], ex.state)
		}
		l.addPoint(ex, &b.scores[i])
	}
	l.next = b.examples[n-1].index + 1
	if l.Summing() {
		b.collect(l.sums)
	} else {
		l.Optimum.Update(b.gradients[:n], n)
	}
	if l.Phase == cd.Settling {
		l.Course.Add(l.Optimum.Weights)
	}
	for _, ex := range b.examples {
		l.source.release(ex)
	}
	b.examples = b.examples[:0]
	l.updates--
	l.seen += n
	return l.pause()
}

// pause saves a checkpoint if one is due. It returns errStopped if learning is to end here.
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

// gradient computes the gradient of the i-th subgraph of the batch, with its own random numbers, or adds to sums.
func (l *learnRun) gradient(w *learner, ex *example, g *cd.Gradient, place int) error {
	l.trace.NoFormula()
	g.Score = nil
	if l.opt.Curve {
		g.Score = &l.batch.scores[place]
	}
	if l.Summing() {
		if w.sums == nil {
			w.sums = l.Newton.NewSums()
		}
		if l.sampled {
			return l.sample(w, ex, g)
		}
		return w.Evaluate(w.sums, &ex.Example, l.Newton.Weights, l.Phase == cd.Nearly, g.Score)
	}
	if l.opt.Method == PCD {
		ex.state = slices.Clone(ex.Data)
		if err := unpack(ex.state, l.chains[ex.index]); err != nil {
			return err
		}
	}
	if l.opt.Method == CDA {
		return w.Margin(g, &ex.Example, l.Optimum.Weights, func(first uint32, _ int) *rand.Rand {
			return run.RandomFor(run.ForLearning, l.opt.Seed^uint64(first)*elementary.Golden, ex.index, l.pass)
		})
	}
	return w.Gradient(g, &ex.Example, l.Optimum.Weights, ex.state, run.RandomFor(run.ForLearning, l.opt.Seed, ex.index, l.pass))
}

// sample adds a gradient to sums, from a chain that starts at the data.
func (l *learnRun) sample(w *learner, ex *example, g *cd.Gradient) error {
	err := w.Gradient(g, &ex.Example, l.Newton.Weights, nil, run.RandomFor(run.ForLearning, l.opt.Seed, ex.index, l.pass))
	if err == nil {
		w.sums.Add(g)
	}
	return err
}

// addPoint adds the score of a subgraph to the curve. A subgraph without atoms has none.
func (l *learnRun) addPoint(ex *example, s *cd.Score) {
	if !l.opt.Curve || ex.Net.NumAtoms == 0 {
		return
	}
	p := Point{Pass: l.pass, Index: ex.index, Atoms: s.Atoms, PLL: s.Pseudo / float64(s.Atoms), Exact: s.Exact}
	if s.Exact {
		p.CLL = s.Joint / float64(s.Atoms)
	}
	l.curve = append(l.curve, p)
}

// batch computes the gradients of an update's subgraphs in parallel.
type batch struct {
	examples  []*example
	gradients []*cd.Gradient // by index in the batch, like the next two
	scores    []cd.Score
	errs      []error
	learners  []*learner
}

// learner computes gradients in one goroutine.
type learner struct {
	*cd.Worker
	sums *cd.Sums // what it has summed, if sums are taken
}

// newBatch returns a batch of at most size subgraphs.
func newBatch(size int, t *Task) *batch {
	b := &batch{scores: make([]cd.Score, size), errs: make([]error, size)}
	for range size {
		b.gradients = append(b.gradients, &cd.Gradient{})
	}
	for range min(size, run.WorkerCount(t.opt.Run.Workers)) {
		b.learners = append(b.learners, &learner{Worker: cd.NewWorker(t.gradients)})
	}
	return b
}

// compute computes the gradients, those of large networks first, which would otherwise end last and alone. The error is that of ctx once
// it is done, or else that of the first example that failed; a panic becomes a *pool.PanicError.
func (b *batch) compute(ctx context.Context, gradient func(*learner, *example, *cd.Gradient, int) error) error {
	order := make([]int, len(b.examples))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(b.examples[j].Net.NumAtoms, b.examples[i].Net.NumAtoms) })
	workers, free := pool.NewHelpers(len(b.learners)), make(chan *learner, len(b.learners))
	for _, w := range b.learners {
		free <- w
	}
	workers.Begin()
	workers.Run(len(order), func(k int) {
		w := <-free
		defer func() { free <- w }()
		if w.Stop = func() error { return context.Cause(ctx) }; w.Stop() == nil {
			b.one(w, order[k], gradient)
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for i, ex := range b.examples {
		if err := b.errs[i]; err != nil {
			return &run.SubgraphError{Name: ex.name, Index: ex.index, Err: run.Explained(err, ex.Net, ex.atoms)}
		}
	}
	return nil
}

// one computes the gradient at a place.
func (b *batch) one(w *learner, place int, gradient func(*learner, *example, *cd.Gradient, int) error) {
	ex := b.examples[place]
	defer func() {
		if v := recover(); v != nil {
			b.errs[place] = pool.NewPanicError(uint64(ex.index), v)
		}
	}()
	b.errs[place] = gradient(w, ex, b.gradients[place], place)
}

// collect moves the learners' sums to sums.
func (b *batch) collect(sums *cd.Sums) {
	for _, w := range b.learners {
		if w.sums != nil {
			sums.Merge(w.sums)
			w.sums.Clear()
		}
	}
}
