package resolwe

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"resolwe/format/mln"
	"resolwe/kernels/rank"
)

// CrossOptions are the parameters of cross-validation. DefaultCrossOptions gives a complete value to start from.
type CrossOptions struct {
	Folds   int // where the stream names none, at least 2
	LearnOn LearnOn
	Select  SelectOptions
	Learn   LearnOptions
	Infer   InferOptions
	Seed    uint64           // of the shuffle into folds
	Run     Run              // in place of those of Select, Learn and Infer; progress counts subgraphs of all steps
	Now     func() time.Time // the clock for Seconds; may be nil
	Stage   func(string)     // called as each step begins; may be nil
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
// Folds come from the stream, or else from a shuffle of it.
func CrossValidate(ctx context.Context, m *Model, s *Stream, opt CrossOptions) (*CrossValidation, error) {
	entries, err := s.Entries(ctx)
	if err != nil {
		return nil, err
	}
	folds, n, err := foldsOf(entries, opt.Folds, opt.Seed)
	if err != nil {
		return nil, err
	}
	opt.Select.Run, opt.Learn.Run, opt.Infer.Run = opt.Run, opt.Run, opt.Run
	opt.Learn.Objective = false
	if opt.Now == nil {
		opt.Now = func() time.Time { return time.Time{} }
	}
	if opt.Stage == nil {
		opt.Stage = func(string) {}
	}
	c := &crossValidation{model: m, stream: s, opt: opt, folds: folds}
	c.systems = []*trial{{name: "resolwe"}, {name: "skipSelection"}}
	c.result = &CrossValidation{Folds: n, Subgraphs: opt.Select.Subgraphs, Threshold: opt.Select.Threshold}
	if math.IsNaN(opt.Select.Threshold) {
		c.result.Threshold = opt.Select.Criterion.Theta()
	}
	for fold := range n {
		if err := c.fold(ctx, fold); err != nil {
			return nil, fmt.Errorf("fold %d: %w", fold+1, err)
		}
	}
	c.finish()
	return c.result, nil
}

// foldsOf returns the fold of each subgraph, from 0, and their number.
func foldsOf(entries []Entry, want int, seed uint64) ([]int, int, error) {
	folds := make([]int, len(entries))
	var values []int
	for _, e := range entries {
		if e.Fold >= 0 && !slices.Contains(values, e.Fold) {
			values = append(values, e.Fold)
		}
	}
	if values != nil {
		slices.Sort(values)
		for i, e := range entries {
			if folds[i] = slices.Index(values, e.Fold); folds[i] < 0 {
				return nil, 0, &FoldError{fmt.Sprintf("subgraph %s has no fold, but others have", e.Name)}
			}
		}
		if len(values) < 2 {
			return nil, 0, &FoldError{"all subgraphs of the stream are in one fold"}
		}
		return folds, len(values), nil
	}
	if want < 2 {
		return nil, 0, &OptionError{"folds", "at least 2"}
	}
	if len(entries) < want {
		return nil, 0, &FoldError{fmt.Sprintf("%d subgraphs cannot be divided into %d folds", len(entries), want)}
	}
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for place, i := range order {
		folds[i] = place % want
	}
	return folds, want, nil
}

// crossValidation is the state of a run.
type crossValidation struct {
	model   *Model
	stream  *Stream
	opt     CrossOptions
	folds   []int
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
	var train []int
	for i, f := range c.folds {
		if f != fold {
			train = append(train, i)
		}
	}
	k2 := min(c.opt.Select.Subgraphs, len(train))
	rest := train[k2:]
	on := c.opt.LearnOn
	if on == LearnAuto {
		on = LearnRest
		if len(rest) < c.opt.Select.Subgraphs {
			on = LearnAll
		}
	}
	if c.result.LearnedOn = max(c.result.LearnedOn, on); on == LearnAll {
		rest = train
	}
	if len(rest) == 0 {
		return &FoldError{"selection leaves no subgraph to learn on: choose a smaller k2, or --learn-on all"}
	}
	c.opt.Stage(fmt.Sprintf("fold %d: select", fold+1))
	start := c.opt.Now()
	chosen, err := selectOn(ctx, c.model, c.stream, c.opt.Select, among(train[:k2]))
	if err != nil {
		return err
	}
	selecting := c.opt.Now().Sub(start).Seconds()
	models := []*Model{}
	kept, _ := chosen.Model(c.model)
	models = append(models, kept, allVariants(c.model, chosen))
	for i, t := range c.systems {
		c.opt.Stage(fmt.Sprintf("fold %d: learn %s", fold+1, t.name))
		start = c.opt.Now()
		learned, err := learnOn(ctx, models[i], c.stream, c.opt.Learn, among(rest), len(rest))
		if err != nil {
			return err
		}
		took := Seconds{Learn: c.opt.Now().Sub(start).Seconds()}
		if i == 0 {
			took.Select = selecting
		}
		t.seconds = append(t.seconds, took)
		t.formulas = append(t.formulas, len(models[i].Formulas))
		c.opt.Stage(fmt.Sprintf("fold %d: predict %s", fold+1, t.name))
		test := func(i int) bool { return c.folds[i] == fold }
		err = inferOn(ctx, learned.Model, c.stream, c.opt.Infer, test, func(r *Marginals) error {
			t.add(t.eval.add(r.scored()))
			return nil
		})
		if err != nil {
			return err
		}
		t.aucpr = append(t.aucpr, t.eval.pool())
	}
	return nil
}

// among accepts the positions in a sorted list.
func among(positions []int) func(int) bool {
	return func(i int) bool {
		_, ok := slices.BinarySearch(positions, i)
		return ok
	}
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
