package selecting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/printable"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/stage/run"
	"resolwe/kernels/features"
	"resolwe/kernels/gain"
	"resolwe/kernels/ground"
)

// gainTask is a selection by gain.
type gainTask struct {
	*gain.Task

	model      *run.Model
	candidates []*mln.Candidate
	opt        GainOptions
	budget     *run.Budget
	run        run.Run
	choosing   func(what string, done, total int64)
}

// steps is counting for Options.Choosing.
func (t *gainTask) steps(what string, total int) func(int) { return Counting(t.choosing, what, total) }

// Counting returns what counts steps, of a total, as done; they may be done side by side. tell may be nil.
func Counting(tell func(what string, done, total int64), what string, total int) func(int) {
	if tell == nil {
		return func(int) {}
	}
	var mu sync.Mutex
	done := 0
	return func(n int) {
		mu.Lock()
		defer mu.Unlock()
		done += n
		tell(what, int64(done), int64(total))
	}
}

// GainRows are the query atoms on which selection by gain is based, with the count of each candidate for each of them.
type GainRows = gain.Rows

// GainCounts keep the counts of a selection by gain, for further selections with the same model, stream, Seed and Rows. They take
// about as much memory again as a selection. The zero value is empty.
type GainCounts struct{ of *SelectionCounts }

func newGainTask(m *run.Model, candidates []*mln.Candidate, opt *Options) *gainTask {
	return &gainTask{gain.NewTask(m.Schema, candidates, m.Formulas, opt.Gain.All), m, candidates, opt.Gain, opt.Budget, opt.Run, opt.Choosing}
}

// newRows returns empty rows.
func (t *gainTask) newRows() *GainRows { return t.NewRows(t.opt.Seed, t.opt.Rows) }

// blocks returns the blocks of forward folds, or nil for random folds, with the reason if forward ones could be expected.
func (t *gainTask) blocks(rows *GainRows) (gain.Blocks, string, error) {
	timed, all := rows.Timed()
	switch {
	case t.opt.All || t.opt.Inner == InnerRandom || all == 0:
		return nil, "", nil
	case timed == 0 && t.opt.Inner == InnerForward:
		return nil, "", &run.OptionError{Option: "GainOptions.Inner", Reason: run.NoTimes}
	case timed == 0:
		return nil, "", nil
	case timed < all:
		return nil, "some subgraphs have no time", nil
	}
	blocks, why := rows.Blocks(cmp.Or(t.opt.Support, 20))
	return blocks, why, nil
}

// options returns the options of the kernel.
func (t *gainTask) options(ctx context.Context, blocks gain.Blocks) gain.Options {
	o := gain.Options{
		Formulas: t.opt.Formulas, Depth: t.opt.Depth, Support: t.opt.Support, Shrink: t.opt.Shrink, All: t.opt.All, Blocks: blocks, Gate: *t.opt.Gate,
		Parsimony: t.opt.Parsimony == ParsimonyOn || t.opt.Parsimony == ParsimonyAuto && blocks != nil,
		Run:       t.run.Parallel(), Stop: func() error { return context.Cause(ctx) },
	}
	if o.All && o.Shrink == 0 {
		o.Shrink = allShrink
	}
	return o
}

// gathered holds the rows of a subgraph, by target.
type gathered struct {
	index int
	rows  []features.Subgraph // nil if none are needed
}

// Shares of the time that is left which reading numbers, and counting, may take.
const numbersShare, readShare = 1. / 3, 2. / 3

// grounder returns a grounder that ends with ctx and with a budget.
func (t *gainTask) grounder(ctx context.Context, p *ground.Program, budget *run.Budget) *ground.Grounder {
	g := t.run.NewGrounder(ctx, p)
	g.Stop = func() error { return cmp.Or(context.Cause(ctx), budget.Err()) }
	return g
}

