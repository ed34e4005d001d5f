package crossval

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"resolwe"
	"resolwe/format/checkpoint"
)

// Options are the parameters of cross-validation. The zero value is four folds.
type Options struct {
	Systems  []System                 // the first is compared with each other; nil for Defaults, and paper where Select has its criterion
	Folds    int                      // where the stream names none, at least 2; 0 for 4
	Split    float64                  // where not 0, no folds: train on this share of the stream, its first subgraphs, and test on the rest
	From     resolwe.Time             // where there is one, no folds: train on the subgraphs before that time, and test on the rest
	Forward  int                      // where not 0, the number of folds forward in time, at least 1: each is tested with what is before it to train on
	Test     int                      // test subgraphs of a fold at most, the same for all systems, drawn at random by Seed; 0 for all
	LearnOn  LearnOn                  // by default LearnAuto
	Null     *resolwe.Stream          // where not nil, the null stream that the first system is tried on too; never of a checkpoint
	Discover *resolwe.DiscoverOptions // where not nil, each fold finds candidates on its training subgraphs first
	Select   resolwe.SelectOptions
	Learn    resolwe.LearnOptions // Skip, Subgraphs, Objective and Checkpoints play no part
	Infer    resolwe.InferOptions // Stop plays no part: all systems are tested on the same subgraphs
	Seed     uint64               // of the shuffle into folds, and of Test; 0 is one like any other
	Run      resolwe.Run          // instead of those of the steps; progress counts the subgraphs of all steps
	Now      func() time.Time     // the clock for Seconds; may be nil
	Stage    func(string)         // called as each step begins; may be nil
	Warn     func(string)         // called with what is to be known of a selection, once for each text; may be nil
	Done     func(Trial)          // called as each system of a fold is done; may be nil
	Begin    func(total int)      // called first, with the number of subgraphs that progress will count; may be nil

	// Checkpoints say how what is finished is saved, after each system of each fold and as discovery saves, and goes on after
	// the run was ended. Due is asked in discovery only.
	Checkpoints resolwe.Checkpoints
}

// Trial is a system that is done with a fold.
type Trial struct {
	Fold, Folds int // from 1, of how many
	System      string
	Systems     int // that each fold has
}

// LearnOn says which training subgraphs the systems that select by a threshold learn on.
type LearnOn uint8

// The choices of training subgraphs.
const (
	LearnAuto LearnOn = iota // the rest after selection, or all where fewer than k2 remain
	LearnRest                // those that selection did not use
	LearnAll                 // all, those that selection used too
)

// Run trains each system on all folds but one and tests it on that one, for each fold. Folds come from the stream, or else
// from a shuffle of it. The stream is read several times over: of a pipe the error is resolwe.ErrReadOnce. Where there are
// no folds to be had it is a *FoldError; a *resolwe.CheckpointError is of a checkpoint of another run; others are those of
// Select, Learn, Infer and of saving.
//
// Where an error ends the run after its first fold, the result of the folds that are finished is returned with it.
func Run(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) (*Result, error) {
	r, err := prepare(ctx, m, s, &opt)
	if err != nil {
		return nil, err
	}
	if opt.Begin != nil {
		opt.Begin(r.workLeft())
	}
	for fold := r.first; fold < len(r.folds); fold++ {
		if err := r.fold(ctx, fold); err != nil {
			if fold == r.first {
				return nil, err
			}
			return r.result(fold), err
		}
	}
	out := r.result(len(r.folds))
	if opt.Null != nil {
		opt.Stage(nullName)
		out.Null, err = opt.onNull(ctx, m)
	}
	return out, err
}

// prepare checks the options, divides the stream, and takes what the checkpoint has.
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
	r := newRun(m, s, opt, folds)
	for _, e := range entries {
		r.entries[e.Index] = e
	}
	if err := r.divisible(); err != nil {
		return nil, err
	}
	if r.identity, err = r.properties(entries); err != nil {
		return nil, err
	}
	return r, r.resume(opt.Checkpoints.Resume)
}

// fill checks the options of all steps and the candidates before the first, and puts in the defaults.
func (o *Options) fill(m *resolwe.Model) error {
	if err := m.Predicts(); err != nil {
		return err
	}
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
		return &resolwe.OptionError{Option: "crossval.Options.Null", Reason: "the first system is tried on it, which must not be base"}
	}
	_, err := resolwe.NewSelector(m, o.byThreshold())
	return err
}

// byThreshold returns how the system selects that takes the paper's place: complete.
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

// learnOn says what a number of training subgraphs is learned on: LearnRest or LearnAll.
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
	tests    [][]int               // those of them that are tested
	first    int                   // fold that is tested on first; where it is 1, a fold is trained on those before it, else on all others
	size     int                   // of all folds
	identity []checkpoint.Property
	done     map[trial]*record
	growing  growing
	left     int // subgraphs that progress will count until the trial is done
}

func newRun(m *resolwe.Model, s *resolwe.Stream, opt *Options, folds [][]int) *run {
	r := &run{model: m, stream: s, opt: opt, entries: map[int]resolwe.Entry{}, folds: folds, tests: opt.tests(folds), done: map[trial]*record{}}
	for _, f := range folds {
		r.size += len(f)
	}
	if opt.InTime() {
		r.first = 1
	}
	if opt.Run.Progress != nil {
		opt.Run.Progress = r.count(opt.Run.Progress)
	}
	opt.Select.Run, opt.Learn.Run, opt.Infer.Run = opt.Run, opt.Run, opt.Run
	if opt.Discover != nil {
		own := *opt.Discover
		own.Run = opt.Run.Silent() // what it reads is not counted
		opt.Discover = &own
	}
	return r
}

