package resolwe

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/gain"
	"resolwe/kernels/ground"
	"resolwe/pool"
)

// gainTask is a selection by gain.
type gainTask struct {
	*gain.Task

	model      *Model
	candidates []*mln.Candidate
	opt        GainOptions
	run        Run
}

// GainRows are the query atoms that selection by gain goes by, and how often each candidate holds for them.
type GainRows = gain.Rows

func newGainTask(m *Model, candidates []*mln.Candidate, opt *SelectOptions) *gainTask {
	return &gainTask{gain.NewTask(m.Schema, candidates, m.Formulas), m, candidates, opt.Gain, opt.Run}
}

// newRows returns no rows.
func (t *gainTask) newRows() *GainRows { return t.NewRows(t.opt.Seed, t.opt.Rows) }

// blocks returns those of forward folds, nil for random ones, and why these are random where forward ones could be expected.
func (t *gainTask) blocks(rows *GainRows) (gain.Blocks, string, error) {
	timed, all := rows.Timed()
	switch {
	case t.opt.All || t.opt.Inner == InnerRandom || all == 0:
		return nil, "", nil
	case timed == 0 && t.opt.Inner == InnerForward:
		return nil, "", &OptionError{"GainOptions.Inner", noTimes}
	case timed == 0:
		return nil, "", nil
	case timed < all:
		return nil, "some subgraphs have no time", nil
	}
	blocks, why := rows.Blocks(t.opt.Support)
	return blocks, why, nil
}

// options returns those of the kernel.
func (t *gainTask) options(ctx context.Context, blocks gain.Blocks) gain.Options {
	o := gain.Options{
		Formulas: t.opt.Formulas, Depth: t.opt.Depth, Support: t.opt.Support, Shrink: t.opt.Shrink, All: t.opt.All, Blocks: blocks,
		Parsimony: t.opt.Parsimony == ParsimonyOn || t.opt.Parsimony == ParsimonyAuto && blocks != nil,
		Run:       t.parallel(), Stop: func() error { return context.Cause(ctx) },
	}
	if o.All && o.Shrink == 0 {
		o.Shrink = allShrink
	}
	return o
}

// parallel returns what runs tasks on the workers.
func (t *gainTask) parallel() func(n int, task func(int)) {
	workers := pool.NewHelpers(workerCount(t.run.Workers))
	workers.Begin()
	return workers.Run
}

// gathered is the rows of a subgraph, by target.
type gathered struct {
	index int
	rows  []gain.Subgraph // nil where none is wanted
}

// gather counts on a stream.
func (t *gainTask) gather(ctx context.Context, s *Stream) (*SelectionCounts, error) {
	counts := &SelectionCounts{Rows: t.newRows()}
	newCounter := func() *gain.Counter {
		return t.NewCounter(func(p *ground.Program) *ground.Grounder { return t.run.newGrounder(ctx, p, nil) })
	}
	var mu sync.RWMutex // of the rows
	wanted := func(name string) bool {
		mu.RLock()
		defer mu.RUnlock()
		return counts.Rows.Wants(name)
	}
	work := func(c *gain.Counter, sub *subgraph.Subgraph) (got gathered, err error) {
		got.index = sub.Index
		if wanted(sub.Name) {
			got.rows, err = c.Count(sub)
		}
		return got, err
	}
	err := Process(ctx, s, &t.run, newCounter, work, func(got gathered) error {
		mu.Lock()
		defer mu.Unlock()
		counts.Subgraphs++
		if got.rows == nil {
			return nil
		}
		return counts.Rows.Add(got.rows, got.index)
	})
	counts.Skipped = uint64(s.Skipped())
	return counts, err
}

