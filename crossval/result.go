package crossval

import (
	"slices"

	"resolwe"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/stage/selecting"
	"resolwe/kernels/rank"
)

// Result is the result of a cross-validation, with the systems side by side.
type Result struct {
	Folds int
	// Prequential marks the result of a [Prequential]: one fold, and no training, k2, threshold, criterion, formulas or times.
	Prequential bool
	From        []resolwe.Time // for folds that go forward in time, when each test part begins; else nil
	Finished    int            // number of finished folds, on which the figures are based; fewer than Folds if an error or the budget ended the run
	Left        []string       // what the budget left undone: folds, as "fold 3", or systems of one, as "fold 3: base, single"; "longer candidates in fold 3"; "null"
	Subgraphs   int            // k2, 0 for all
	Threshold   float64
	Criterion   resolwe.Criterion // criterion of the system that selects by a threshold
	LearnedOn   LearnOn           // LearnRest or LearnAll, for the systems that divide the training subgraphs
	Systems     []Outcome
	Null        *Null             // what the first system reaches on a null stream; nil if none was given
	Doubts      []selecting.Doubt // about formulas met in training, each once, from the first fold that has it
	Tests       []Comparison      // of the first system against the second, then the third, ..: three measures each
	Tested      []Tested          // the test subgraphs of the finished folds, without damaged ones, by fold, then in stream order
}

// Tested is a test subgraph.
type Tested struct {
	resolwe.Entry
	In int // its fold, from 0, by index in the results, whatever number the stream gives it
}

// Outcome is the result of a system.
type Outcome struct {
	Name string
	resolwe.Evaluation
	Folds    []resolwe.Evaluation // one per fold
	Formulas []int                // by fold: number in the model, without added unit clauses
	Reached  []Reached            // by fold
	Seconds  []Seconds            // by fold
	Pooled   []inferring.Pooled   // by fold
	Figures  []inferring.Figures  // by test subgraph, as Result.Tested has them
}

// Reached says how near learned weights are to the optimum; its fields are those of resolwe.Learned. If nothing was learned, it is
// the zero value.
type Reached struct {
	Learned, Converged     bool
	Gradient, Short, Drift float64
}

// ShortOfOptimum is that of resolwe.Learned.
func (r *Reached) ShortOfOptimum() string {
	learned := resolwe.Learned{Converged: r.Converged || !r.Learned, Gradient: r.Gradient, Short: r.Short, Drift: r.Drift}
	return learned.ShortOfOptimum()
}

// Seconds are the times of a training run: the paper's step 2, selection, and step 3, learning.
type Seconds struct{ Select, Learn float64 }

// Test is a paired t-test.
type Test = rank.Test

// Comparison is a paired test of the first system against another, over the test subgraphs of all folds.
type Comparison struct {
	Measure string // map, auc_roc or cll
	Against string // the other system
	Test
}

// result returns the means and the tests over the first folds, up to a number.
func (r *run) result(finished int) *Result {
	sel := r.opt.byThreshold()
	out := &Result{
		Folds: len(r.folds) - r.first, Finished: finished - r.first, Subgraphs: sel.First(), Threshold: *sel.Threshold, Criterion: sel.Criterion,
	}
	for fold := r.first; fold < len(r.folds); fold++ {
		out.LearnedOn = max(out.LearnedOn, r.opt.learnOn(len(r.train(fold))))
		if r.opt.Forward != 0 {
			out.From = append(out.From, r.entries[r.folds[fold][0]].Time)
		}
	}
	for fold := r.first; fold < finished; fold++ {
		for _, at := range r.done[trial{fold, r.opt.Systems[0].Name}].tested {
			out.Tested = append(out.Tested, Tested{r.entries[at], fold - r.first})
		}
	}
	for _, s := range r.opt.Systems {
		var eval inferring.Evaluator
		o := Outcome{Name: s.Name}
		for fold := r.first; fold < finished; fold++ {
			done := r.done[trial{fold, s.Name}]
			out.doubt(done.doubts)
			var alone inferring.Evaluator
			for _, f := range done.figures {
				eval.AddFigures(f, nil)
				alone.AddFigures(f, nil)
			}
			eval.AddFold(done.pooled)
			alone.AddFold(done.pooled)
			alone.Quality = done.quality
			o.Folds = append(o.Folds, *alone.Evaluation())
			o.Pooled, o.Figures = append(o.Pooled, done.pooled), append(o.Figures, done.figures...)
			eval.Quality.Merge(&done.quality)
			o.Formulas, o.Reached = append(o.Formulas, done.formulas), append(o.Reached, done.reached)
			o.Seconds = append(o.Seconds, done.seconds)
		}
		o.Evaluation = *eval.Evaluation()
		out.Systems = append(out.Systems, o)
	}
	out.Compare()
	return out
}

// Compare tests the first system against each of the others, and adds the results to Tests.
func (r *Result) Compare() {
	first := rank.ByMeasure(r.Systems[0].Figures)
	for _, s := range r.Systems[1:] {
		values := rank.ByMeasure(s.Figures)
		for i, measure := range [...]string{"map", "auc_roc", "cll"} { // not Brier
			r.Tests = append(r.Tests, Comparison{measure, s.Name, rank.PairedT(first[i], values[i])})
		}
	}
}

// doubt adds doubts of other formulas.
func (r *Result) doubt(list []selecting.Doubt) {
	for _, d := range list {
		if !slices.ContainsFunc(r.Doubts, func(o selecting.Doubt) bool { return o.Formula == d.Formula }) {
			r.Doubts = append(r.Doubts, d)
		}
	}
}
