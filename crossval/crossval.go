// Package crossval compares systems by cross-validation: RESOLWE, which selects formulas on the first subgraphs of a stream
// and learns their weights on the rest, beside skipSelection, which learns the weights of all candidates.
package crossval

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"resolwe"
	"resolwe/kernels/rank"
)

// Options are the parameters of cross-validation. The zero value is four folds.
type Options struct {
	Folds   int     // where the stream names none, at least 2; 0 for 4
	LearnOn LearnOn // by default LearnAuto
	Select  resolwe.SelectOptions
	Learn   resolwe.LearnOptions // Skip, Subgraphs and Objective play no part
	Infer   resolwe.InferOptions // Stop plays no part: both systems are tested on every subgraph
	Seed    uint64               // of the shuffle into folds; 0 is one like any other
	Run     resolwe.Run          // instead of those of Select, Learn and Infer; progress counts the subgraphs of all steps
	Now     func() time.Time     // the clock for Seconds; may be nil
	Stage   func(string)         // called as each step begins; may be nil
	Begin   func(total int)      // called first, with the number of subgraphs that progress will count; may be nil
}

// LearnOn says which training subgraphs weights are learned on.
type LearnOn uint8

// The choices of training subgraphs.
const (
	LearnAuto LearnOn = iota // the rest after selection, or all where fewer than k2 remain
	LearnRest                // those that selection did not use
	LearnAll                 // all, those that selection used too
)

// Result is RESOLWE and skipSelection, which learns every formula that selection could add, side by side.
type Result struct {
	Folds     int
	Subgraphs int // k2
	Threshold float64
	Criterion resolwe.Criterion
	LearnedOn LearnOn // LearnRest or LearnAll
	Systems   []System
	Tests     []Comparison
}

// System is one of the systems compared.
type System struct {
	Name string
	resolwe.Evaluation
	Formulas []int     // by fold: learned, without unit clauses that were added
	Seconds  []Seconds // by fold
}

// Seconds are the times of a training run: of the paper's step 2, selection, and step 3, learning.
type Seconds struct{ Select, Learn float64 }

// Test is a paired t-test.
type Test = rank.Test

// Comparison is a paired test of the first system against the second, over the test subgraphs of all folds.
type Comparison struct {
	Measure string
	Test
}

// FoldError says that a stream cannot be divided into folds.
type FoldError struct{ Reason string }

// Error gives the reason.
func (e *FoldError) Error() string { return e.Reason }

// Run trains on all folds but one and tests on that one, for each fold: RESOLWE, which selects formulas on the
// first subgraphs and learns their weights on the rest, and skipSelection, which learns all formulas on the same rest.
// Folds come from the stream, or else from a shuffle of it. The stream is read several times over: of a pipe the error is
// resolwe.ErrReadOnce. Where there are no folds to be had it is a *FoldError; others are those of Select, Learn and Infer.
func Run(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) (*Result, error) {
	if err := opt.fill(m); err != nil {
		return nil, err
	}
	entries, err := s.Entries(ctx)
	if err != nil {
		return nil, err
	}
	folds, err := divide(entries, opt.Folds, opt.Seed)
	if err != nil {
		return nil, err
	}
	opt.Select.Run, opt.Learn.Run, opt.Infer.Run = opt.Run, opt.Run, opt.Run
	opt.Learn.Skip, opt.Learn.Objective, opt.Infer.Stop = 0, false, nil
	if opt.Now == nil {
		opt.Now = func() time.Time { return time.Time{} }
	}
	if opt.Stage == nil {
		opt.Stage = func(string) {}
	}
	c := &crossValidation{
		model: m, stream: s, opt: opt, folds: folds, systems: []*trial{{name: "resolwe"}, {name: "skipSelection"}},
		result: &Result{Folds: len(folds), Subgraphs: opt.Select.Subgraphs},
	}
	if opt.Begin != nil {
		opt.Begin(c.work())
	}
	for fold := range folds {
		if err := c.fold(ctx, fold); err != nil {
			return nil, fmt.Errorf("fold %d: %w", fold+1, err)
		}
	}
	c.finish()
	return c.result, nil
}

// fill checks the options of all steps before the first, and puts in the defaults of those that folds go by.
func (o *Options) fill(m *resolwe.Model) error {
	if err := m.Predicts(); err != nil {
		return err
	}
	for _, step := range []interface{ Validate() error }{&o.Select, &o.Learn, &o.Infer} {
		if err := step.Validate(); err != nil {
			return err
		}
	}
	o.Folds, o.Select.Subgraphs, o.Learn.Passes = cmp.Or(o.Folds, 4), cmp.Or(o.Select.Subgraphs, 30), cmp.Or(o.Learn.Passes, 1)
	return nil
}

// divide returns the positions of each fold's subgraphs, ascending.
func divide(entries []resolwe.Entry, want int, seed uint64) ([][]int, error) {
	named := false
	for _, e := range entries {
		named = named || e.Fold >= 0
	}
	if named {
		return namedFolds(entries)
	}
	return shuffledFolds(entries, want, seed)
}

// namedFolds takes the folds from the stream, in order of their numbers.
func namedFolds(entries []resolwe.Entry) ([][]int, error) {
	byNumber := map[int][]int{}
	for _, e := range entries {
		if e.Fold < 0 {
			return nil, &FoldError{fmt.Sprintf("subgraph %s has no fold, but others have", e.Name)}
		}
		byNumber[e.Fold] = append(byNumber[e.Fold], e.Index)
	}
	if len(byNumber) < 2 {
		return nil, &FoldError{"all subgraphs of the stream are in one fold"}
	}
	folds := make([][]int, 0, len(byNumber))
	for _, number := range slices.Sorted(maps.Keys(byNumber)) {
		folds = append(folds, byNumber[number])
	}
	return folds, nil
}

