package main

import (
	"context"
	"fmt"

	"resolwe"
	"resolwe/bench/workload"
	"resolwe/internal/printable"
	"resolwe/internal/render"
)

type benchCmd struct {
	Select benchSelectCmd `cmd:"" help:"Time selection on a stream, and a plain pass over its bytes."`
	Read   benchReadCmd   `cmd:"" help:"Time the reading of a stream, and a plain pass over its bytes."`
}

func (*benchCmd) Help() string {
	return `Times selection or reading.

Example:

	resolwe bench select task.mln --stream train.rsg`
}

// benchArgs are the arguments of a workload on the user's stream.
type benchArgs struct {
	Model   string   `arg:"" help:"Task file (.mln)."`
	Stream  []string `help:"Subgraphs, as select takes them." required:"" placeholder:"S"`
	K2      int      `help:"Use the first N subgraphs; 0 for all." default:"30" name:"k2"`
	Runs    int      `help:"Timed runs, after one that is not timed." default:"5"`
	JSON    bool     `help:"Print JSON." name:"json"`
	Scaling bool     `help:"Also time 1, 2, 4, .. workers, up to --workers."`
}

// time reads the model and times a workload on the stream with a number of workers.
func (a *benchArgs) time(ctx context.Context, e *environment, name string, workers int, run workload.Run) (*workload.Report, error) {
	model, stream := modelArg{Model: a.Model}, streamArg{Stream: a.Stream}
	m, err := model.read(e, constantsOf(ctx, e, &stream))
	if err != nil {
		return nil, err
	}
	opt := workload.Options{Subgraphs: a.K2, Workers: workers, Scaling: a.Scaling, Runs: a.Runs}
	progress := e.runOver("bench "+name, "runs", int64(opt.Rounds()))
	opt.Done = func() { progress.Progress(1) }
	open := func() (*resolwe.Stream, error) { return stream.open(ctx, e, m, false) }
	return run(ctx, workload.Source{Model: m, Open: open}, opt)
}

// print prints the cost of a workload on the stream.
func (a *benchArgs) print(ctx context.Context, e *environment, name string, run workload.Run) error {
	r, err := a.time(ctx, e, name, e.common.Workers, run)
	if err != nil {
		return err
	}
	return e.print(a.JSON, benchDocument(name, r))
}

type benchSelectCmd struct{ benchArgs }

func (*benchSelectCmd) Help() string {
	return `Times the stages of a selection by the paper's criterion: open maps the files, select reads and counts, and pass, for comparison,
adds up the words of the same bytes on one core. Each run opens the stream again, as the command select does. Figures are medians
over the runs, with minimum and maximum.

Examples:

	resolwe bench select task.mln --stream train.rsg
	resolwe bench select task.mln --stream train.rsg --k2 0 --scaling`
}

func (c *benchSelectCmd) Run(ctx context.Context, e *environment) error {
	return c.print(ctx, e, "select", workload.Select)
}

type benchReadCmd struct{ benchArgs }

func (*benchReadCmd) Help() string {
	return `Times the reading of whole subgraphs, in which every part is checked, and a plain pass over the same bytes for comparison.

Example:

	resolwe bench read task.mln --stream train.rsg --k2 0`
}

func (c *benchReadCmd) Run(ctx context.Context, e *environment) error {
	return c.print(ctx, e, "read", workload.Read)
}

// benchDocument presents the cost of a workload, and its cost with different numbers of workers.
func benchDocument(name string, r *workload.Report) *render.Document {
	stages := render.NewTable("lrrrrrr", "stage", "wall ms", "least", "most", "CPU ms", "least", "most")
	stageData := render.Objects(r.Stages, func(s *workload.Stage) render.Object {
		stages.Row(append(append([]any{s.Name}, spreadCells(s.Wall, 1e3, 2)...), spreadCells(s.CPU, 1e3, 2)...)...)
		return render.Object{"name", s.Name, "wall", spread(s.Wall), "cpu", spread(s.CPU)}
	})
	perSecond, groundings := r.PerSecond(float64(r.Subgraphs)), r.PerSecond(float64(r.Groundings))
	wordBytes := r.PerCPUSecond(8 * float64(r.Work.Words))
	t := render.NewTable("lr")
	t.Row("workers", r.Workers)
	t.Row("subgraphs/s", render.Number(perSecond).Text('f', 1))
	if r.Groundings > 0 {
		t.Row("groundings/s", render.Number(groundings).Text('e', 3))
		t.Row("words of bits", r.Work.Words)
		t.Row("their GB/s of a core", render.Number(wordBytes/1e9).Text('f', 2))
		t.Row("edges", r.Work.Edges)
		t.Row("rows", r.Work.Rows)
	}
	t.Row("peak memory, MB", render.Number(float64(r.Peak)/1e6).Text('f', 1))
	if r.Bytes > 0 {
		t.Row("mapped, MB", render.Number(float64(r.Bytes)/1e6).Text('f', 1))
		t.Row("over the pass", fmt.Sprintf("%s (%s to %s)", spreadCells(r.Ratio, 1, 2)...))
	}
	head := fmt.Sprintf("%s: %s, medians of %s\n\n", name, printable.Count(r.Subgraphs, "subgraph"), printable.Count(r.Runs, "run"))
	page := render.Page{render.Plain(head), stages, "\n", t}
	scaling := render.NewTable("rrrrrrr", "workers", "wall ms", "least", "most", "speedup", "least", "most")
	points := render.Objects(r.Points, func(p *workload.Point) render.Object {
		scaling.Row(append(append([]any{p.Workers}, spreadCells(p.Wall, 1e3, 2)...), spreadCells(p.Speedup, 1, 3)...)...)
		return render.Object{"workers", p.Workers, "wall", spread(p.Wall), "speedup", spread(p.Speedup)}
	})
	if len(points) > 0 {
		page = append(page, "\n", scaling)
	}
	return &render.Document{Page: page, Data: render.Object{
		"workload", name, "subgraphs", r.Subgraphs, "runs", r.Runs, "measured", render.Object{
			"workers", r.Workers, "bytes", r.Bytes, "stages", stageData, "subgraphs_per_second", perSecond, "groundings", r.Groundings,
			"groundings_per_second", groundings, "words", r.Work.Words, "word_bytes_per_cpu_second", wordBytes, "edges", r.Work.Edges,
			"rows", r.Work.Rows, "peak_bytes", r.Peak, "over_pass", spread(r.Ratio),
		}, "scaling", render.ListOrNothing(points),
	}}
}

func spread(s workload.Spread) render.Object {
	return render.Object{"median", s.Median, "least", s.Least, "most", s.Most}
}

// spreadCells are the figures of a spread times a factor, for a table.
func spreadCells(s workload.Spread, factor float64, precision int) (out []any) {
	for _, v := range []float64{s.Median, s.Least, s.Most} {
		out = append(out, render.Number(factor*v).Text('f', precision))
	}
	return out
}
