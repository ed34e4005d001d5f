package resolwe

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"resolwe/format/mln"
	"resolwe/format/source"
	"resolwe/format/subgraph"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// learnExact is the largest component whose expectations are enumerated while learning, objectiveExact that for the
// objective.
const (
	learnExact     = 10
	objectiveExact = 20
)

// LearnTask is what there is to learn, for learners that go over parts of a stream: package distributed.
type LearnTask struct {
	model     *Model // with unit clauses
	opt       LearnOptions
	program   *ground.Program
	means     []float64 // of the prior, by formula
	fixed     []bool
	gradients cd.Options
	trace     tracer
}

// NewLearnTask adds the unit clauses that the model lacks. The error is an *OptionError, or a *NoTargetError.
func NewLearnTask(m *Model, opt LearnOptions) (*LearnTask, error) {
	if err := m.Predicts(); err != nil {
		return nil, err
	}
	if err := opt.fill(); err != nil {
		return nil, err
	}
	m = m.withUnitClauses()
	t := &LearnTask{
		model: m, opt: opt, program: ground.Compile(m.Schema, m.Formulas, ground.Learning),
		gradients: cd.Options{Samples: opt.Samples, Sampler: opt.samplerFor(m), MaxExact: learnExact},
		trace:     opt.Run.newTracer("learn", m.Formulas),
	}
	if opt.Sample {
		t.gradients.MaxExact = 0
	}
	for _, f := range m.Formulas {
		t.means = append(t.means, f.Weight)
		t.fixed = append(t.fixed, f.Hard)
	}
	return t, nil
}

// samplerFor returns what draws the samples. Gibbs sweeps are cheaper; but single flips need not reach every state that
// hard formulas allow, and a few sweeps from the data leave the estimate near it where atoms are tied.
func (o *LearnOptions) samplerFor(m *Model) Method {
	switch {
	case o.Sampler != MethodAuto:
		return o.Sampler
	case o.Method == CD || slices.ContainsFunc(m.Formulas, func(f *mln.Formula) bool { return f.Hard }):
		return MethodMCSAT
	}
	return MethodGibbs
}

// Options returns the options with their defaults.
func (t *LearnTask) Options() LearnOptions { return t.opt }

// NewSchedule returns one that starts at the model's weights.
func (t *LearnTask) NewSchedule() *cd.Schedule { return cd.NewSchedule(t.means, t.fixed, t.opt.Sigma) }

// Pass learns once from a stream of n subgraphs, with an optimizer and the random numbers of that pass, from 0. It returns
// how many it has learned from: fewer, where some are damaged and left out. LearnOptions.Skip plays no part.
func (t *LearnTask) Pass(ctx context.Context, s *Stream, n, pass int, o *cd.Optimizer) (int, error) {
	l := &learnRun{
		LearnTask: t, Schedule: &cd.Schedule{Optimum: o}, source: t.once(s), size: n, updates: -1, chains: map[int][]uint64{},
		pass: pass, last: pass + 1,
	}
	l.setBatch()
	err := l.passes(ctx)
	if errors.Is(err, errNothing) { // all of it may be damaged
		err = nil
	}
	return l.seen, err
}

// Sums returns the exact sums over a stream of n subgraphs at the weights where a schedule wants them. The error is a
// *cd.TiedError where a component has too many atoms; on the pseudo-likelihood it takes that of such a subgraph.
// LearnOptions.Skip plays no part.
func (t *LearnTask) Sums(ctx context.Context, s *Stream, n int, at *cd.Schedule) (*cd.Sums, error) {
	return t.sumsOver(ctx, t.once(s), n, &learnRun{Schedule: at})
}

// sampledStates is how many states of a chain a sum takes for each of LearnOptions.Samples: half of them count, and as many are
// enough to forget the data, at which the chain starts.
const sampledStates = 10

// SampledSums returns sums over a stream of n subgraphs at weights, without the likelihood. Expectations that are not exact
// are taken from chains, with the random numbers of that pass: the sums depend on nothing else, however the stream is cut.
// LearnOptions.Skip plays no part.
func (t *LearnTask) SampledSums(ctx context.Context, s *Stream, n, pass int, weights []float64) (*cd.Sums, error) {
	task := *t
	task.gradients.Samples *= sampledStates
	return task.sumsOver(ctx, t.once(s), n, &learnRun{Schedule: t.NewSchedule().At(weights, cd.Exactly), sampled: true, pass: pass})
}

