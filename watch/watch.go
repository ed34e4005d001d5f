package watch

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sync/atomic"

	"resolwe"
	"resolwe/format/checkpoint"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/ground"
	"resolwe/kernels/watch"
)

// Watch predicts the subgraphs of a stream in order, block by block, and learns from each block. The model has weights, or candidates, from
// which a first model is selected on the first subgraphs. Its results do not depend on the number of workers. However long the
// stream is, memory holds only the subgraphs of the start, one block, and the blocks whose truth is not known yet.
//
// The error is a *resolwe.OptionError, a *FormulaError, a *resolwe.CheckpointError, what a callback returned, or one of reading the stream.
func Watch(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) (*Summary, error) {
	w, err := run(ctx, m, s, opt)
	if err != nil {
		return nil, err
	}
	t := &w.state.Totals
	return &Summary{
		Subgraphs: t.Subgraphs, Atoms: t.Atoms, Ranked: t.Ranked, Figures: t.means(),
		Alarms: w.state.Alarms, Takeovers: w.state.Model - 1, Model: w.state.Model, Later: w.state.Later,
	}, nil
}

// run watches the stream to its end.
func run(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) (*watcher, error) {
	if err := cmp.Or(m.Predicts(), opt.fill()); err != nil {
		return nil, err
	}
	w := &watcher{ctx: ctx, task: m, opt: opt, prior: 1 / (opt.Sigma * opt.Sigma), labels: watch.NewLabels(mostLabels, nil), parallel: opt.Run.Parallel()}
	w.bare = ground.Compile(m.Schema, nil, ground.Learning)
	w.expected, w.early = map[string]*part{}, map[string][][]uint64{}
	if err := w.check(); err != nil {
		return nil, err
	}
	if err := w.resume(); err != nil {
		return nil, err
	}
	if w.begun() && w.program.Load() == nil {
		if err := w.begin(m.Formulas, 0); err != nil {
			return nil, err
		}
	}
	w.retrieve()
	err := resolwe.Process(ctx, s.WithoutCandidates().WithRepeats(), &w.opt.Run, func() *grounder { return &grounder{} }, w.ground, w.take)
	if err == nil {
		err = w.finish()
	}
	return w, err
}

// FormulaError reports a formula that Watch does not take.
type FormulaError struct{ Formula, Reason string }

// Error names the formula.
func (e *FormulaError) Error() string { return fmt.Sprintf("%s: %s", e.Formula, e.Reason) }

// IsUsage reports that the user must change the model.
func (*FormulaError) IsUsage() bool { return true }

// watcher is a run.
type watcher struct {
	ctx   context.Context //nolint:containedctx // of the run, which the struct is
	task  *resolwe.Model
	opt   Options
	prior float64 // precision of a weight
	fresh bool    // the first model must be selected

	parallel func(n int, task func(int))

	program atomic.Pointer[ground.Program] // nil before the first model
	bare    *ground.Program                // without columns
	columns []*mln.Formula                 // without weights: those of the experts, then others that some model uses
	held    []*item                        // of the start, then of the current block
	over    bool                           // the stream has ended
	labels  *watch.Labels                  // the last known, of atoms

	expected map[string]*part      // by name: subgraphs of which truth is awaited
	early    map[string][][]uint64 // by name: records of the truth of subgraphs that are held
	state    state

	from   int           // position at which the run begins
	wanted map[int]*item // by position: those before it that the checkpoint needs and that are still to be read

	last    int                // position of the last subgraph read
	resumed bool               // what the checkpoint covers is being read
	before  checkpoint.Records // of that; zero in checkpoints of earlier versions
	marks   []int64            // of the checkpoint
}

// item is a subgraph that was read.
type item struct {
	index   int
	sub     *subgraph.Subgraph
	program *ground.Program // that computed the rows; nil if none has

	atomRows
}

// atomRows are the atoms of a subgraph with their columns.
type atomRows struct {
	rows    *watch.Rows // of known truth
	atoms   []labeled
	unknown *watch.Rows // of unknown truth, a row for each; nil if there are none
	asked   []labeled   // these, as if true
}

// check returns a *FormulaError if a formula is hard or does not have exactly one target literal, and an *mln.ReadBackError if one cannot
// be written.
func (w *watcher) check() error {
	for _, f := range w.task.Formulas {
		outside, quantified := w.task.Schema.Targets(f.Body)
		switch {
		case f.Hard:
			return &FormulaError{mln.FormatFormula(f), "watch takes no hard formulas: give it a weight"}
		case len(outside)+len(quantified) != 1:
			return &FormulaError{mln.FormatFormula(f), "watch takes formulas with one target literal only"}
		case !f.HasWeight:
			w.fresh = true
		}
	}
	if w.opt.Adapt == AdaptStructure && !w.fresh {
		return &resolwe.OptionError{Option: "watch.Options.Adapt", Reason: "structure is selected of candidates, formulas without a weight: the model has none"}
	}
	return w.task.Write(io.Discard, nil)
}

// begun reports whether there is a first model.
func (w *watcher) begun() bool { return !w.fresh || w.state.Model > 0 }