// gather counts on a stream.
func (t *gainTask) gather(ctx context.Context, s *run.Stream) (*SelectionCounts, error) {
	kept := t.opt.Counts
	if t.opt.All && t.Values() {
		kept = nil // a selection without All measures other values
	}
	if kept != nil && kept.of != nil {
		return kept.of, nil
	}
	counts := &SelectionCounts{Rows: t.newRows()}
	budget := t.budget.Part(readShare)
	newCounter := func() *gain.Counter {
		return t.NewCounter(func(p *ground.Program) *ground.Grounder { return t.grounder(ctx, p, budget) })
	}
	var mu sync.RWMutex     // of the rows
	var bounded atomic.Bool // until then all are wanted, and nobody waits for what is being added
	wanted := func(name string) bool {
		if !bounded.Load() {
			return true
		}
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
	err := run.Process(ctx, s, &t.run, newCounter, work, func(got gathered) error {
		mu.Lock()
		defer mu.Unlock()
		counts.Subgraphs++
		if got.rows != nil {
			if err := counts.Rows.Add(got.rows, got.index); err != nil {
				return err
			}
			bounded.Store(counts.Rows.Bounded())
		}
		if n := s.Len(); n >= 0 && counts.Subgraphs == uint64(n) { // #nosec G115 -- not negative
			return nil
		}
		return budget.Err()
	})
	counts.Skipped = uint64(s.Skipped())
	err = counts.counted(err)
	if kept != nil && err == nil && !counts.Stopped {
		counts.Rows.Keep()
		kept.of = counts
	}
	return counts, err
}

// Screen returns, for each target, the gains of single candidates on a stream (see gain.Task.Screen).
func Screen(
	ctx context.Context, m *run.Model, candidates []*mln.Candidate, s *run.Stream, support int, run run.Run,
) (targets []*gain.Target, lists [][]gain.Screened, err error) {
	t := newGainTask(m, candidates, &Options{Run: run})
	counts, err := t.gather(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	lists, err = t.Screen(counts.Rows, gain.Options{Support: support, Stop: func() error { return context.Cause(ctx) }})
	return t.Targets, lists, err
}

// counted returns how counting ended, given its error: by the budget, or with an error, which it is too if nothing was counted.
func (c *SelectionCounts) counted(err error) error {
	switch {
	case !errors.Is(err, run.ErrSpent):
		return err
	case c.Subgraphs == 0:
		return fmt.Errorf("%w before a subgraph was counted", run.ErrBudget)
	}
	c.Stopped = true
	return nil
}

// choose selects on rows, which must not be used again. It also selects formulas with several target literals if their subgraphs
// can be read again. Without blocks, folds are random. With errSpent it returns a selection that lacks those.
func (t *gainTask) choose(ctx context.Context, rows *GainRows, blocks gain.Blocks, again Again) ([]*gain.Selected, error) {
	opt := t.options(ctx, blocks)
	opt.Done = t.steps("choose", len(t.Targets)*opt.Steps())
	opt.Pace = gain.Pace{Used: t.budget.Used(), Workers: run.WorkerCount(t.run.Workers)}
	selected, err := t.Choose(rows, t.candidates, opt)
	if err != nil || t.opt.All || again == nil {
		return selected, err
	}
	opt.Pace, opt.Stop = gain.Pace{}, func() error { return cmp.Or(context.Cause(ctx), t.budget.Err()) }
	y := gain.NewTying(t.model.Schema, selected, t.candidates, opt)
	if y == nil {
		return selected, nil
	}
	positions := func(fold int) (out []int) {
		for _, name := range y.Names(fold) {
			out = append(out, rows.Positions[name])
		}
		return out
	}
	s, err := again(positions(-1))
	if err != nil {
		return nil, err
	}
	for i := range s {
		if s[i], err = t.model.Offers(s[i]); err != nil {
			return nil, err
		}
	}
	compute := func(f *gain.Features) error { return t.compute(ctx, f, s) }
	judged := make([][]int, gain.Folds)
	total := 0
	for fold := range judged {
		judged[fold] = positions(fold)
		total += len(judged[fold])
	}
	var done func(int)
	infer := func(fold int) error {
		if fold == 0 {
			done = t.steps("judge", total)
		}
		return cmp.Or(t.judge(ctx, y, fold, s, judged[fold], done), t.budget.Err())
	}
	return selected, y.Select(compute, infer)
}

// compute computes features on the subgraphs of streams, or on their networks if these were kept.
func (t *gainTask) compute(ctx context.Context, f *gain.Features, streams []*run.Stream) error {
	if n := f.Kept(); n > 0 {
		t.run.Parallel()(n, func(i int) {
			if ctx.Err() == nil && !t.budget.Over() {
				f.Again(i)
			}
		})
		return cmp.Or(context.Cause(ctx), t.budget.Err())
	}
	type setter = func(*subgraph.Subgraph) error
	newSetter := func() setter { return f.NewSetter(t.grounder(ctx, f.Program, t.budget)) }
	work := func(set setter, sub *subgraph.Subgraph) (struct{}, error) { return struct{}{}, set(sub) }
	how, subgraphs := t.run.Silent(), 0
	for _, s := range streams {
		subgraphs += max(s.Len(), 0)
	}
	how.Progress = t.steps("tie", subgraphs)
	for _, s := range streams {
		if err := run.Process(ctx, s, &how, newSetter, work, func(struct{}) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// Samples for inferring marginals to judge formulas with several target literals: in all chains together, and the burn-in of each.
const tiedSamples, tiedBurnIn = 150, 25

// judge infers marginals of subgraphs at some positions of streams, with the model that has not seen their fold.
func (t *gainTask) judge(ctx context.Context, y *gain.Tying, fold int, streams []*run.Stream, positions []int, done func(int)) error {
	formulas := mln.Given(t.model.Formulas)
	for _, s := range y.Targets {
		m := s.FoldModel(fold)
		formulas = slices.Concat(s.Formulas(m), withBias(t.model.Schema, formulas, s.Pred, m.Bias))
	}
	opt := inferring.Options{Samples: tiedSamples, BurnIn: new(tiedBurnIn), Seed: t.opt.Seed, Run: t.run.Silent(), Stop: t.budget.Stop()}
	model := t.model.With(formulas)
	for _, stream := range streams {
		err := inferring.Infer(ctx, model, stream.Pick(positions), opt, func(r *inferring.Marginals) error {
			for _, s := range y.Targets {
				var p []float64
				for at, end := r.Atoms.Of(s.Pred); at < end; at++ {
					if r.Truth(at) != subgraph.Unknown {
						p = append(p, r.P[at])
					}
				}
				s.Observe(fold, r.Subgraph, p)
			}
			done(1)
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

// mostDoubts is how many doubts are reported.
const mostDoubts = 5

// TellDoubts calls say with each of the first five doubts, and with the number of further ones.
func TellDoubts(list []Doubt, say func(string)) {
	for _, d := range list[:min(len(list), mostDoubts)] {
		say(d.String())
	}
	if n := len(list) - mostDoubts; n > 0 {
		say(fmt.Sprintf("%d more formulas may be the answer in disguise", n))
	}
}

// addDoubts adds the candidates of a target that predict the truth suspiciously well.
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
			f.Reason = fmt.Sprintf("is stated only for %v atoms, %d of them", d.Truth, d.Rows)
		}
		s.Doubts = append(s.Doubts, f)
	}
}

// Growth says that what a formula counts or sums follows the size of subgraphs, so that it may say little of larger ones.
type Growth struct {
	Correlation float64 // Spearman's, of its mean in a subgraph and the number of the subgraph's facts
	Share       string  // a candidate, the share of what it counts, which need not grow; "" for none
}

// growth returns whether a selected formula counts what grows, and warns of it; nil if it does not.
func (s *Selection) growth(of *gain.Selected, c *gain.Column, f *mln.Formula) *Growth {
	correlation, candidate, grows := of.Growth(c)
	if !grows || f.Shape == mln.ShapeRelative {
		return nil
	}
	out, instead := &Growth{Correlation: correlation}, ""
	if share := of.ShareOf(candidate); share != nil {
		out.Share = mln.FormatFormula(share.Joint())
		instead = "; a candidate that does not: " + out.Share
	}
	s.say("%s counts what grows with the subgraph (rank correlation %.2f with the number of facts), and may say little of larger ones%s", mln.FormatFormula(f), correlation, instead)
	return out
}

// say adds a warning.
func (s *Selection) say(format string, args ...any) {
	s.Warnings = append(s.Warnings, mln.Diagnostic{Msg: fmt.Sprintf(format, args...)})
}

// warn adds a warning that gives the number of candidates without a grounding, and one that nothing was selected unless that is told.
func (s *Selection) warn(without int, told bool) {
	switch {
	case s.Subgraphs == 0:
		s.say("the stream has no subgraph: nothing was selected")
		return
	case len(s.Selected) == 0 && !told:
		s.say("nothing was selected")
	}
	if without > 0 {
		s.say("on these subgraphs there is no grounding of %s", printable.Count(without, "candidate"))
	}
}

// stop notes what the budget ended.
func (s *Selection) stop(format string, args ...any) {
	s.Stopped = true
	s.say("the budget expired: "+format, args...)
}

// rereads reports whether Select reads a stream more than once.
func (s *Selector) rereads() bool {
	return s.gain != nil && (len(s.NewNumberCounts()) > 0 || !s.opt.Gain.All && gain.Tieable(s.candidates))
}

// candidatesWithout returns how many candidates have no grounding whose evidence holds.
func candidatesWithout(candidates []Scored) (n int) {
	for i := range candidates {
		if candidates[i].Joint.Selected == 0 {
			n++
		}
	}
	return n
}