// sumsOver takes the sums that a run wants at its weights.
func (t *LearnTask) sumsOver(ctx context.Context, source *networks, n int, l *learnRun) (*cd.Sums, error) {
	task := *t
	task.opt.Checkpoints, task.opt.Stop, task.opt.CurveEvery = Checkpoints{}, nil, 0
	l.LearnTask, l.source, l.size, l.sums = &task, source, n, l.Newton.NewSums()
	l.setBatch()
	err := l.onePass(ctx)
	return l.sums, err
}

// Weighted returns the model with weights, but for hard formulas.
func (t *LearnTask) Weighted(weights []float64) *Model {
	formulas := make([]*mln.Formula, len(t.model.Formulas))
	for i, f := range t.model.Formulas {
		g := *f
		if !f.Hard {
			g.Weight, g.HasWeight = weights[i], true
		}
		formulas[i] = &g
	}
	return t.model.With(formulas)
}

// LogPrior returns the logarithm of the weights' prior density, without its constant.
func (t *LearnTask) LogPrior(weights []float64) (sum float64) {
	for i, w := range weights {
		if d := w - t.means[i]; !t.fixed[i] {
			sum -= d * d / (2 * t.opt.Sigma * t.opt.Sigma)
		}
	}
	return sum
}

// LogLikelihood returns the conditional log-likelihood of a stream, and whether it is small enough a task to compute it:
// see Learn.
func (t *LearnTask) LogLikelihood(ctx context.Context, s *Stream, weights []float64) (float64, bool, error) {
	return t.addLogLikelihood(ctx, 0, t.once(s), weights)
}

func (t *LearnTask) addLogLikelihood(ctx context.Context, sum float64, n *networks, weights []float64) (float64, bool, error) {
	left := t.opt.states
	worker := cd.NewWorker(t.gradients)
	run := t.opt.Run.Silent()
	err := n.each(ctx, &run, 0, func(ex *example) error {
		ll, ok, err := worker.LogLikelihood(&ex.Example, weights, objectiveExact, &left)
		switch {
		case err == nil && !ok:
			return errTooLarge
		case cd.Breaks(ex.Net, ex.Data):
			ll = math.Inf(-1)
		case err != nil:
			return &SubgraphError{Name: ex.name, Index: ex.index, Err: explained(err, ex.Net, ex.atoms)}
		}
		sum += ll
		return nil
	})
	if errors.Is(err, errTooLarge) {
		return 0, false, nil
	}
	return sum, err == nil, err
}

// errTooLarge ends the iteration.
var errTooLarge = errors.New("too many states to enumerate")

// example is a ground subgraph.
type example struct {
	cd.Example
	name  string
	index int
	atoms *ground.Atoms // nil where no error can name one
	state []bool        // of its persistent chain
}

// bytes returns about how much memory an example takes. Its atoms hold on to the subgraph.
func (ex *example) bytes() int {
	n := ex.Net.Bytes() + len(ex.Data)
	if ex.atoms != nil {
		n += ex.atoms.Bytes() + int(source.TableBytes(ex.atoms.Sub))
	}
	return n
}

// bytes returns about how much memory both take.
func (k *kept) bytes() (n int) {
	for _, ex := range [...]*example{k.network, k.conditioned} {
		if ex != nil {
			n += ex.bytes()
		}
	}
	return n
}

// lasting returns what is kept of an example: without the subgraph where no hard formula can fail, whose error names atoms;
// and a copy, without spare memory, where atoms are independent.
func (ex *example) lasting() *example {
	net := ex.Net
	if len(net.Clauses)+len(net.HardFeatures) > 0 {
		return ex
	}
	out := &example{name: strings.Clone(ex.name), index: ex.index}
	if len(net.Pairs)+len(net.Bilinears)+len(net.Conjunctions)+len(net.Features) > 0 {
		out.Net, out.Data = net, ex.Data
		return out
	}
	out.Net = &network.Network{
		NumAtoms: net.NumAtoms, Scale: net.Scale, Constant: slices.Clone(net.Constant),
		UnaryStart: slices.Clone(net.UnaryStart), Unary: slices.Clone(net.Unary), PairStart: slices.Clone(net.PairStart),
	}
	out.Data = slices.Clone(ex.Data)
	return out
}

// networks grounds the subgraphs of a stream, and keeps the first of them, as many as fit.
type networks struct {
	task     *LearnTask
	stream   *Stream
	limit    int  // bytes of those that are kept; negative for none
	used     int  // of these bytes; more once a network did not fit
	prepared bool // each for a gradient of its own, while those of the ones before it are computed
	pseudo   bool // those of too large components are wanted as their pseudo-likelihood's

	kept   []kept
	bare   bool         // kept are none but those that are wanted
	end    int          // position behind the last one kept
	whole  bool         // kept is all of them
	room   atomic.Int64 // bytes that what is kept may be prepared with
	spares sync.Pool    // of *cd.Prepared
}