// count returns a progress function that counts no more than a trial's subgraphs: what training reads is its own affair.
func (r *run) count(progress func(int)) func(int) {
	return func(n int) {
		n = min(n, r.left)
		r.left -= n
		progress(n)
	}
}

// number returns how a fold is counted in messages.
func (r *run) number(fold int) int { return fold + 1 - r.first }

// divisible returns a *FoldError where selection leaves nothing to learn on.
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

// record is what is kept of a trial.
type record struct {
	formulas int
	reached  Reached
	seconds  Seconds
	doubts   []resolwe.Doubt
	quality  resolwe.Quality
	pooled   resolwe.Pooled
	tested   []int             // positions of the test subgraphs, in stream order
	figures  []resolwe.Figures // by test subgraph
}

// growing is the checkpoint of a fold's discovery; no bytes are none.
type growing struct {
	fold int
	data []byte
}

// discover finds the candidates of a fold.
func (r *run) discover(ctx context.Context, fold int, train []int) (*resolwe.Model, error) {
	r.opt.Stage(fmt.Sprintf("fold %d: discover", r.number(fold)))
	opt := *r.opt.Discover
	opt.Checkpoints = resolwe.Checkpoints{Due: r.opt.Checkpoints.Due, Save: func(data []byte) error {
		r.growing = growing{fold, data}
		return r.save()
	}}
	if r.growing.fold == fold && len(r.growing.data) > 0 {
		opt.Checkpoints.Resume = r.growing.data
	}
	found, err := resolwe.Discover(ctx, r.model, r.stream.Pick(train), opt)
	if err != nil {
		return nil, err
	}
	return found.Model, nil
}

// train returns the positions of a fold's training subgraphs, ascending.
func (r *run) train(fold int) []int {
	train := slices.Concat(r.folds[:fold]...)
	if r.first == 0 {
		train = append(train, slices.Concat(r.folds[fold+1:]...)...)
	}
	slices.Sort(train)
	return train
}

// fold does what is left to do of a fold.
func (r *run) fold(ctx context.Context, fold int) error {
	train := r.train(fold)
	m := r.model
	for _, s := range r.opt.Systems {
		if r.done[trial{fold, s.Name}] != nil {
			continue
		}
		if m == r.model && r.opt.Discover != nil {
			found, err := r.discover(ctx, fold, train)
			if err != nil {
				return fmt.Errorf("fold %d: %w", r.number(fold), err)
			}
			m = found
		}
		done, err := r.try(ctx, s, fold, m, train)
		if err != nil {
			return fmt.Errorf("fold %d, %s: %w", r.number(fold), s.Name, err)
		}
		r.done[trial{fold, s.Name}] = done
		if err := r.save(); err != nil {
			return err
		}
		if r.opt.Done != nil {
			r.opt.Done(Trial{r.number(fold), len(r.folds) - r.first, s.Name, len(r.opt.Systems)})
		}
	}
	return r.comparable(fold)
}

// comparable returns a *resolwe.CheckpointError where systems were not tested on the same atoms: where a checkpoint has some
// of them from another stream.
func (r *run) comparable(fold int) error {
	first := r.done[trial{fold, r.opt.Systems[0].Name}].figures
	same := func(a, b resolwe.Figures) bool { return a.Atoms == b.Atoms && a.Ranked == b.Ranked }
	for _, s := range r.opt.Systems[1:] {
		if !slices.EqualFunc(first, r.done[trial{fold, s.Name}].figures, same) {
			return checkpoint.Differs("the stream")
		}
	}
	return nil
}

// try trains and tests a system on a fold.
func (r *run) try(ctx context.Context, s System, fold int, m *resolwe.Model, train []int) (*record, error) {
	stage := func(what string) { r.opt.Stage(fmt.Sprintf("fold %d: %s %s", r.number(fold), what, s.Name)) }
	r.left = r.work(fold)
	trained, err := s.Train(ctx, &Training{
		Model: m, Stream: r.stream.Pick(train), Options: r.opt, list: train, stage: stage,
	})
	if err != nil {
		return nil, err
	}
	stage("predict")
	out := &record{formulas: trained.Formulas, reached: trained.Reached, seconds: trained.Seconds, doubts: trained.Doubts}
	var eval resolwe.Evaluator
	err = resolwe.Infer(ctx, trained.Model, r.stream.Pick(r.tests[fold]), r.opt.Infer, func(m *resolwe.Marginals) error {
		out.tested, out.figures = append(out.tested, m.Index), append(out.figures, eval.Add(m))
		return nil
	})
	out.pooled, out.quality = eval.EndFold(), eval.Quality
	if r.opt.Run.Progress != nil {
		r.opt.Run.Progress(r.left)
	}
	return out, err
}

// work returns for how many subgraphs a trial of a fold counts, of which training may read more or fewer.
func (r *run) work(fold int) int {
	return len(r.train(fold))*max(1, r.opt.Learn.Passes) + len(r.tests[fold])
}

// workLeft returns for how many subgraphs all trials count that are not done.
func (r *run) workLeft() int {
	total := 0
	for fold := r.first; fold < len(r.folds); fold++ {
		for _, s := range r.opt.Systems {
			if r.done[trial{fold, s.Name}] == nil {
				total += r.work(fold)
			}
		}
	}
	return total
}
