package main

import (
	"context"
	"errors"

	"resolwe"
	"resolwe/bench/workload"
	"resolwe/format/mln"
	"resolwe/format/subgraph"

	"resolwe/bench/peers/relational"
)

// task is what every system has to count, and what resolwe counts.
type task struct {
	model  *resolwe.Model
	subs   []*subgraph.Subgraph // views of the stream
	stream *resolwe.Stream
	counts []*resolwe.Selection // by subgraph
	cost   *workload.Report     // of counting them all, on one worker
}

// taskOptions say what to count.
type taskOptions struct {
	Model     string   `arg:"" help:"Task file (.mln)."`
	Target    []string `help:"Target predicates, for a model that marks none." short:"q" placeholder:"P"`
	Stream    []string `help:"Subgraphs: .rsg or .db files, quoted globs or folders." required:"" placeholder:"S"`
	Subgraphs int      `help:"Count on the first so many subgraphs." default:"3"`
	Runs      int      `help:"Runs of resolwe, of which the fastest counts, as of queries." default:"5"`
}

// newTask counts with resolwe. The caller closes the task.
func newTask(ctx context.Context, opt *taskOptions) (t *task, err error) {
	if opt.Subgraphs < 1 {
		return nil, &resolwe.OptionError{Option: "--subgraphs", Reason: "at least 1"}
	}
	m, err := resolwe.ReadModel(opt.Model, resolwe.ModelOptions{Targets: opt.Target})
	if err != nil {
		return nil, err
	}
	for _, f := range m.Formulas {
		if !relational.Writes(f.Body) {
			return nil, &resolwe.OptionError{Option: opt.Model, Reason: "counting literals and orders of numbers are not written in SQL: " + mln.FormatFormula(f)}
		}
	}
	open := func() (*resolwe.Stream, error) { return resolwe.OpenStream(m, opt.Stream, resolwe.StreamOptions{}) }
	t = &task{model: m}
	t.cost, err = workload.Select(ctx, workload.Source{Model: m, Open: open}, workload.Options{
		Subgraphs: opt.Subgraphs, Workers: 1, Runs: opt.Runs,
	})
	if err != nil {
		return nil, err
	}
	if t.stream, err = resolwe.OpenStream(m, opt.Stream, resolwe.StreamOptions{Names: true}); err != nil {
		return nil, err
	}
	if err := t.load(ctx, opt.Subgraphs); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// errEnough ends the reading of the stream.
var errEnough = errors.New("enough subgraphs")

// load reads the first n subgraphs, and counts on each by itself.
func (t *task) load(ctx context.Context, n int) error {
	err := resolwe.Each(ctx, t.stream, resolwe.Run{Workers: 1}, func(sub *subgraph.Subgraph) error {
		t.subs = append(t.subs, sub.Clone())
		if len(t.subs) == n {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	for _, sub := range t.subs {
		one := resolwe.NewStream(t.model, []*subgraph.Subgraph{sub})
		sel, err := resolwe.Select(ctx, t.model, one, resolwe.SelectOptions{Criterion: resolwe.Paper})
		if err != nil {
			return err
		}
		t.counts = append(t.counts, sel)
	}
	return nil
}

// want returns resolwe's counts of a candidate on a subgraph.
func (t *task) want(candidate, sub int) relational.Counts {
	c := &t.counts[sub].Candidates[candidate]
	out := relational.Counts{int64(c.Joint.Selected)}
	for k := range c.Conditional {
		out = append(out, int64(c.Conditional[k].Selected))
	}
	return append(out, int64(c.Joint.True))
}

// seconds returns what all counts take resolwe.
func (t *task) seconds() float64 { return t.cost.Main().Wall.Least }

func (t *task) close() error { return t.stream.Close() }
