package crossval

import (
	"fmt"
	"math"
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
	Overlap     float64           // mean over the finished folds of the number of test subgraphs over that of training ones, which folds share; 0 in time, and without training
	Tests       []Comparison      // of the first system against the second, then the third, ..: MAP, AUC-ROC and CLL each; of a row task CLL alone
	Tested      []Tested          // the test subgraphs of the finished folds, without damaged ones, by fold, then in stream order
	Parts       [][]int           // positions of the subgraphs of each fold, ascending; in time, before them those that none tests
}

// Train returns the positions of the subgraphs that a fold's systems were trained on, ascending.
func (r *Result) Train(fold int) []int {
	first := len(r.Parts) - r.Folds
	return trainOn(r.Parts, fold+first, first > 0)
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
	Cases    []inferring.Cases    // by fold: the atoms with their predictions
	Figures  []inferring.Figures  // by test subgraph, as Result.Tested has them
	Models   []string             // by fold: the model, as a task file; "" if it has no text that reads back as the same model
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

// Comparison is a paired test of the first system against another: over the means of folds if [Result.ByFold], else over the test
// subgraphs of all folds.
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
		Parts: r.folds,
	}
	for fold := r.first; fold < len(r.folds); fold++ {
		out.LearnedOn = max(out.LearnedOn, r.opt.learnOn(len(r.train(fold))))
		if r.opt.Forward != 0 {
			out.From = append(out.From, r.entries[r.folds[fold][0]].Time)
		}
	}
	for fold := r.first; fold < finished; fold++ {
		tested := r.done[trial{fold, r.opt.Systems[0].Name}].tested
		if !r.opt.InTime() {
			out.Overlap += float64(len(tested)) / float64(len(r.train(fold))) / float64(out.Finished)
		}
		for _, at := range tested {
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
				eval.AddFigures(f, nil, nil)
				alone.AddFigures(f, nil, nil)
			}
			o.Cases = append(o.Cases, done.cases)
			eval.AddFold(done.pooled)
			alone.AddFold(done.pooled)
			alone.Quality = done.quality
			o.Folds = append(o.Folds, *alone.Evaluation())
			o.Pooled, o.Figures = append(o.Pooled, done.pooled), append(o.Figures, done.figures...)
			eval.Quality.Merge(&done.quality)
			o.Formulas, o.Reached = append(o.Formulas, done.formulas), append(o.Reached, done.reached)
			o.Seconds, o.Models = append(o.Seconds, done.seconds), append(o.Models, done.model)
		}
		o.Evaluation = *eval.Evaluation()
		out.Systems = append(out.Systems, o)
	}
	out.Compare()
	out.resample(r.opt.Seed)
	return out
}

// resample adds the intervals of pooled measures.
func (r *Result) resample(seed uint64) {
	cases := make([][]inferring.Cases, len(r.Systems))
	for i := range cases {
		cases[i] = r.Systems[i].Cases
	}
	for i, intervals := range rank.Bootstrap(cases, seed) {
		r.Systems[i].Intervals = intervals
	}
}

// RowTask reports whether at least 90% of the test subgraphs have one query atom: see [resolwe.Evaluation].
func (r *Result) RowTask() bool { return r.Systems[0].RowTask() }

// leastPaired is the number of test subgraphs from which systems are compared over these. Below it, the means of folds, which also differ
// by their training data, are the safer unit.
const leastPaired = 80

// ByFold reports whether tests pair the means of folds, which only few test subgraphs in folds that share training data need.
func (r *Result) ByFold() bool { return r.Overlap > 0 && len(r.Tested) < leastPaired }

// Testing says which test Compare carries out.
func (r *Result) Testing() string {
	switch {
	case r.ByFold():
		return fmt.Sprintf("Corrected t-tests of the means of folds (Nadeau and Bengio, 2003), with %.3f test subgraphs for each training subgraph.", r.Overlap)
	case r.Overlap > 0:
		return fmt.Sprintf("Paired t-tests over test subgraphs; standard errors are multiplied by %.3f, because folds share training data.", math.Sqrt(1+r.Overlap))
	}
	return "Paired t-tests over test subgraphs. They do not allow for training sets that overlap, nor for how other training data would change the models."
}

// Compare tests the first system against each of the others, and adds the results to Tests. Overlapping training sets widen the standard
// errors as [rank.CorrectedT] says; of subgraphs, by the square root of 1 + Overlap. Of a row task only the CLL is tested.
func (r *Result) Compare() {
	first := r.paired(&r.Systems[0])
	for i := range r.Systems[1:] {
		s := &r.Systems[1+i]
		for k, values := range r.paired(s) {
			measure := [...]string{"map", "auc_roc", "cll"}[k]
			if measure != "cll" && r.RowTask() {
				continue
			}
			excess := r.Overlap
			if !r.ByFold() {
				excess /= float64(max(1, len(values)))
			}
			r.Tests = append(r.Tests, Comparison{measure, s.Name, rank.CorrectedT(first[k], values, excess)})
		}
	}
}

// paired returns a system's average precision, AUC and CLL where they are defined, by fold or by test subgraph.
func (r *Result) paired(s *Outcome) (out [3][]float64) {
	if !r.ByFold() {
		all := rank.ByMeasure(s.Figures)
		return [3][]float64(all[:])
	}
	for _, fold := range s.Folds {
		for k, v := range [...]float64{fold.MAP, fold.AUCROC, fold.CLL} {
			if !math.IsNaN(v) {
				out[k] = append(out[k], v)
			}
		}
	}
	return out
}

// doubt adds doubts of other formulas.
func (r *Result) doubt(list []selecting.Doubt) {
	for _, d := range list {
		if !slices.ContainsFunc(r.Doubts, func(o selecting.Doubt) bool { return o.Formula == d.Formula }) {
			r.Doubts = append(r.Doubts, d)
		}
	}
}