// kept is a ground subgraph, and where its pseudo-likelihood is the likelihood of a conditioned network, that one.
type kept struct{ network, conditioned *example }

// wanted returns the one of both that is learned from.
func (k *kept) wanted() *example {
	if k.conditioned != nil {
		return k.conditioned
	}
	return k.network
}

// once returns the networks of a stream, none of which are kept.
func (t *LearnTask) once(s *Stream) *networks {
	return &networks{task: t, stream: s, limit: -1}
}

// want says whether the pseudo-likelihood is learned from. What was kept stays where it has the networks.
func (n *networks) want(pseudo bool) {
	switch {
	case n.pseudo == pseudo:
	case pseudo || n.bare:
		n.forget()
	default:
		n.used = 0
		for i := range n.kept {
			k := &n.kept[i]
			k.conditioned = nil
			n.used += k.network.bytes()
			k.network.Room = &n.room
		}
		n.room.Store(int64(n.limit - n.used))
	}
	n.pseudo = pseudo
}

// each visits the ground subgraphs from a position on, in stream order. Of a pipe, which cannot be read again, it grounds
// those before the position too.
func (n *networks) each(ctx context.Context, run *Run, from int, visit func(*example) error) error {
	if err := n.eachKept(ctx, run, from, visit); err != nil || n.whole {
		return err
	}
	start := max(from, n.end)
	if n.stream.ReadOnce() {
		start = n.end
	}
	keeps := n.used <= n.limit && start == n.end // no gap
	newGrounder := func() *grounder { return &grounder{Grounder: run.newGrounder(ctx, n.task.program, n.task.trace)} }
	err := Process(ctx, n.stream.Range(start, math.MaxInt), run, newGrounder, n.ground, func(k kept) error {
		if keeps {
			keeps = n.keep(k)
		}
		if k.wanted().index < from {
			return nil
		}
		return visit(k.wanted())
	})
	if n.whole = err == nil && keeps; n.whole {
		n.room.Store(int64(n.limit - n.used))
	}
	return err
}

// eachKept is each on what has been kept.
func (n *networks) eachKept(ctx context.Context, run *Run, from int, visit func(*example) error) error {
	for i := range n.kept {
		ex := n.kept[i].wanted()
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

// grounder grounds subgraphs for one goroutine.
type grounder struct {
	*ground.Grounder
	conditioner cd.Conditioner
}

func (g *grounder) stopWith(ask func() error) { g.Stop = ask }

func (n *networks) ground(g *grounder, sub *subgraph.Subgraph) (kept, error) {
	net, atoms, err := g.Ground(sub)
	if err != nil {
		return kept{}, err
	}
	if err := g.Stop(); err != nil {
		return kept{}, err
	}
	ex := &example{Example: cd.Example{Net: net, Data: atoms.Data()}, name: sub.Name, index: sub.Index, atoms: atoms}
	if n.pseudo {
		if other := g.conditioner.Example(&ex.Example, n.task.gradients.MaxExact); other != nil {
			return kept{ex, &example{Example: *other, name: ex.name, index: ex.index}}, nil
		}
	}
	if n.prepared {
		p, ok := n.spares.Get().(*cd.Prepared)
		if !ok {
			p = &cd.Prepared{}
		}
		p.Prepare(&ex.Example, n.task.gradients)
		ex.Prepared = p
	}
	return kept{network: ex}, nil
}

// keep keeps a ground subgraph if it fits, where need be without networks that are not wanted now.
func (n *networks) keep(k kept) bool {
	if n.bare && k.conditioned != nil {
		k.network = nil
	} else {
		k.network = k.network.lasting()
	}
	if n.used += k.bytes(); n.used > n.limit && n.pseudo && !n.bare {
		n.strip()
		return n.keep(k)
	}
	if n.used > n.limit {
		return false
	}
	k.wanted().Room = &n.room
	n.kept, n.end = append(n.kept, k), k.wanted().index+1
	return true
}

// strip drops the networks that are not wanted now.
func (n *networks) strip() {
	n.bare, n.used = true, 0
	for i := range n.kept {
		if n.kept[i].conditioned != nil {
			n.kept[i].network = nil
		}
		n.used += n.kept[i].bytes()
	}
}

// forget forgets what was kept.
func (n *networks) forget() {
	n.kept, n.bare, n.end, n.whole, n.used = nil, false, 0, false, 0
	n.room.Store(0)
}

// release takes back what a visited example was prepared with, unless that is kept.
func (n *networks) release(ex *example) {
	if ex.Prepared != nil && ex.Room == nil {
		n.spares.Put(ex.Prepared)
		ex.Prepared = nil
	}
}
