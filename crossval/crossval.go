package crossval

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"resolwe"
	"resolwe/format/checkpoint"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/stage/selecting"
)

// Options are the parameters of cross-validation. The zero value is four folds.
type Options struct {
	Systems  []System                 // the first is compared with each of the others; nil for Defaults, and paper if Select has another criterion than gain
	Folds    int                      // used if the stream names none, at least 2; 0 for 4; forward in time if all subgraphs have times
	Split    float64                  // if not 0, instead of folds train on this share of the stream, from its beginning, and test on the rest
	From     resolwe.Time             // if known, instead of folds train on the subgraphs before that time, and test on the rest
	Forward  int                      // if not 0, the number of folds forward in time, at least 1: the training data of each are everything before it
	Random   bool                     // folds that the stream does not name are drawn at random, whether or not subgraphs have times
	Test     int                      // maximum test subgraphs per fold, the same for all systems, drawn at random by Seed; 0 for all, as in a row task
	LearnOn  LearnOn                  // by default LearnAuto
	Null     *resolwe.Stream          // if not nil, the null stream on which the first system is also tried; not saved in checkpoints
	Discover *resolwe.DiscoverOptions // if not nil, each fold first finds candidates in its training subgraphs; its Budget has no effect
	Budget   *resolwe.Budget          // limits the time; see Run
	Select   resolwe.SelectOptions
	Learn    resolwe.LearnOptions // Skip, Subgraphs, Objective and Checkpoints have no effect
	Infer    resolwe.InferOptions // Stop has no effect: all systems are tested on the same subgraphs
	Seed     uint64               // of the shuffle into folds, and of Test; 0 for 1
	Run      resolwe.Run          // replaces those of the steps; progress counts the subgraphs of all steps
	Now      func() time.Time     // the clock for Seconds; may be nil
	Stage    func(string)         // called as each step begins; may be nil
	Warn     func(string)         // called with warnings of selection, once for each text; may be nil
	Begin    func(total int)      // called first, with the number of subgraphs that progress will count; may be nil

	// Checkpoints say how to save finished work, after each system of each fold and whenever discovery saves, and how to resume a
	// run. Due is called only by discovery.
	Checkpoints resolwe.Checkpoints

	auto bool // Forward is set because the subgraphs have times
}

// LearnOn says which training subgraphs the systems that select by a threshold learn on.
type LearnOn uint8

// The values of LearnOn.
const (
	LearnAuto LearnOn = iota // the rest after selection, or all if fewer than k2 remain
	LearnRest                // those that selection did not use
	LearnAll                 // all, including those that selection used
)

// Run tests each system on each fold, trained on all other folds. Folds come from the stream, or else from a shuffle of it. The
// stream is read several times; for a pipe the error is resolwe.ErrReadOnce. If no folds can be formed, the error is a *FoldError;
// for a checkpoint of another run, a *resolwe.CheckpointError; other errors are those of Select, Learn, Infer and of saving.
//
// If an error ends the run after its first fold, Run also returns the result of the finished folds. If the budget expires, that
// is no error: Result.Left lists what was not done. If it expires in the first fold, the systems that were done with it are
// compared; if there are none, the error is resolwe.ErrBudget. The discovery of a fold may take half of the fold's even share of the time left.
// If that ends it, checkpoints leave the fold out, so that a run that continues has the results of an uninterrupted one.
func Run(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) (*Result, error) {
	r, err := prepare(ctx, m, s, &opt)
	if err != nil {
		return nil, err
	}
	if opt.Begin != nil {
		opt.Begin(r.workLeft())
	}
	limited, cancel := opt.Budget.Context(ctx)
	defer cancel()
	for fold := r.first; fold < len(r.folds); fold++ {
		err := r.fold(limited, fold)
		switch {
		case err == nil:
		case resolwe.Expired(ctx, err):
			return r.expired(fold)
		case fold == r.first:
			return nil, err
		default:
			return r.result(fold), err
		}
	}
	out := r.result(len(r.folds))
	out.Left = r.cut
	if opt.Null != nil {
		opt.Stage(nullName)
		out.Null, err = opt.onNull(limited, m)
		if resolwe.Expired(ctx, err) {
			out.Left, err = append(out.Left, nullName), nil
		}
	}
	return out, err
}

// prepare checks the options, divides the stream, and restores the checkpoint.
func prepare(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt *Options) (*run, error) {
	if err := opt.fill(m); err != nil {
		return nil, err
	}
	entries, err := s.Entries(ctx)
	if err != nil {
		return nil, err
	}
	folds, err := opt.divide(ctx, m, s, entries)
	if err != nil {
		return nil, err
	}
	if opt.Test > 0 {
		if err := opt.testRows(ctx, m, s); err != nil {
			return nil, err
		}
	}
	r := newRun(m, s, opt, folds)
	for _, e := range entries {
		r.entries[e.Index] = e
	}
	if err := r.divisible(); err != nil {
		return nil, err
	}
	if r.identity, err = r.properties(ctx, entries); err != nil {
		return nil, err
	}
	if err := r.resume(opt.Checkpoints.Resume); err != nil {
		return nil, err
	}
	kept := len(r.done)
	maps.DeleteFunc(r.done, func(_ trial, d *record) bool { return !d.whole() })
	if n := kept - len(r.done); n > 0 {
		opt.Warn(fmt.Sprintf("the checkpoint is of an earlier version, which did not keep predictions or models: %d trials are repeated", n))
	}
	return r, nil
}