// take adds the next subgraph to the start or to the block, and processes a block that is full.
func (w *watcher) take(it *item) error {
	if it.index >= w.from {
		if err := w.verify(); err != nil {
			return err
		}
	}
	if err := w.read(it); err != nil {
		return err
	}
	covered := it.index < w.from // by the checkpoint
	if it.sub.Later {
		if w.state.Later.Records++; !covered {
			w.later(it)
		}
		return nil
	}
	it.index -= w.state.Later.Records
	if covered {
		if awaited := w.wanted[it.index]; awaited != nil {
			awaited.sub = it.sub
			delete(w.wanted, it.index)
		}
		return nil
	}
	if !w.begun() {
		if it.index < w.opt.Start {
			w.held = append(w.held, it)
			return nil
		}
		if err := w.selectFirst(it); err != nil {
			return err
		}
	}
	if len(w.held) == 0 {
		if err := w.credit(); err != nil {
			return err
		}
	}
	if w.held = append(w.held, it); len(w.held) < w.opt.Block {
		return nil
	}
	return w.block(true)
}

// finish predicts the last block, and processes all truth that is still outstanding.
func (w *watcher) finish() error {
	if err := w.verify(); err != nil {
		return err
	}
	if !w.begun() {
		return &resolwe.OptionError{Option: "watch.Options.Start", Reason: fmt.Sprintf("the stream has %d subgraphs, none after the start", len(w.held))}
	}
	if err := w.block(false); err != nil {
		return err
	}
	w.over = true
	return cmp.Or(w.release(), w.credit())
}

// selectFirst selects the first model on those subgraphs of the start whose truth is known when the next one comes; from these the experts also
// learn. From the others they do once their truth is known.
func (w *watcher) selectFirst(next *item) error {
	start := w.held
	w.held = nil
	w.state.Next, w.state.Clock = w.opt.Start, w.timeOf(next)
	var known, waiting []*item
	var subs []*subgraph.Subgraph
	for _, it := range start {
		if w.settled(&pending{Places: []int{it.index}, Latest: w.timeOf(it)}) {
			known, subs = append(known, it), append(subs, stated(it.sub, w.task.Schema, slices.Concat(w.early[it.sub.Name]...)).Complete(w.task.Schema))
		} else {
			waiting = append(waiting, it)
		}
	}
	if len(known) == 0 {
		return &resolwe.OptionError{Option: "watch.Options.Start", Reason: "longer than the delay: of the start, nothing is known yet when it ends"}
	}
	formulas, err := w.selected(w.task, subs)
	if err != nil {
		return err
	}
	if err := w.begin(formulas, w.opt.Start); err != nil {
		return err
	}
	for chunk := range slices.Chunk(known, w.opt.Block) {
		p, err := w.pend(chunk)
		if err != nil {
			return err
		}
		w.learn(p)
		w.await(p.hidden)
		if err := w.credit(); err != nil {
			return err
		}
	}
	for chunk := range slices.Chunk(waiting, w.opt.Block) {
		p, err := w.pend(chunk)
		if err != nil {
			return err
		}
		w.state.Waiting = append(w.state.Waiting, p)
		w.await(p.hidden)
	}
	return nil
}

// selected returns the formulas, with weights, that are selected for a task on some subgraphs.
func (w *watcher) selected(task *resolwe.Model, subs []*subgraph.Subgraph) ([]*mln.Formula, error) {
	opt := w.opt.Select
	opt.Run = resolwe.Run{Workers: w.opt.Run.Workers}
	sel, err := resolwe.Select(w.ctx, task, resolwe.NewStream(task, subs), opt)
	if err != nil {
		return nil, err
	}
	m, _ := sel.Model(task)
	return m.Formulas, nil
}

// begin starts to use the first model at a position of the stream.
func (w *watcher) begin(formulas []*mln.Formula, from int) error {
	var first []float64
	w.columns, first = columnsOf(w.task.Schema.WithUnitClauses(formulas))
	w.compile()
	n := len(w.opt.Horizons) + 1
	s := &w.state
	s.Model, s.Published, s.Frozen = 1, first, first
	s.Shares = slices.Repeat([]float64{1 / float64(n)}, n)
	for _, h := range append(slices.Clone(w.opt.Horizons), math.Inf(1)) {
		s.Experts = append(s.Experts, watch.NewExpert(h, first, w.prior))
	}
	s.Detector = watch.NewDetector(n, mostRetired+1)
	s.Detector.Reset(from)
	s.Alarmed = -1
	s.Base = make([][2]float64, len(w.task.Schema.Predicates))
	s.Last = make([][2]float64, labelStates*len(s.Base))
	if err := w.publish(); err != nil {
		return err
	}
	return w.happened(&Event{Event: "start", Subgraph: from, Model: 1})
}

// learn updates the experts, the counts and the labels with the truth of a block.
func (w *watcher) learn(p *pending) {
	s := &w.state
	w.parallel(len(s.Experts), func(k int) { s.Experts[k].Update(p.Block, w.prior) })
	count := func(into [][2]float64, b *watch.Block) {
		for i, n := range b.Counts {
			to := &into[b.Target[i]]
			to[0] += float64(n[0])
			to[1] += float64(n[1])
		}
	}
	count(s.Base, p.Block)
	count(s.Last, p.Last)
	for _, a := range p.Atoms {
		w.labels.Set(a.Key)
	}
}

// model returns the model with the given weights by column, without formulas of weight 0.
func (w *watcher) model(weights []float64) *resolwe.Model {
	var formulas []*mln.Formula
	for i, f := range w.columns {
		if v := weight(weights, i); v != 0 {
			formulas = append(formulas, f.WithWeight(v))
		}
	}
	return w.task.With(formulas)
}

// publish passes the published model on.
func (w *watcher) publish() error {
	if w.opt.Publish == nil {
		return nil
	}
	return w.opt.Publish(w.state.Model, w.model(w.state.Published))
}

func (w *watcher) happened(e *Event) error {
	if w.opt.Event == nil {
		return nil
	}
	return w.opt.Event(e)
}
