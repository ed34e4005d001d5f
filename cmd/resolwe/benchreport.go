package main

import (
	"fmt"

	"resolwe/bench/workload"
	"resolwe/cmd/internal/report"
)

// benchDocument is what a workload cost, and what it cost with several numbers of workers.
func benchDocument(name string, r *workload.Report, points []workload.Point) *report.Document {
	stages := report.NewTable("lrrrrrr", "stage", "wall ms", "least", "most", "CPU ms", "least", "most")
	stageData := report.Objects(r.Stages, func(s *workload.Stage) report.Object {
		stages.Row(append(append([]any{s.Name}, spreadCells(s.Wall, 1e3, 2)...), spreadCells(s.CPU, 1e3, 2)...)...)
		return report.Object{"name", s.Name, "wall", spread(s.Wall), "cpu", spread(s.CPU)}
	})
	perSecond, groundings := r.PerSecond(float64(r.Subgraphs)), r.PerSecond(float64(r.Groundings))
	wordBytes := r.PerCPUSecond(8 * float64(r.Work.Words))
	t := report.NewTable("lr")
	t.Row("workers", r.Workers)
	t.Row("subgraphs/s", report.Number(perSecond).Text('f', 1))
	if r.Groundings > 0 {
		t.Row("groundings/s", report.Number(groundings).Text('e', 3))
		t.Row("words of bits", r.Work.Words)
		t.Row("their GB/s of a core", report.Number(wordBytes/1e9).Text('f', 2))
		t.Row("edges", r.Work.Edges)
		t.Row("rows", r.Work.Rows)
	}
	t.Row("peak memory, MB", report.Number(float64(r.Peak)/1e6).Text('f', 1))
	if r.Bytes > 0 {
		t.Row("mapped, MB", report.Number(float64(r.Bytes)/1e6).Text('f', 1))
		t.Row("over the pass", fmt.Sprintf("%s (%s to %s)", spreadCells(r.Ratio, 1, 2)...))
	}
	scaling, table := scalingOf(points)
	return &report.Document{
		Page: append(report.Page{benchHead(name, r), "\n", stages, "\n", t}, table...),
		Data: report.Object{"workload", name, "subgraphs", r.Subgraphs, "runs", r.Runs, "measured", report.Object{
			"workers", r.Workers, "bytes", r.Bytes, "stages", stageData, "subgraphs_per_second", perSecond, "groundings", r.Groundings,
			"groundings_per_second", groundings, "words", r.Work.Words, "word_bytes_per_cpu_second", wordBytes, "edges", r.Work.Edges,
			"rows", r.Work.Rows, "peak_bytes", r.Peak, "over_pass", spread(r.Ratio),
		}, "scaling", scaling},
	}
}

// skewDocument is what a selection cost with several numbers of workers, where one subgraph takes a multiple of the others.
func skewDocument(r *workload.Report, factor float64, points []workload.Point) *report.Document {
	scaling, table := scalingOf(points)
	last := report.Plain(fmt.Sprintf("the last one takes %.0f times the mean of the others\n", factor))
	return &report.Document{
		Page: append(report.Page{benchHead("skew", r), last}, table...),
		Data: report.Object{"workload", "skew", "subgraphs", r.Subgraphs, "runs", r.Runs, "factor", factor, "scaling", scaling},
	}
}

func benchHead(name string, r *workload.Report) report.Plain {
	return report.Plain(fmt.Sprintf("%s: %d subgraphs, medians of %d runs\n", name, r.Subgraphs, r.Runs))
}

// scalingOf is what a workload cost with several numbers of workers, as data and as a table.
func scalingOf(points []workload.Point) (any, report.Page) {
	if points == nil {
		return nil, nil
	}
	t := report.NewTable("rrrrrrr", "workers", "wall ms", "least", "most", "speedup", "least", "most")
	data := report.Objects(points, func(p *workload.Point) report.Object {
		t.Row(append(append([]any{p.Workers}, spreadCells(p.Wall, 1e3, 2)...), spreadCells(p.Speedup, 1, 3)...)...)
		return report.Object{"workers", p.Workers, "wall", spread(p.Wall), "speedup", spread(p.Speedup)}
	})
	return data, report.Page{"\n", t}
}

func spread(s workload.Spread) report.Object {
	return report.Object{"median", s.Median, "least", s.Least, "most", s.Most}
}

// spreadCells are the figures of a spread times a factor, for a table.
func spreadCells(s workload.Spread, factor float64, precision int) (out []any) {
	for _, v := range []float64{s.Median, s.Least, s.Most} {
		out = append(out, report.Number(factor*v).Text('f', precision))
	}
	return out
}