// fill checks the options of all steps, and the candidates, before the first step, and sets the defaults.
func (o *Options) fill(m *resolwe.Model) error {
	if err := m.Predicts(); err != nil {
		return err
	}
	o.Seed = cmp.Or(o.Seed, 1)
	steps := []interface{ Validate() error }{&o.Select, &o.Learn, &o.Infer}
	if o.Discover != nil {
		steps = append(steps, o.Discover)
	}
	for _, step := range steps {
		if err := step.Validate(); err != nil {
			return err
		}
	}
	if o.Test < 0 {
		return &resolwe.OptionError{Option: "crossval.Options.Test", Reason: "at least 1, or 0 for all"}
	}
	o.Folds = cmp.Or(o.Folds, 4)
	o.Learn.Skip, o.Learn.Objective, o.Learn.Checkpoints, o.Infer.Stop = 0, false, resolwe.Checkpoints{}, nil
	if o.Now == nil {
		o.Now = func() time.Time { return time.Time{} }
	}
	if o.Stage == nil {
		o.Stage = func(string) {}
	}
	warn, warned := o.Warn, map[string]bool{"": true}
	o.Warn = func(text string) {
		if warn != nil && !warned[text] {
			warn(text)
		}
		warned[text] = true
	}
	if err := o.choose(); err != nil {
		return err
	}
	if err := o.nameSystems(); err != nil {
		return err
	}
	if o.Null != nil && o.Systems[0].Name == "base" {
		return &resolwe.OptionError{Option: "crossval.Options.Null", Reason: "the first system, which is tried on it, must not be base"}
	}
	_, err := selecting.NewSelector(m, o.byThreshold())
	return err
}

// byThreshold returns the complete options of selection for the system that takes the paper's place.
func (o *Options) byThreshold() resolwe.SelectOptions {
	sel := o.Select
	sel.Subgraphs = cmp.Or(sel.Subgraphs, 30)
	if sel.Criterion == 0 || sel.Criterion == resolwe.Gain {
		sel.Criterion = resolwe.Paper
	}
	if sel.Threshold == nil {
		sel.Threshold = new(sel.Criterion.Theta())
	}
	return sel
}

// learnOn returns LearnRest or LearnAll for a number of training subgraphs.
func (o *Options) learnOn(train int) LearnOn {
	k2 := o.byThreshold().Subgraphs
	switch {
	case o.LearnOn != LearnAuto:
		return o.LearnOn
	case train-k2 < k2:
		return LearnAll
	}
	return LearnRest
}

// run is the state of a cross-validation.
type run struct {
	model    *resolwe.Model
	stream   *resolwe.Stream
	opt      *Options
	entries  map[int]resolwe.Entry // by position
	folds    [][]int               // positions of each fold's subgraphs, ascending
	tests    [][]int               // the subgraphs of each fold that are tested
	first    int                   // first fold to test; if 1, training data are the folds before a fold, else all other folds
	size     int                   // of all folds
	identity []checkpoint.Property
	done     map[trial]*record
	growing  growing
	cut      []string // what the budget left undone in the discoveries of folds
	pending  int      // subgraphs that progress has still to count for the current trial
}

func newRun(m *resolwe.Model, s *resolwe.Stream, opt *Options, folds [][]int) *run {
	r := &run{model: m, stream: s.WithoutCandidates(), opt: opt, entries: map[int]resolwe.Entry{}, folds: folds, tests: opt.tests(folds), done: map[trial]*record{}}
	for _, f := range folds {
		r.size += len(f)
	}
	if opt.InTime() {
		r.first = 1
	}
	counted := opt.Run
	if counted.Progress != nil {
		counted.Progress = r.count(counted.Progress)
	}
	opt.Select.Run, opt.Learn.Run, opt.Infer.Run = counted, counted, counted
	if opt.Discover != nil {
		own := *opt.Discover
		own.Run = opt.Run.Silent() // its reading is not counted
		opt.Discover = &own
	}
	return r
}

// count returns a progress function that counts no more than a trial's subgraphs, however many training reads.
func (r *run) count(progress func(int)) func(int) {
	return func(n int) {
		n = min(n, r.pending)
		r.pending -= n
		progress(n)
	}
}

// number returns the number of a fold in messages.
func (r *run) number(fold int) int { return fold + 1 - r.first }