// shuffledFolds deals a shuffle of the stream to so many folds.
func shuffledFolds(entries []resolwe.Entry, want int, seed uint64) ([][]int, error) {
	if want < 2 {
		return nil, &resolwe.OptionError{Option: "crossval.Options.Folds", Reason: "at least 2"}
	}
	if len(entries) < want {
		return nil, &FoldError{fmt.Sprintf("%d subgraphs cannot be divided into %d folds", len(entries), want)}
	}
	order := slices.Clone(entries)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	folds := make([][]int, want)
	for place, e := range order {
		folds[place%want] = append(folds[place%want], e.Index)
	}
	for _, f := range folds {
		slices.Sort(f)
	}
	return folds, nil
}

// crossValidation is the state of a run.
type crossValidation struct {
	model   *resolwe.Model
	stream  *resolwe.Stream
	opt     Options
	folds   [][]int // positions of each fold's subgraphs, ascending
	systems []*trial
	result  *Result
}

// trial collects one system's figures.
type trial struct {
	name     string
	eval     resolwe.Evaluator
	formulas []int
	seconds  []Seconds
	maps     []float64 // by ranked test subgraph
	aucs     []float64
	clls     []float64 // by test subgraph
}

// fold trains and tests both systems on one fold.
func (c *crossValidation) fold(ctx context.Context, fold int) error {
	first, rest, err := c.divideTraining(fold)
	if err != nil {
		return err
	}
	c.stage(fold, "select")
	start := c.opt.Now()
	chosen, err := resolwe.Select(ctx, c.model, c.stream.Pick(first), c.opt.Select)
	if err != nil {
		return err
	}
	took := Seconds{Select: c.opt.Now().Sub(start).Seconds()}
	kept, _ := chosen.Model(c.model)
	c.result.Threshold, c.result.Criterion = chosen.Threshold, chosen.Criterion
	for i, m := range []*resolwe.Model{kept, chosen.Every(c.model)} {
		t := c.systems[i]
		c.stage(fold, "learn "+t.name)
		start = c.opt.Now()
		learned, err := resolwe.Learn(ctx, m, c.stream.Pick(rest), c.opt.Learn)
		if err != nil {
			return err
		}
		took.Learn = c.opt.Now().Sub(start).Seconds()
		t.seconds = append(t.seconds, took)
		t.formulas = append(t.formulas, len(m.Formulas))
		took = Seconds{}
		c.stage(fold, "predict "+t.name)
		if err := resolwe.Infer(ctx, learned.Model, c.stream.Pick(c.folds[fold]), c.opt.Infer, t.add); err != nil {
			return err
		}
		t.eval.EndFold()
	}
	return nil
}

// divideTraining returns the positions of the training subgraphs that are selected on, and of those that are learned on.
func (c *crossValidation) divideTraining(fold int) (first, rest []int, err error) {
	train := slices.Concat(slices.Concat(c.folds[:fold]...), slices.Concat(c.folds[fold+1:]...))
	slices.Sort(train)
	k2 := min(c.opt.Select.Subgraphs, len(train))
	first, rest = train[:k2], train[k2:]
	on := c.opt.LearnOn
	if on == LearnAuto {
		on = LearnRest
		if len(rest) < c.opt.Select.Subgraphs {
			on = LearnAll
		}
	}
	if on == LearnAll {
		rest = train
	}
	c.result.LearnedOn = max(c.result.LearnedOn, on)
	if len(rest) == 0 {
		return nil, nil, &FoldError{"selection leaves no subgraph to learn on: choose a smaller k2, or LearnOn: LearnAll"}
	}
	return first, rest, nil
}

// work returns the number of subgraphs that all steps go over.
func (c *crossValidation) work() int {
	total := 0
	for fold, test := range c.folds {
		if first, rest, err := c.divideTraining(fold); err == nil {
			total += len(first) + len(c.systems)*(len(rest)*c.opt.Learn.Passes+len(test))
		}
	}
	return total
}

// stage says what begins.
func (c *crossValidation) stage(fold int, what string) {
	c.opt.Stage(fmt.Sprintf("fold %d: %s", fold+1, what))
}

// add adds a test subgraph.
func (t *trial) add(m *resolwe.Marginals) error {
	f := t.eval.Add(m)
	if f.Atoms > 0 {
		t.clls = append(t.clls, f.CLL)
	}
	if f.Ranked {
		t.maps = append(t.maps, f.AveragePrecision)
		t.aucs = append(t.aucs, f.AUC)
	}
	return nil
}

// finish computes the means and the tests.
func (c *crossValidation) finish() {
	for _, t := range c.systems {
		c.result.Systems = append(c.result.Systems, System{
			Name: t.name, Evaluation: *t.eval.Evaluation(), Formulas: t.formulas, Seconds: t.seconds,
		})
	}
	a, b := c.systems[0], c.systems[1]
	c.result.Tests = []Comparison{
		{"map", rank.PairedT(a.maps, b.maps)},
		{"auc_roc", rank.PairedT(a.aucs, b.aucs)},
		{"cll", rank.PairedT(a.clls, b.clls)},
	}
}