// choose selects on rows, which are not to be used any more; formulas of several target literals where their subgraphs can be
// read again. Without blocks folds are random.
func (t *gainTask) choose(ctx context.Context, rows *GainRows, blocks gain.Blocks, again Again) ([]*gain.Selected, error) {
	opt := t.options(ctx, blocks)
	selected, err := t.Choose(rows, t.candidates, opt)
	if err != nil || t.opt.All || again == nil {
		return selected, err
	}
	y := gain.NewTying(t.model.Schema, selected, t.candidates, opt)
	if y == nil {
		return selected, nil
	}
	positions := func(has func(*gain.Selected, int) bool) (out []int) {
		for _, name := range y.Names(has) {
			out = append(out, rows.Positions[name])
		}
		return out
	}
	s, err := again(positions((*gain.Selected).Stacked))
	if err != nil {
		return nil, err
	}
	compute := func(f *gain.Features) error { return t.compute(ctx, f, s) }
	infer := func(fold int) error {
		return t.judge(ctx, y, fold, s, positions(func(s *gain.Selected, row int) bool { return s.InFold(fold, row) }))
	}
	return selected, y.Select(compute, infer)
}

// compute computes features on the subgraphs of streams, or on their networks where these were kept.
func (t *gainTask) compute(ctx context.Context, f *gain.Features, streams []*Stream) error {
	if n := f.Kept(); n > 0 {
		t.parallel()(n, func(i int) {
			if ctx.Err() == nil {
				f.Again(i)
			}
		})
		return context.Cause(ctx)
	}
	newCounter := func() *gain.FeatureCounter { return f.NewCounter(t.run.newGrounder(ctx, f.Program, nil)) }
	work := func(c *gain.FeatureCounter, sub *subgraph.Subgraph) (struct{}, error) { return struct{}{}, c.Set(sub) }
	run := t.run.Silent()
	for _, s := range streams {
		if err := Process(ctx, s, &run, newCounter, work, func(struct{}) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// Samples that marginals are inferred with to judge formulas of several target literals: of all chains, and before those of each.
const tiedSamples, tiedBurnIn = 150, 25

// judge infers the marginals of the subgraphs of streams at some positions with the model that has not seen a fold.
func (t *gainTask) judge(ctx context.Context, y *gain.Tying, fold int, streams []*Stream, positions []int) error {
	formulas := t.model.given()
	for _, s := range y.Targets {
		m := s.FoldModel(fold)
		formulas = slices.Concat(s.Formulas(m), withBias(t.model.Schema, formulas, s.Pred, m.Bias))
	}
	opt := InferOptions{Samples: tiedSamples, BurnIn: new(tiedBurnIn), Seed: t.opt.Seed, Run: t.run.Silent()}
	model := t.model.With(formulas)
	for _, stream := range streams {
		err := Infer(ctx, model, stream.Pick(positions), opt, func(r *Marginals) error {
			for _, s := range y.Targets {
				var p []float64
				for at, end := r.atoms.Of(s.Pred); at < end; at++ {
					if r.Truth(at) != subgraph.Unknown {
						p = append(p, r.P[at])
					}
				}
				s.Observe(fold, r.Subgraph, p)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Doubt is a formula that may be the answer in disguise.
type Doubt struct {
	Formula string
	Reason  string
}

// String names the formula, and says why.
func (d Doubt) String() string {
	return d.Formula + " " + d.Reason + ": it may be the answer in disguise"
}

// mostDoubts is how many of them are reported.
const mostDoubts = 5

// TellDoubts calls say with the first five doubts, and how many more there are.
func TellDoubts(list []Doubt, say func(string)) {
	for _, d := range list[:min(len(list), mostDoubts)] {
		say(d.String())
	}
	if n := len(list) - mostDoubts; n > 0 {
		say(fmt.Sprintf("%d more formulas may be the answer in disguise", n))
	}
}

// addDoubts adds the candidates of a target that tell the truth too well.
func (s *Selection) addDoubts(of *gain.Selected) {
	if of.Result == nil {
		return
	}
	one := func(c int) bool {
		list := of.Candidates[c].Selector
		return len(list) == 1 && list[0].Atom != nil && !list[0].Negated
	}
	for _, d := range of.Matrix.Doubts(one) {
		f := Doubt{Formula: mln.FormatFormula(of.Candidates[d.Candidate].Joint()), Reason: fmt.Sprintf("alone has AUC-ROC %.3f", d.AUC)}
		if d.Only {
			f.Formula = mln.FormatLiteral(of.Candidates[d.Candidate].Selector[0], of.Candidates[d.Candidate].Formula.Vars)
			f.Reason = fmt.Sprintf("is stated of %v atoms only, %d of them", d.Truth, d.Rows)
		}
		s.Doubts = append(s.Doubts, f)
	}
}
