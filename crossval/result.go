package crossval

import (
	"slices"

	"resolwe"
	"resolwe/kernels/rank"
)

// Result is the systems side by side.
type Result struct {
	Folds     int
	From      []resolwe.Time // of the folds that go forward in time: when the test part begins; else nil
	Finished  int            // the number of first folds that the figures are of; fewer than Folds where an error ended the run
	Subgraphs int            // k2
	Threshold float64
	Criterion resolwe.Criterion // of the system that selects by a threshold
	LearnedOn LearnOn           // LearnRest or LearnAll, of the systems that divide the training subgraphs
	Systems   []Outcome
	Null      *Null           // what the first reaches on a null stream, nil where none was given
	Doubts    []resolwe.Doubt // of formulas that training met, each once, as of the first fold
	Tests     []Comparison    // of the first system against the second, then the third, ..: three measures each
	Tested    []Tested        // the test subgraphs of the finished folds but for damaged ones, by fold, then in stream order
}

// Tested is a test subgraph.
type Tested struct {
	resolwe.Entry
	In int // its fold, from 0: by place in the results, whatever number the stream gives it
}

// Outcome is how good a system is.
type Outcome struct {
	Name string
	resolwe.Evaluation
	Folds    []resolwe.Evaluation // each by itself
	Formulas []int                // by fold: in the model, without unit clauses that were added
	Reached  []Reached            // by fold
	Seconds  []Seconds            // by fold
	Pooled   []resolwe.Pooled     // by fold
	Figures  []resolwe.Figures    // by test subgraph, as Result.Tested has them
}

// Reached says how near the optimum weights are that were learned; its fields are those of resolwe.Learned. Where nothing
// was learned it is the zero value.
type Reached struct {
	Learned, Converged     bool
	Gradient, Short, Drift float64
}

// ShortOfOptimum is that of resolwe.Learned.
func (r *Reached) ShortOfOptimum() string {
	learned := resolwe.Learned{Converged: r.Converged || !r.Learned, Gradient: r.Gradient, Short: r.Short, Drift: r.Drift}
	return learned.ShortOfOptimum()
}

// Seconds are the times of a training run: of the paper's step 2, selection, and step 3, learning.
type Seconds struct{ Select, Learn float64 }

// Test is a paired t-test.
type Test = rank.Test

// Comparison is a paired test of the first system against another, over the test subgraphs of all folds.
type Comparison struct {
	Measure string // map, auc_roc or cll
	Against string // the other system
	Test
}

// result returns the means and the tests over a number of first folds.
func (r *run) result(finished int) *Result {
	sel := r.opt.byThreshold()
	out := &Result{
		Folds: len(r.folds) - r.first, Finished: finished - r.first, Subgraphs: sel.Subgraphs, Threshold: *sel.Threshold, Criterion: sel.Criterion,
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
	var first paired
	for i, s := range r.opt.Systems {
		var eval resolwe.Evaluator
		var values paired
		o := Outcome{Name: s.Name}
		for fold := r.first; fold < finished; fold++ {
			done := r.done[trial{fold, s.Name}]
			out.doubt(done.doubts)
			var alone resolwe.Evaluator
			for _, f := range done.figures {
				eval.AddFigures(f, nil)
				alone.AddFigures(f, nil)
				values.add(f)
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
		if i == 0 {
			first = values
			continue
		}
		out.Tests = append(
			out.Tests,
			Comparison{"map", s.Name, rank.PairedT(first.ap, values.ap)},
			Comparison{"auc_roc", s.Name, rank.PairedT(first.auc, values.auc)},
			Comparison{"cll", s.Name, rank.PairedT(first.cll, values.cll)},
		)
	}
	return out
}

// doubt adds doubts of other formulas.
func (r *Result) doubt(list []resolwe.Doubt) {
	for _, d := range list {
		if !slices.ContainsFunc(r.Doubts, func(o resolwe.Doubt) bool { return o.Formula == d.Formula }) {
			r.Doubts = append(r.Doubts, d)
		}
	}
}

// paired are a system's values that tests compare.
type paired struct {
	ap, auc []float64 // by ranked test subgraph
	cll     []float64 // by test subgraph
}

func (p *paired) add(f resolwe.Figures) {
	if f.Atoms > 0 {
		p.cll = append(p.cll, f.CLL)
	}
	if f.Ranked {
		p.ap, p.auc = append(p.ap, f.AveragePrecision), append(p.auc, f.AUC)
	}
}
