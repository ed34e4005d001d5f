package report

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/mln"
	"resolwe/format/origin"
	"resolwe/internal/stage/selecting"
)

// Options are the options of a report.
type Options struct {
	// Cross are the options of the cross-validation of a task. Its first system must be "gain". Its Select (by gain), Infer and
	// Discover also apply to the report's other steps. If Test leaves subgraphs out, the model selected on all data infers only on
	// the tested ones, for intervals of weights. Run, Begin and Now have no effect.
	Cross crossval.Options
	// Begin is called when a step begins, with its name and the number of subgraphs that it will count, or -1 if not known. It
	// returns how to run the step. nil stands for the zero Run.
	Begin func(step string, total int) resolwe.Run
	// Steps, unless nil, is called with the progress of discovery and selection: see SelectOptions.Choosing.
	Steps func(what string, done, total int64)
	// Budget limits the time: half of what is left is for the cross-validation, most of the rest for selection. When it expires, the
	// report is about what is there, and Report.Warnings say what is not; the error is resolwe.ErrBudget if that is too little.
	Budget *resolwe.Budget
	// Now is the clock for the times in the report; nil for a report without times, which is the same bytes in every run.
	Now     func() time.Time
	Watched *Watched    // how a model performed on an ordered stream; nil for none
	Grown   *GrownCurve // how a policy of what to fetch performed; nil for none
	Rate    float64     // the share of true cases in the population, where it is known better than by the stream; 0 if it is not
	Private bool        // leave out the names of cases, and what would tell single ones
	About   About
}

// digits returns how many significant digits numbers of single cases have, of at most so many.
func (o *Options) digits(most int) int {
	if o.Private {
		return 2
	}
	return most
}

// About describes how a report was made.
type About struct {
	Version string // of the program
	Command string // shell command that reproduces it
	Inputs  []Input
}

// Input is a file that was read.
type Input struct {
	Path   string
	Bytes  int64
	SHA256 string
}

// ErrNoTruth is returned if a stream has no query atom with known truth, so that there is nothing to report.
var ErrNoTruth = errors.New("the stream has no query atom of known truth: there is nothing to report on")

// Report holds the figures of a report. It may refer to the stream's memory, which is valid until the stream is closed.
type Report struct {
	Task       bool               // the model has candidates: they were cross-validated, then selected on all data
	Model      *resolwe.Model     // the model given
	Final      *resolwe.Model     // the selected model, or Model
	Data       Survey             // of the stream
	Cross      *crossval.Result   // accuracy; for a model with weights, on the stream itself
	Selection  *resolwe.Selection // nil if nothing was selected
	Candidates int                // number of candidates, merged up to renaming
	Formulas   []Weighed          // of Final
	Fitted     int                // number of subgraphs on which Final infers: all, or those tested
	Quality    resolwe.Quality    // of Final's marginals on these
	Warnings   []string           // of selection, and of anything left out
	Skipped    int                // damaged subgraphs
	Times      []Time             // of the steps, if there is a clock
	About      About
	options    *Options
	fitted     []fitted
	models     []*resolwe.Model // of the folds; nil where one is not kept
	order      []int            // of outOfFold, most probable first
	listed     []Case
	undecided  []undecided
	numbers    numbers
	outOfFold  []predicted    // by fold, then in stream order
	origin     *origin.Origin // nil if the stream does not say
	population *population    // of which the cases are a draw; nil if they are all
	beside     *beside        // formulas beside each other
}

// Time is how long a step took.
type Time struct {
	Step    string
	Seconds float64
}

// IsTask reports whether a model is a task to select formulas for, because it has candidates or they are to be discovered.
func IsTask(m *resolwe.Model, opt *Options) bool {
	return opt.Cross.Discover != nil || slices.ContainsFunc(m.Formulas, func(f *mln.Formula) bool { return !f.HasWeight && !f.Hard })
}

// Make computes a report. A task is cross-validated, and then formulas are selected on the whole stream; a model with weights is
// evaluated on the stream as it is. The stream is read several times, and must have been opened with StreamOptions.Names. Errors
// are ErrNoTruth, a *resolwe.OptionError if the first system for a task is not gain or Rate is no share, and those of the steps.
func Make(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) (*Report, error) {
	if s.ReadOnce() {
		return nil, resolwe.ErrReadOnce
	}
	if opt.Begin == nil {
		opt.Begin = func(string, int) resolwe.Run { return resolwe.Run{} }
	}
	if list := opt.Cross.Systems; IsTask(m, &opt) && len(list) > 0 && list[0].Name != "gain" {
		return nil, &resolwe.OptionError{Option: "crossval.Options.Systems", Reason: "the first system must be gain, which a report describes"}
	}
	if opt.Rate != 0 && !(opt.Rate > 0 && opt.Rate < 1) {
		return nil, &resolwe.OptionError{Option: "report.Options.Rate", Reason: "between 0 and 1, both excluded"}
	}
	r := &Report{Task: IsTask(m, &opt), Model: m, Final: m, About: opt.About, options: &opt}
	steps := []struct {
		name string
		do   func(context.Context, *resolwe.Stream) error
		task bool
	}{
		{"survey of the data", r.survey, false},
		{"cross-validation", r.crossValidate, true},
		{"selection on all data", r.choose, true},
		{"inference", r.fit, false},
		{"numbers", r.measure, false},
		{"cases", r.gather, false},
		{"reasons", r.explainCases, false},
		{"intervals of the formulas", r.weigh, false},
	}
	for _, step := range steps {
		if step.task && !r.Task {
			continue
		}
		var start time.Time
		if opt.Now != nil {
			start = opt.Now()
		}
		if err := step.do(ctx, s.WithoutCandidates()); err != nil {
			return nil, err
		}
		if opt.Now != nil {
			r.Times = append(r.Times, Time{step.name, opt.Now().Sub(start).Seconds()})
		}
	}
	r.Skipped = s.Skipped()
	return r, nil
}

