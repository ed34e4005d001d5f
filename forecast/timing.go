package forecast

import (
	"context"
	"math"
	"slices"
	"time"

	"resolwe"
	"resolwe/format/mln"
)

// Time is the time of a step on the whole stream, with the number of workers of the forecast.
type Time struct {
	Step      string  // select, learn or infer
	Subgraphs int     // processed in all passes
	Seconds   float64 // expected
	Low, High float64 // range: two standard errors of the differences between subgraphs, and a quarter for the clock
	Err       error   // why it fails on the sampled subgraphs, in which case there is no time
}

// The settings for measuring times.
const (
	timedSubgraphs = 8   // subgraphs to sample
	timedSamples   = 32  // samples in each, one period of slices
	timedWeight    = 0.1 // weight of formulas without one
)

// times measures the steps on the subgraphs that are small enough.
func (f *forecaster) times(ctx context.Context) error {
	for _, step := range []struct {
		name string
		time func(context.Context) (*Time, error)
	}{{"select", f.timeSelect}, {"learn", f.timeLearn}, {"infer", f.timeInfer}} {
		t, err := step.time(ctx)
		switch {
		case f.failed(err):
			t = &Time{Step: step.name, Err: err}
		case err != nil:
			return err
		}
		if t != nil {
			f.out.Times = append(f.out.Times, *t)
		}
	}
	return nil
}

// timeSelect returns nil if the model has no candidates.
func (f *forecaster) timeSelect(ctx context.Context) (*Time, error) {
	if !f.candidates() {
		return nil, nil //nolint:nilnil // a model that is not for selection has no such time
	}
	if f.byGain() {
		return f.gained, nil
	}
	took, err := f.timing(func(run resolwe.Run) error {
		opt := f.opt.Select
		opt.Run, opt.Subgraphs = run, len(f.built)
		_, err := resolwe.Select(ctx, f.model, f.stream.Pick(f.built), opt)
		return err
	})
	return took.over("select", f.selected()), err
}

func (f *forecaster) timeLearn(ctx context.Context) (*Time, error) {
	took, err := f.timing(func(run resolwe.Run) error {
		opt := f.opt.Learn
		opt.Run, opt.Passes, opt.Skip, opt.Objective = run, 1, 0, false
		_, err := resolwe.Learn(ctx, f.model, f.stream.Pick(f.built), opt)
		return err
	})
	return took.over("learn", f.opt.Learn.Passes*f.out.Subgraphs), err
}

// timeInfer measures a few samples, and then a further period of slices, from which it extrapolates.
func (f *forecaster) timeInfer(ctx context.Context) (*Time, error) {
	m := f.model.With(weighted(f.model.Formulas))
	infer := func(samples int, positions []int) (timing, error) {
		return f.timing(func(run resolwe.Run) error {
			opt := f.opt.Infer
			opt.Run, opt.BurnIn, opt.Samples, opt.Chains, opt.Error, opt.Stop = run, new(0), samples, 1, 0, nil
			return resolwe.Infer(ctx, m, f.stream.Pick(positions), opt, func(*resolwe.Marginals) error { return nil })
		})
	}
	all, err := infer(1, f.built)
	if err != nil || len(f.drawn) == 0 {
		return all.over("infer", f.out.Subgraphs), err
	}
	timed := spread(f.drawn, timedSubgraphs)
	few, err := infer(1, timed)
	if err != nil {
		return nil, err
	}
	many, err := infer(1+timedSamples, timed)
	if err != nil {
		return nil, err
	}
	o, chains, err := f.opt.Infer.Sampler()
	steps := float64(chains*(o.BurnIn+o.Samples)) * float64(len(f.drawn)) / float64(len(f.built))
	sample := max(0, many.mean-few.mean) / timedSamples
	total := timing{mean: all.mean + float64(steps*sample), spread: max(all.spread, many.spread)}
	return total.over("infer", f.out.Subgraphs), err
}

// weighted gives formulas without a weight a small one.
func weighted(formulas []*mln.Formula) []*mln.Formula {
	out := slices.Clone(formulas)
	for i, f := range out {
		if !f.Hard && !f.HasWeight {
			out[i] = f.WithWeight(timedWeight)
		}
	}
	return out
}

// timing is the seconds that a subgraph takes, and their relative standard error.
type timing struct{ mean, spread float64 }

// now returns the time by the clock; without one it is always the same.
func (f *forecaster) now() time.Time {
	if f.opt.Now == nil {
		return time.Time{}
	}
	return f.opt.Now()
}

// timing measures a computation by the times between finished subgraphs.
func (f *forecaster) timing(compute func(resolwe.Run) error) (timing, error) {
	run := f.opt.Run
	start := f.now()
	var marks []time.Time
	run.Progress = func(n int) {
		for range n {
			marks = append(marks, f.now())
		}
		if f.opt.Run.Progress != nil {
			f.opt.Run.Progress(n)
		}
	}
	if err := compute(run); err != nil {
		return timing{}, err
	}
	n := len(marks)
	if n < 4 { // too few to leave out the time before the first
		return timing{mean: f.now().Sub(start).Seconds() / float64(max(1, n)), spread: 0.5}, nil
	}
	mean := marks[n-1].Sub(marks[0]).Seconds() / float64(n-1)
	squares := 0.0
	for i, t := range marks[1:] {
		d := t.Sub(marks[i]).Seconds() - mean
		squares += float64(d * d)
	}
	if mean == 0 {
		return timing{}, nil
	}
	return timing{mean: mean, spread: math.Sqrt(squares/float64(n-2)/float64(n-1)) / mean}, nil
}

// over returns the time of a number of subgraphs.
func (t timing) over(step string, subgraphs int) *Time {
	const clock = 0.25
	seconds := float64(t.mean * float64(subgraphs))
	return &Time{
		Step: step, Subgraphs: subgraphs, Seconds: seconds,
		Low: seconds / (1 + clock + float64(2*t.spread)), High: float64(seconds * (1 + clock + float64(2*t.spread))),
	}
}
