package resolwe

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"resolwe/format/mln"
	"resolwe/kernels/rank"
)

// CrossOptions are the parameters of cross-validation. DefaultCrossOptions gives a complete value to start from.
type CrossOptions struct {
	Folds   int // where the stream names none, at least 2
	LearnOn LearnOn
	Select  SelectOptions
	Learn   LearnOptions     // Skip, Subgraphs and Objective play no part
	Infer   InferOptions     // Enough plays no part: both systems are tested on every subgraph
	Seed    uint64           // of the shuffle into folds
	Run     Run              // instead of those of Select, Learn and Infer; progress counts the subgraphs of all steps
	Now     func() time.Time // the clock for Seconds; may be nil
	Stage   func(string)     // called as each step begins; may be nil
	Begin   func(total int)  // called first, with the number of subgraphs that progress will count; may be nil
}

// LearnOn says which training subgraphs weights are learned on.
type LearnOn uint8

// The choices of training subgraphs.
const (
	LearnAuto LearnOn = iota // the rest after selection, or all where fewer than k2 remain
	LearnRest                // those that selection did not use
	LearnAll                 // all, those that selection used too
)

// DefaultCrossOptions returns the paper's four folds.
func DefaultCrossOptions() CrossOptions {
	return CrossOptions{
		Folds: 4, Select: DefaultSelectOptions(), Learn: DefaultLearnOptions(), Infer: DefaultInferOptions(), Seed: 1,
	}
}

// CrossValidation is RESOLWE and skipSelection, which learns every formula that selection could add, side by side.
type CrossValidation struct {
	Folds     int
	Subgraphs int // k2
	Threshold float64
	LearnedOn LearnOn // LearnRest or LearnAll
	Systems   []System
	Tests     []Comparison
}

// System is one of the systems compared.
type System struct {
	Name string
	Evaluation
	Formulas []int     // by fold: learned, without unit clauses that were added
	Seconds  []Seconds // by fold
}

// Seconds are the times of a training run: of the paper's step 2, selection, and step 3, learning.
type Seconds struct{ Select, Learn float64 }

// Comparison is a paired test of the first system against the second, over the test subgraphs of all folds.
type Comparison struct {
	Measure string
	rank.Test
}

// FoldError says that a stream cannot be divided into folds.
type FoldError struct{ Reason string }

// Error gives the reason.
func (e *FoldError) Error() string { return e.Reason }