// divisible returns a *FoldError if selection leaves nothing to learn on.
func (r *run) divisible() error {
	for fold := r.first; fold < len(r.folds); fold++ {
		train := len(r.train(fold))
		if r.opt.learnOn(train) == LearnRest && train <= r.opt.byThreshold().Subgraphs &&
			slices.ContainsFunc(r.opt.Systems, func(s System) bool { return s.divides }) {
			return &FoldError{fmt.Sprintf(
				"fold %d: selection leaves no subgraph to learn on: choose a smaller k2, or LearnOn: LearnAll", r.number(fold))}
		}
	}
	return nil
}

// trial is a system on a fold.
type trial struct {
	fold   int
	system string
}

// record is the saved result of a trial.
type record struct {
	formulas int
	reached  Reached
	seconds  Seconds
	doubts   []selecting.Doubt
	quality  resolwe.Quality
	pooled   inferring.Pooled
	cases    inferring.Cases
	model    string              // its text, "" if that does not read back as the same model
	modeled  bool                // false in checkpoints of earlier versions
	short    bool                // the fold's discovery was cut short: not for checkpoints
	tested   []int               // positions of the test subgraphs, in stream order
	figures  []inferring.Figures // by test subgraph
}

// train returns the positions of a fold's training subgraphs, ascending.
func (r *run) train(fold int) []int { return trainOn(r.folds, fold, r.first > 0) }

// trainOn returns the positions in all other folds or, in time, in those before.
func trainOn(folds [][]int, fold int, inTime bool) []int {
	train := slices.Concat(folds[:fold]...)
	if !inTime {
		train = append(train, slices.Concat(folds[fold+1:]...)...)
	}
	slices.Sort(train)
	return train
}

// fold completes a fold.
func (r *run) fold(ctx context.Context, fold int) error {
	train, counts := r.train(fold), &selecting.GainCounts{}
	m, short := r.model, false
	for _, s := range r.opt.Systems {
		if r.done[trial{fold, s.Name}] != nil {
			continue
		}
		if m == r.model && r.opt.Discover != nil {
			var err error
			if m, short, err = r.discover(ctx, fold, train); err != nil {
				return fmt.Errorf("fold %d: %w", r.number(fold), err)
			}
		}
		done, err := r.try(ctx, s, fold, m, train, counts)
		if err != nil {
			return fmt.Errorf("fold %d, %s: %w", r.number(fold), s.Name, err)
		}
		done.short = short
		r.done[trial{fold, s.Name}] = done
		if err := r.save(); err != nil {
			return err
		}
	}
	return r.comparable(fold)
}

// comparable returns a *resolwe.CheckpointError if systems were not tested on the same atoms, because a checkpoint has some of them
// from another stream.
func (r *run) comparable(fold int) error {
	first := r.done[trial{fold, r.opt.Systems[0].Name}].figures
	same := func(a, b inferring.Figures) bool { return a.Atoms == b.Atoms && a.Ranked == b.Ranked }
	for _, s := range r.opt.Systems[1:] {
		if !slices.EqualFunc(first, r.done[trial{fold, s.Name}].figures, same) {
			return checkpoint.Differs("the stream")
		}
	}
	return nil
}

// try trains and tests a system on a fold.
func (r *run) try(ctx context.Context, s System, fold int, m *resolwe.Model, train []int, counts *selecting.GainCounts) (*record, error) {
	stage := func(what string) { r.opt.Stage(fmt.Sprintf("fold %d: %s %s", r.number(fold), what, s.Name)) }
	r.pending = r.work(fold)
	trained, err := s.Train(ctx, &Training{
		Model: m, Stream: r.stream.Pick(train), Options: r.opt, list: train, stage: stage, counts: counts,
	})
	if err != nil {
		return nil, err
	}
	stage("predict")
	out := &record{formulas: trained.Formulas, reached: trained.Reached, seconds: trained.Seconds, doubts: trained.Doubts, modeled: true}
	var text strings.Builder
	if err := trained.Model.Write(&text, nil); err == nil {
		out.model = text.String()
	}
	var eval inferring.Evaluator
	err = inferring.Infer(ctx, trained.Model, r.stream.Pick(r.tests[fold]), r.opt.Infer, func(m *resolwe.Marginals) error {
		out.tested, out.figures = append(out.tested, m.Index), append(out.figures, eval.Add(m))
		return nil
	})
	out.cases, out.pooled = eval.EndFold()
	out.quality = eval.Quality
	if progress := r.opt.Infer.Run.Progress; progress != nil {
		progress(r.pending)
	}
	return out, err
}

// work returns how many subgraphs progress counts for a trial of a fold. Training may read more or fewer.
func (r *run) work(fold int) int {
	return len(r.train(fold))*max(1, r.opt.Learn.Passes) + len(r.tests[fold])
}

// workLeft returns how many subgraphs progress counts for all unfinished trials.
func (r *run) workLeft() int {
	total := 0
	for fold := r.first; fold < len(r.folds); fold++ {
		total += len(r.left(fold)) * r.work(fold)
	}
	return total
}
