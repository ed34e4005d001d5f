package report

import (
	"context"
	"errors"
	"math"
	"time"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/mln"
)

// Options say what a report is of.
type Options struct {
	// Cross are the options of the cross-validation of a task. Its systems begin with "gain", and its Select (by gain), Infer
	// and Discover are those of the report's other steps too. Where Test leaves subgraphs out, the model that is selected on all
	// data infers on the tested ones alone, for examples and for intervals of weights. Run, Begin and Now play no part.
	Cross crossval.Options
	// Begin is called as a step begins, with its name and the number of subgraphs that it will count, -1 where that is not
	// known, and returns how to run it. nil stands for the zero Run.
	Begin func(step string, total int) resolwe.Run
	// Now is the clock of the times in the report; nil for a report without, which is the same bytes in every run.
	Now   func() time.Time
	About About
}

// About says where a report comes from.
type About struct {
	Version string // of the program
	Command string // that makes it again, for a shell
	Inputs  []Input
}

// Input is a file that was read.
type Input struct {
	Path   string
	Bytes  int64
	SHA256 string
}

// ErrNoTruth is returned where a stream has no query atom of known truth: there is nothing to report.
var ErrNoTruth = errors.New("the stream has no query atom of known truth: there is nothing to report on")

// Report is the figures of a report. It may refer to the stream, until that is closed.
type Report struct {
	Task       bool               // the model has candidates: they were cross-validated, then selected on all data
	Model      *resolwe.Model     // that the report is of
	Final      *resolwe.Model     // that was selected, or Model
	Data       Survey             // of the stream
	Cross      *crossval.Result   // accuracy; of a model that has weights, on the stream itself
	Selection  *resolwe.Selection // nil where nothing was selected
	Candidates int                // that were selected among, merged up to renaming
	Formulas   []Weighed          // of Final
	Examples   []Example          // from the stream, by Final
	Fitted     int                // subgraphs that Final infers on: all, or those tested
	Quality    resolwe.Quality    // of Final's marginals on these
	Warnings   []string           // of selection and of what was left out
	Times      []Time             // of the steps, where there is a clock
	About      About
	options    *Options
	fitted     []fitted
}

// Time is how long a step took.
type Time struct {
	Step    string
	Seconds float64
}

// IsTask reports whether a model is a task to select formulas for: it has candidates, or they are looked for.
func IsTask(m *resolwe.Model, opt *Options) bool {
	for _, f := range m.Formulas {
		if !f.HasWeight && !f.Hard {
			return true
		}
	}
	return opt.Cross.Discover != nil
}

// Make computes a report. A task is cross-validated, and formulas are selected on all of the stream; a model that has weights is
// evaluated on the stream as it is. The stream is read several times over, and must have been opened with StreamOptions.Names.
// Errors are ErrNoTruth, an *resolwe.OptionError where a
// task's systems do not begin with gain, and those of the steps.
func Make(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) (*Report, error) {
	if s.ReadOnce() {
		return nil, resolwe.ErrReadOnce
	}
	if opt.Begin == nil {
		opt.Begin = func(string, int) resolwe.Run { return resolwe.Run{} }
	}
	if list := opt.Cross.Systems; IsTask(m, &opt) && len(list) > 0 && list[0].Name != "gain" {
		return nil, &resolwe.OptionError{Option: "crossval.Options.Systems", Reason: "a report is on selection by gain: the first system is gain"}
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
		{"intervals of the formulas", r.weigh, false},
		{"explained examples", r.explain, false},
	}
	for _, step := range steps {
		if step.task && !r.Task {
			continue
		}
		var start time.Time
		if opt.Now != nil {
			start = opt.Now()
		}
		if err := step.do(ctx, s); err != nil {
			return nil, err
		}
		if opt.Now != nil {
			r.Times = append(r.Times, Time{step.name, opt.Now().Sub(start).Seconds()})
		}
	}
	return r, nil
}

func (r *Report) crossValidate(ctx context.Context, s *resolwe.Stream) (err error) {
	opt := r.options.Cross
	opt.Now = r.options.Now
	opt.Run = r.options.Begin("crossval", -1)
	opt.Begin = func(total int) { r.options.Begin("crossval", total) }
	r.Cross, err = crossval.Run(ctx, r.Model, s, opt)
	return err
}

// choose selects on all of the stream.
func (r *Report) choose(ctx context.Context, s *resolwe.Stream) error {
	task := r.Model
	if d := r.options.Cross.Discover; d != nil {
		opt := *d
		opt.Run = r.options.Begin("discover", -1)
		found, err := resolwe.Discover(ctx, task, s, opt)
		if err != nil {
			return err
		}
		task = found.Model
		r.warn(found.Warnings)
	}
	opt := r.options.Cross.Select
	opt.Criterion, opt.Threshold = resolwe.Gain, nil
	opt.Run = r.options.Begin("select", s.Len())
	selector, err := resolwe.NewSelector(task, opt)
	if err != nil {
		return err
	}
	r.Candidates = len(selector.Candidates())
	sel, err := resolwe.Select(ctx, task, s, opt)
	if err != nil {
		return err
	}
	r.Selection = sel
	r.warn(sel.Warnings)
	resolwe.TellDoubts(sel.Doubts, func(text string) { r.Warnings = append(r.Warnings, text) })
	r.Final, _ = sel.Model(task)
	return nil
}

func (r *Report) warn(list []mln.Diagnostic) {
	for _, w := range list {
		r.Warnings = append(r.Warnings, w.Msg)
	}
}

// weigh computes what the data says of the formulas.
func (r *Report) weigh(ctx context.Context, s *resolwe.Stream) error {
	p := map[int][]float64{}
	for _, f := range r.fitted {
		list := make([]float64, len(f.atoms))
		for i, a := range f.atoms {
			list[i] = a.p
		}
		p[f.entry.Index] = list
	}
	type taken struct { // of a path of selection
		*resolwe.GainStep
		shrink float64 // precision of the prior under which the weight was fitted, of biases 0
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
	if err := w.weigh(ctx, s, p, r.options.Begin("formulas", s.Len())); err != nil {
		return err
	}
	r.Formulas = w.result()
	for i := range r.Formulas {
		f := &r.Formulas[i]
		step := path[f.Formula]
		if step.GainStep == nil {
			continue
		}
		f.Gain = step.Gain
		if math.IsNaN(f.Deviation) { // it ties target atoms: as selection saw it
			f.Support, f.Rate.Value = step.Support, step.TrueRate
		}
	}
	return nil
}