func (r *Report) crossValidate(ctx context.Context, s *resolwe.Stream) (err error) {
	opt := r.options.Cross
	opt.Now, opt.Budget = r.options.Now, r.options.Budget.Part(.5)
	opt.Run = r.options.Begin("crossval", -1)
	opt.Begin = func(total int) { r.options.Begin("crossval", total) }
	if r.Cross, err = crossval.Run(ctx, r.Model, s, opt); err == nil && len(r.Cross.Left) > 0 {
		r.expired("the cross-validation lacks " + strings.Join(r.Cross.Left, "; "))
	}
	return err
}

// choose selects on the whole stream.
func (r *Report) choose(ctx context.Context, s *resolwe.Stream) error {
	task, budget := r.Model, r.options.Budget.Part(.7)
	if d := r.options.Cross.Discover; d != nil {
		opt := *d
		opt.Run, opt.Budget = r.options.Begin("discover", -1), budget.Part(.5)
		opt.Part = r.options.Steps
		found, err := resolwe.Discover(ctx, task, s, opt)
		if err != nil {
			return err
		}
		task = found.Model
		r.warn(found.Warnings)
	}
	opt := r.options.Cross.Select
	opt.Criterion, opt.Threshold, opt.Budget = resolwe.Gain, nil, budget
	opt.Run, opt.Choosing = r.options.Begin("select", s.Len()), r.options.Steps
	selector, err := selecting.NewSelector(task, opt)
	if err != nil {
		return err
	}
	sel, err := resolwe.Select(ctx, task, s, opt)
	if err != nil {
		return err
	}
	r.Selection, r.Candidates = sel, len(selector.Candidates())
	r.warn(sel.Warnings)
	selecting.TellDoubts(sel.Doubts, func(text string) { r.Warnings = append(r.Warnings, text) })
	r.Final, _ = sel.Model(task)
	return nil
}

// expired notes what the budget left undone.
func (r *Report) expired(text string) {
	r.Warnings = append(r.Warnings, "the budget expired: "+text)
}

func (r *Report) warn(list []mln.Diagnostic) {
	for _, w := range list {
		r.Warnings = append(r.Warnings, w.Msg)
	}
}

// weigh computes the statistics of the formulas on the data.
func (r *Report) weigh(ctx context.Context, s *resolwe.Stream) error {
	p := map[int][]float64{}
	for _, f := range r.fitted {
		p[f.entry.Index] = f.p
	}
	type taken struct { // in a path of selection
		*selecting.GainStep
		shrink float64 // precision of the prior under which the weight was fitted; 0 for biases
	}
	path := map[*mln.Formula]taken{}
	shrink := make([]float64, len(r.Final.Formulas))
	if r.Selection != nil {
		for i := range r.Selection.Gain {
			g := &r.Selection.Gain[i]
			for k := range g.Path[:g.Size] {
				path[g.Path[k].Formula] = taken{&g.Path[k], g.Shrink}
			}
			for k := range g.Tied {
				path[g.Tied[k].Formula] = taken{&g.Tied[k], 0}
			}
		}
	}
	for i, f := range r.Final.Formulas {
		shrink[i] = path[f].shrink
	}
	w := newWeigher(r.Final, shrink)
	err := w.weigh(ctx, s, p, r.options.Begin("formulas", s.Len()), r.options.Budget)
	if errors.Is(err, resolwe.ErrBudget) {
		r.expired(fmt.Sprintf("the figures of the formulas are of the first %d subgraphs", w.subgraphs))
	} else if err != nil {
		return err
	}
	r.Formulas, r.beside = w.result(), w.beside
	for i := range r.Formulas {
		f := &r.Formulas[i]
		step := path[f.Formula]
		if step.GainStep == nil {
			continue
		}
		f.Gain, f.Growth = step.Gain, step.Growth
		f.Weight = f.Weight.chosen(step.Established, w.clusters)
		if e := step.Established; e != nil {
			f.fitted, f.miss = e.Weight, e.Miss
		}
		if math.IsNaN(f.Deviation) { // it ties target atoms: use the figures of selection
			f.Support, f.Rate.Value = step.Support, step.TrueRate
		}
	}
	return nil
}