// CrossValidate trains on all folds but one and tests on that one, for each fold: RESOLWE, which selects formulas on the
// first subgraphs and learns their weights on the rest, and skipSelection, which learns all formulas on the same rest.
// Folds come from the stream, or else from a shuffle of it. The stream is read several times over: of a pipe the error is
// ErrReadOnce. Where there are no folds to be had it is a *FoldError; others are those of Select, Learn and Infer.
func CrossValidate(ctx context.Context, m *Model, s *Stream, opt CrossOptions) (*CrossValidation, error) {
	if err := opt.validate(m, s); err != nil {
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
	opt.Learn.Objective, opt.Infer.Enough = false, nil
	if opt.Now == nil {
		opt.Now = func() time.Time { return time.Time{} }
	}
	if opt.Stage == nil {
		opt.Stage = func(string) {}
	}
	c := &crossValidation{
		model: m, stream: s, opt: opt, folds: folds, systems: []*trial{{name: "resolwe"}, {name: "skipSelection"}},
		result: &CrossValidation{
			Folds: len(folds), Subgraphs: opt.Select.Subgraphs, Threshold: opt.Select.Threshold,
		},
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

// validate checks the options of all steps before the first.
func (o *CrossOptions) validate(m *Model, s *Stream) error {
	if err := m.check(s); err != nil {
		return err
	}
	if err := o.Select.validate(); err != nil {
		return err
	}
	if err := o.Learn.validate(); err != nil {
		return err
	}
	_, err := o.Infer.sampler()
	return err
}

// divide returns the positions of each fold's subgraphs, ascending.
func divide(entries []Entry, want int, seed uint64) ([][]int, error) {
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
func namedFolds(entries []Entry) ([][]int, error) {
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
func shuffledFolds(entries []Entry, want int, seed uint64) ([][]int, error) {
	if want < 2 {
		return nil, &OptionError{"folds", "at least 2"}
	}
	if len(entries) < want {
		return nil, &FoldError{fmt.Sprintf("%d subgraphs cannot be divided into %d folds", len(entries), want)}
	}
	order := slices.Clone(entries)
	seeded(seed, 0).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
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
	model   *Model
	stream  *Stream
	opt     CrossOptions
	folds   [][]int // positions of each fold's subgraphs, ascending
	systems []*trial
	result  *CrossValidation
}

// trial collects one system's figures.
type trial struct {
	name     string
	eval     evaluator
	aucpr    []float64
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
	chosen, err := selectOn(ctx, c.model, c.stream, c.opt.Select, among(first), first[len(first)-1]+1)
	if err != nil {
		return err
	}
	took := Seconds{Select: c.opt.Now().Sub(start).Seconds()}
	kept, _ := chosen.Model(c.model)
	for i, m := range []*Model{kept, allVariants(c.model, chosen)} {
		t := c.systems[i]
		c.stage(fold, "learn "+t.name)
		start = c.opt.Now()
		learned, err := learnOn(ctx, m, c.stream, c.opt.Learn, among(rest), len(rest))
		if err != nil {
			return err
		}
		took.Learn = c.opt.Now().Sub(start).Seconds()
		t.seconds = append(t.seconds, took)
		t.formulas = append(t.formulas, len(m.Formulas))
		took = Seconds{}
		c.stage(fold, "predict "+t.name)
		if err := t.eval.infer(ctx, learned.Model, c.stream, c.opt.Infer, among(c.folds[fold]), t.add); err != nil {
			return err
		}
		t.aucpr = append(t.aucpr, t.eval.pool())
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
		return nil, nil, &FoldError{"selection leaves no subgraph to learn on: choose a smaller k2, or --learn-on all"}
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

// among accepts the positions in a list.
func among(positions []int) func(int) bool {
	set := roaring.New()
	for _, i := range positions {
		set.Add(uint32(i))
	}
	return func(i int) bool { return set.ContainsInt(i) }
}

// allVariants returns the model with every formula that selection could add.
func allVariants(m *Model, s *Selection) *Model {
	all := &Selection{}
	seen := map[string]bool{}
	for i := range s.Candidates {
		for _, v := range s.Candidates[i].variants() {
			if key := mln.Canonical(v.formula); !seen[key] {
				seen[key] = true
				all.Selected = append(all.Selected, v.formula)
			}
		}
	}
	out, _ := all.Model(m)
	return out
}

func (t *trial) add(f rank.Figures) {
	if f.Atoms > 0 {
		t.clls = append(t.clls, f.CLL)
	}
	if f.Ranked {
		t.maps = append(t.maps, f.AveragePrecision)
		t.aucs = append(t.aucs, f.AUC)
	}
}

// finish computes the means and the tests.
func (c *crossValidation) finish() {
	for _, t := range c.systems {
		sum, n := 0.0, 0
		for _, v := range t.aucpr {
			if !math.IsNaN(v) {
				sum += v
				n++
			}
		}
		c.result.Systems = append(c.result.Systems, System{
			Name: t.name, Evaluation: *t.eval.means(sum / float64(n)), Formulas: t.formulas, Seconds: t.seconds,
		})
	}
	a, b := c.systems[0], c.systems[1]
	c.result.Tests = []Comparison{
		{"map", rank.PairedT(a.maps, b.maps)},
		{"auc_roc", rank.PairedT(a.aucs, b.aucs)},
		{"cll", rank.PairedT(a.clls, b.clls)},
	}
}
