package watch

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/ground"
	"resolwe/kernels/watch"
)

// Watch predicts the subgraphs of a stream in order, block by block, and learns from each block. The model has weights, or candidates,
// of which a first model is then selected on the first subgraphs. Its results do not depend on the number of workers. It holds the
// subgraphs of the start, a block, and what waits for its truth, whatever the length of the stream.
//
// The error is an *resolwe.OptionError, a *FormulaError, a *resolwe.CheckpointError, what a callback returned, or one of reading the
// stream.
func Watch(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) (*Summary, error) {
	w, err := run(ctx, m, s, opt)
	if err != nil {
		return nil, err
	}
	t := &w.state.Totals
	return &Summary{
		Subgraphs: t.Subgraphs, Atoms: t.Atoms, Ranked: t.Ranked, Figures: t.means(),
		Alarms: w.state.Alarms, Takeovers: w.state.Model - 1, Model: w.state.Model,
	}, nil
}

// run watches the stream to its end.
func run(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) (*watcher, error) {
	if err := cmp.Or(m.Predicts(), opt.fill()); err != nil {
		return nil, err
	}
	w := &watcher{ctx: ctx, task: m, opt: opt, prior: 1 / (opt.Sigma * opt.Sigma)}
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
	err := resolwe.Process(ctx, s.Range(w.state.Next, math.MaxInt), &w.opt.Run, func() *grounder { return &grounder{} }, w.ground, w.take)
	if err == nil {
		err = w.finish()
	}
	return w, err
}

// FormulaError says that a formula cannot be watched.
type FormulaError struct{ Formula, Reason string }

// Error names the formula.
func (e *FormulaError) Error() string { return fmt.Sprintf("%s: %s", e.Formula, e.Reason) }

// IsUsage reports that the model is the wrong one.
func (*FormulaError) IsUsage() bool { return true }

// watcher is a run.
type watcher struct {
	ctx   context.Context //nolint:containedctx // of the run, which the struct is
	task  *resolwe.Model
	opt   Options
	prior float64 // precision of a weight
	fresh bool    // the first model is to be selected

	program atomic.Pointer[ground.Program] // nil before the first model
	columns []*mln.Formula                 // without weights
	held    []*item                        // of the start, then of the block that is read
	state   state
}

// grounder computes columns for one goroutine.
type grounder struct {
	program  *ground.Program
	grounder *ground.Grounder
}

// item is a subgraph that was read.
type item struct {
	index int
	sub   *subgraph.Subgraph
	rows  *watch.Rows // nil where it was read before the first model
}

// check returns a *FormulaError where a formula has several target literals, or none, or is hard.
func (w *watcher) check() error {
	for _, f := range w.task.Formulas {
		n := targets(w.task.Schema, f.Body)
		switch {
		case f.Hard:
			return &FormulaError{mln.FormatFormula(f), "watch takes no hard formulas: give it a weight"}
		case n != 1:
			return &FormulaError{mln.FormatFormula(f), "watch takes formulas with one target literal only"}
		case !f.HasWeight:
			w.fresh = true
		}
	}
	return nil
}

// targets returns how many target literals an expression has.
func targets(schema *mln.Schema, x mln.Expr) (n int) {
	if a, ok := x.(*mln.Atom); ok && schema.Predicates[a.Pred].Role.IsTarget() {
		return 1
	}
	for _, y := range mln.Operands(x) {
		n += targets(schema, y)
	}
	return n
}

// begun reports whether there is a first model.
func (w *watcher) begun() bool { return !w.fresh || w.state.Model > 0 }

// ground computes the columns of a subgraph, where it is known by now which.
func (w *watcher) ground(g *grounder, sub *subgraph.Subgraph) (*item, error) {
	it := &item{index: sub.Index, sub: sub}
	return it, w.fill(g, it)
}

// fill computes the columns of a subgraph, where they are known and it has none.
func (w *watcher) fill(g *grounder, it *item) error {
	p := w.program.Load()
	if p == nil || it.rows != nil {
		return nil
	}
	if g.program != p {
		g.program, g.grounder = p, ground.NewGrounder(p)
		g.grounder.Stop = func() error { return context.Cause(w.ctx) }
		if w.opt.Run.Watch != nil {
			g.grounder.Watch = w.opt.Run.Watch()
		}
	}
	net, atoms, err := g.grounder.Ground(it.sub)
	if err != nil {
		return err
	}
	rows, data := &watch.Rows{}, atoms.Data()
	var columns []int32
	var values []float64
	for a, truth := range data {
		columns, values = columns[:0], values[:0]
		for _, c := range net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]] {
			v := float64(c.Mult)
			if net.Scale != nil {
				v *= net.Scale[c.Formula]
			}
			columns, values = append(columns, int32(c.Formula)), append(values, v)
		}
		target, _ := atoms.Args(atoms.Query(a), nil)
		n := 0
		if truth {
			n = 1
		}
		rows.Add(target, columns, values, n)
	}
	it.rows = rows.Merge()
	return nil
}

// take takes in the next subgraph.
func (w *watcher) take(it *item) error {
	if !w.begun() {
		if it.index < w.opt.Start {
			w.held = append(w.held, it)
			return nil
		}
		if err := w.selectFirst(); err != nil {
			return err
		}
	}
	if w.held = append(w.held, it); len(w.held) < w.opt.Block {
		return nil
	}
	return w.block(true)
}

