package main

import (
	"context"

	"resolwe"
	"resolwe/bench/workload"
)

type benchCmd struct {
	Select  benchSelectCmd  `cmd:"" help:"Time selection on a stream beside a plain pass over its bytes."`
	Read    benchReadCmd    `cmd:"" help:"Time the reading of a stream beside a plain pass over its bytes."`
	Skew    benchSkewCmd    `cmd:"" help:"Time selection where one subgraph outweighs the others."`
	Cluster benchClusterCmd `cmd:"" help:"Predict what a stage takes on a cluster, by simulation."`
}

// Help says what the command does.
func (*benchCmd) Help() string {
	return `Times named workloads. Figures are medians over the runs, with the least and the most.

Example:

	resolwe bench select task.mln --stream train.rsg`
}

// benchArgs say how a workload is run and reported.
type benchArgs struct {
	Runs int  `help:"Runs that are timed; one more goes before them." default:"5"`
	JSON bool `help:"Print JSON." name:"json"`
}

// benchStreamArgs are a workload on somebody's stream.
type benchStreamArgs struct {
	modelArg
	streamArg
	K2 int `help:"How many subgraphs to use, from the first; 0 for all." default:"30" name:"k2"`
	benchArgs
}

// time reads the model and times a workload on its stream with a number of workers. It returns what it is of, too.
func (a *benchStreamArgs) time(
	ctx context.Context, e *environment, name string, workers int,
	run func(context.Context, workload.Source, workload.Options) (*workload.Report, error),
) (*workload.Report, workload.Source, workload.Options, error) {
	m, err := a.read(e, constantsOf(ctx, e, a))
	src := workload.Source{Model: m, Open: func() (*resolwe.Stream, error) { return a.open(ctx, e, m, false) }}
	opt := workload.Options{Subgraphs: a.K2, Workers: workers, Runs: a.Runs}
	if err != nil {
		return nil, src, opt, err
	}
	opt.Done = e.runs("bench "+name, a.Runs+1)
	r, err := run(ctx, src, opt)
	return r, src, opt, err
}

type benchSelectCmd struct {
	benchStreamArgs
	Scaling bool `help:"Also time 1, 2, 4.. workers in turn, up to --workers."`
}

// Help says what the command does.
func (*benchSelectCmd) Help() string {
	return `Times the stages of a selection by the paper's criterion: open maps the files, select reads and counts, pass adds up
the words of the same bytes on one core, for comparison. Each run opens the stream anew, as the command select does.

Examples:

	resolwe bench select task.mln --stream train.rsg
	resolwe bench select task.mln --stream train.rsg --k2 0 --scaling`
}

// Run runs the workload.
func (c *benchSelectCmd) Run(ctx context.Context, e *environment) error {
	r, src, opt, err := c.time(ctx, e, "select", e.common.Workers, workload.Select)
	if err != nil {
		return err
	}
	var points []workload.Point
	if c.Scaling {
		if points, err = e.scale(ctx, src, opt); err != nil {
			return err
		}
	}
	return e.print(c.JSON, benchDocument("select", r, points))
}

type benchReadCmd struct{ benchStreamArgs }

// Help says what the command does.
func (*benchReadCmd) Help() string {
	return `Times the reading of whole subgraphs, whose every part is checked, beside a plain pass over the same bytes.

Example:

	resolwe bench read task.mln --stream train.rsg --k2 0`
}

// Run runs the workload.
func (c *benchReadCmd) Run(ctx context.Context, e *environment) error {
	r, _, _, err := c.time(ctx, e, "read", e.common.Workers, workload.Read)
	if err != nil {
		return err
	}
	return e.print(c.JSON, benchDocument("read", r, nil))
}

type benchSkewCmd struct {
	Subgraphs int     `help:"Subgraphs in the stream." default:"30"`
	Factor    float64 `help:"Work of the last one over the mean of the others." default:"100"`
	benchArgs
}

// Help says what the command does.
func (*benchSkewCmd) Help() string {
	return `Generates a stream whose last subgraph takes many times the work of the others, and times its selection with
1, 2, 4.. workers in turn, up to --workers.

Example:

	resolwe bench skew --factor 100`
}

// Run runs the workload.
func (c *benchSkewCmd) Run(ctx context.Context, e *environment) error {
	e.run("generate", -1)
	src, factor, err := workload.NewSkewed(ctx, workload.SkewOptions{
		Subgraphs: c.Subgraphs, Factor: c.Factor, Seed: e.common.Seed,
	})
	if err != nil {
		return err
	}
	opt := workload.Options{Workers: e.common.Workers, Runs: c.Runs}
	points, err := e.scale(ctx, src, opt)
	if err != nil {
		return err
	}
	return e.print(c.JSON, skewDocument(&workload.Report{Subgraphs: c.Subgraphs, Runs: c.Runs}, factor, points))
}

// runs returns what counts the runs of a workload.
func (e *environment) runs(what string, total int) func() {
	run := e.runOver(what, "runs", int64(total))
	return func() { run.Progress(1) }
}

// scale times a selection with several numbers of workers.
func (e *environment) scale(ctx context.Context, src workload.Source, opt workload.Options) ([]workload.Point, error) {
	opt.Done = e.runs("bench scaling", workload.Rounds(opt))
	return workload.Scale(ctx, src, opt)
}
