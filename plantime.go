package resolwe

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"resolwe/format/mln"
	"resolwe/kernels/selection"
)

// TimePlan is how long a step takes on the whole stream, with as many workers as the plan was made with.
type TimePlan struct {
	Step      string  // select, learn or infer
	Subgraphs int     // that it goes over, in all passes
	Seconds   float64 // expected
	Low, High float64 // a range: two standard errors, as the subgraphs differ, and a quarter for the clock
	Err       error   // why it fails on the subgraphs looked at; there is no time then
}

// What times are measured with.
const (
	timedSubgraphs = 8   // that are sampled
	timedSamples   = 32  // in each of them, a period of slices
	timedWeight    = 0.1 // of formulas without weight
)

// times measures the steps on the subgraphs that are small enough.
func (p *planner) times(ctx context.Context) error {
	if len(p.small) == 0 {
		return nil
	}
	for _, step := range []struct {
		name string
		time func(context.Context) (*TimePlan, error)
	}{{"select", p.timeSelect}, {"learn", p.timeLearn}, {"infer", p.timeInfer}} {
		t, err := step.time(ctx)
		switch {
		case errors.As(err, new(*SubgraphError)), errors.As(err, new(*selection.TooManyTargetsError)):
			t = &TimePlan{Step: step.name, Err: err}
		case err != nil:
			return err
		}
		if t != nil {
			p.plan.Times = append(p.plan.Times, *t)
		}
	}
	return nil
}

// timeSelect returns nil where the model has no candidates.
func (p *planner) timeSelect(ctx context.Context) (*TimePlan, error) {
	task := &mln.Model{Schema: *p.model.Schema, Formulas: p.model.Formulas}
	if candidates, _, err := mln.Candidates(task); err != nil || len(candidates) == 0 {
		return nil, nil //nolint:nilerr,nilnil // a model that is not for selection has no such time
	}
	pace, err := p.pace(func(run Run) error {
		opt := p.opt.Select
		opt.Run = run
		_, err := selectOn(ctx, p.model, p.stream, opt, among(p.small), math.MaxInt)
		return err
	})
	return pace.over("select", min(p.opt.Select.Subgraphs, p.plan.Subgraphs)), err
}

func (p *planner) timeLearn(ctx context.Context) (*TimePlan, error) {
	pace, err := p.pace(func(run Run) error {
		opt := p.opt.Learn
		opt.Run, opt.Passes, opt.Objective = run, 1, false
		_, err := learnOn(ctx, p.model, p.stream, opt, among(p.small), len(p.small))
		return err
	})
	return pace.over("learn", p.opt.Learn.Passes*p.plan.Subgraphs), err
}

// timeInfer measures few samples, and as many more as share a slice, of which it concludes the rest.
func (p *planner) timeInfer(ctx context.Context) (*TimePlan, error) {
	m := p.model.With(weighted(p.model.Formulas))
	infer := func(samples int, positions []int) (pace, error) {
		return p.pace(func(run Run) error {
			opt := p.opt.Infer
			opt.Run, opt.BurnIn, opt.Samples, opt.Chains, opt.Error, opt.Enough = run, 0, samples, 1, 0, nil
			return inferOn(ctx, m, p.stream, opt, among(positions), func(*Marginals) error { return nil })
		})
	}
	all, err := infer(1, p.small)
	if err != nil || len(p.sampled) == 0 {
		return all.over("infer", p.plan.Subgraphs), err
	}
	timed := spread(p.sampled, timedSubgraphs)
	few, err := infer(1, timed)
	if err != nil {
		return nil, err
	}
	many, err := infer(1+timedSamples, timed)
	if err != nil {
		return nil, err
	}
	o := &p.opt.Infer
	steps := float64(o.Chains*(o.BurnIn+o.Samples)) * float64(len(p.sampled)) / float64(len(p.small))
	sample := max(0, many.mean-few.mean) / timedSamples
	total := pace{mean: all.mean + steps*sample, doubt: max(all.doubt, many.doubt)}
	return total.over("infer", p.plan.Subgraphs), nil
}

// weighted gives the formulas without weight a small one.
func weighted(formulas []*mln.Formula) []*mln.Formula {
	out := slices.Clone(formulas)
	for i, f := range out {
		if !f.Hard && !f.HasWeight {
			g := *f
			g.Weight, g.HasWeight = timedWeight, true
			out[i] = &g
		}
	}
	return out
}

// spread returns at most n of a list, evenly.
func spread(list []int, n int) []int {
	n = min(n, len(list))
	out := make([]int, n)
	for i := range out {
		out[i] = list[(2*i+1)*len(list)/(2*n)]
	}
	return out
}

// pace is the seconds that a subgraph takes, and their relative standard error.
type pace struct{ mean, doubt float64 }

// pace measures a computation by the times between the subgraphs that it is done with.
func (p *planner) pace(compute func(Run) error) (pace, error) {
	run := p.opt.Run
	start := p.opt.Now()
	var marks []time.Time
	run.Progress = func(n int) {
		for range n {
			marks = append(marks, p.opt.Now())
		}
		p.opt.Run.progress(n)
	}
	if err := compute(run); err != nil {
		return pace{}, err
	}
	n := len(marks)
	if n < 4 { // too few to leave out what comes before the first
		return pace{mean: p.opt.Now().Sub(start).Seconds() / float64(max(1, n)), doubt: 0.5}, nil
	}
	mean := marks[n-1].Sub(marks[0]).Seconds() / float64(n-1)
	squares := 0.0
	for i, t := range marks[1:] {
		d := t.Sub(marks[i]).Seconds() - mean
		squares += d * d
	}
	if mean == 0 {
		return pace{}, nil
	}
	return pace{mean: mean, doubt: math.Sqrt(squares/float64(n-2)/float64(n-1)) / mean}, nil
}

// over returns the time of so many subgraphs.
func (p pace) over(step string, subgraphs int) *TimePlan {
	const clock = 0.25
	seconds := p.mean * float64(subgraphs)
	return &TimePlan{
		Step: step, Subgraphs: subgraphs, Seconds: seconds,
		Low: seconds / (1 + clock + 2*p.doubt), High: seconds * (1 + clock + 2*p.doubt),
	}
}