// finish predicts the last block, and takes in all truth that was not known.
func (w *watcher) finish() error {
	if !w.begun() {
		return &resolwe.OptionError{Option: "watch.Options.Start", Reason: fmt.Sprintf("the stream has %d subgraphs, none after the start", len(w.held))}
	}
	if err := w.block(false); err != nil {
		return err
	}
	return w.release(math.MaxInt)
}

// selectFirst selects the first model on the subgraphs of the start, which the experts learn from as well.
func (w *watcher) selectFirst() error {
	start := w.held
	w.held = nil
	subs := make([]*subgraph.Subgraph, len(start))
	for i, it := range start {
		subs[i] = it.sub.Complete(w.task.Schema)
	}
	formulas, err := w.selected(subs)
	if err != nil {
		return err
	}
	if err := w.begin(formulas, w.opt.Start); err != nil {
		return err
	}
	for chunk := range slices.Chunk(start, w.opt.Block) {
		b, err := w.join(chunk)
		if err != nil {
			return err
		}
		w.learn(b)
	}
	return nil
}

// selected selects formulas with weights on subgraphs.
func (w *watcher) selected(subs []*subgraph.Subgraph) ([]*mln.Formula, error) {
	opt := w.opt.Select
	opt.Run = resolwe.Run{Workers: w.opt.Run.Workers}
	sel, err := resolwe.Select(w.ctx, w.task, resolwe.NewStream(w.task, subs), opt)
	if err != nil {
		return nil, err
	}
	m, _ := sel.Model(w.task)
	return m.Formulas, nil
}

// begin puts the first model in use, from a position of the stream on.
func (w *watcher) begin(formulas []*mln.Formula, from int) error {
	for pred, p := range w.task.Schema.Predicates {
		if p.Role.IsTarget() && !mln.HasUnitClause(formulas, pred) {
			formulas = append(slices.Clip(formulas), mln.UnitClause(w.task.Schema, pred))
		}
	}
	first := w.setColumns(formulas)
	w.compile()
	n := len(w.opt.Horizons) + 1
	s := &w.state
	s.Model, s.Published, s.Frozen = 1, first, first
	s.Shares = slices.Repeat([]float64{1 / float64(n)}, n)
	s.Experts = w.experts(first)
	s.Detector = watch.NewDetector(n, mostRetired+1)
	s.Detector.Reset(from)
	s.Alarmed = -1
	s.Base = make([][2]float64, len(w.task.Schema.Predicates))
	if err := w.publish(); err != nil {
		return err
	}
	return w.happened(&Event{Event: "start", Subgraph: from, Model: 1})
}

// experts returns new ones, which begin at the weights of a model.
func (w *watcher) experts(weights []float64) (out []*watch.Expert) {
	for _, h := range w.opt.Horizons {
		out = append(out, watch.NewExpert(h, weights, w.prior))
	}
	return append(out, watch.NewExpert(math.Inf(1), weights, w.prior))
}

// setColumns makes the columns of formulas, one for equal ones, and returns their weights.
func (w *watcher) setColumns(formulas []*mln.Formula) (weights []float64) {
	place := map[string]int{}
	for _, f := range formulas {
		g := *f
		g.Weight, g.HasWeight = 0, false
		text := mln.FormatFormula(&g)
		i, ok := place[text]
		if !ok {
			i = len(w.columns)
			place[text] = i
			w.columns, weights = append(w.columns, &g), append(weights, 0)
		}
		weights[i] += f.Weight
	}
	return weights
}

// compile makes the program of the columns.
func (w *watcher) compile() {
	w.program.Store(ground.Compile(w.task.Schema, w.columns, ground.Learning))
}

// join returns the block of subgraphs, and computes the columns of those that have others.
func (w *watcher) join(items []*item) (*watch.Block, error) {
	g := &grounder{}
	rows := make([]*watch.Rows, len(items))
	for i, it := range items {
		if err := w.fill(g, it); err != nil {
			return nil, &resolwe.SubgraphError{Name: it.sub.Name, Index: it.index, Err: err}
		}
		rows[i] = it.rows
	}
	return watch.NewBlock(rows), nil
}

// together runs n tasks on the workers.
func (w *watcher) together(n int, run func(int)) {
	var group sync.WaitGroup
	if w.opt.Run.Workers == 1 {
		for i := range n {
			run(i)
		}
		return
	}
	for i := range n {
		group.Go(func() { run(i) })
	}
	group.Wait()
}

// learn has the experts learn from a block, and counts its truth.
func (w *watcher) learn(b *watch.Block) {
	w.together(len(w.state.Experts), func(k int) { w.state.Experts[k].Update(b, w.prior) })
	for i, n := range b.Counts {
		base := &w.state.Base[b.Target[i]]
		base[0] += float64(n[0])
		base[1] += float64(n[1])
	}
}

// model returns what weights by column say.
func (w *watcher) model(weights []float64) *resolwe.Model {
	var formulas []*mln.Formula
	for i, f := range w.columns {
		if weights[i] != 0 {
			g := *f
			g.Weight, g.HasWeight = weights[i], true
			formulas = append(formulas, &g)
		}
	}
	return w.task.With(formulas)
}

// publish hands the published model on.
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
