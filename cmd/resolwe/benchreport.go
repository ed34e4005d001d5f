package main

import (
	"fmt"
	"io"

	"resolwe/bench/workload"
)

// benchJSON is what bench prints with --json. Times are seconds.
type benchJSON struct {
	Workload  string      `json:"workload"`
	Subgraphs int         `json:"subgraphs"`
	Runs      int         `json:"runs"`
	Factor    *number     `json:"factor,omitempty"`
	Measured  *reportJSON `json:"measured,omitempty"`
	Scaling   []pointJSON `json:"scaling,omitempty"`
}

// reportJSON is a workload.Report.
type reportJSON struct {
	Workers      int         `json:"workers"`
	Bytes        int64       `json:"bytes"`
	Stages       []stageJSON `json:"stages"`
	PerSecond    number      `json:"subgraphs_per_second"`
	Groundings   uint64      `json:"groundings"`
	GroundingsPS number      `json:"groundings_per_second"`
	Words        uint64      `json:"words"`
	WordBytesPS  number      `json:"word_bytes_per_cpu_second"`
	Edges        uint64      `json:"edges"`
	Rows         uint64      `json:"rows"`
	Peak         uint64      `json:"peak_bytes"`
	OverPass     spreadJSON  `json:"over_pass"`
}

type stageJSON struct {
	Name string     `json:"name"`
	Wall spreadJSON `json:"wall"`
	CPU  spreadJSON `json:"cpu"`
}

type pointJSON struct {
	Workers int        `json:"workers"`
	Wall    spreadJSON `json:"wall"`
	Speedup spreadJSON `json:"speedup"`
}

type spreadJSON struct {
	Median number `json:"median"`
	Least  number `json:"least"`
	Most   number `json:"most"`
}

func newSpreadJSON(s workload.Spread) spreadJSON {
	return spreadJSON{number(s.Median), number(s.Least), number(s.Most)}
}

// cells returns the figures of a spread times a factor, for a table.
func (s spreadJSON) cells(factor float64, precision int) []any {
	out := make([]any, 0, 3)
	for _, n := range []number{s.Median, s.Least, s.Most} {
		out = append(out, number(factor*float64(n)).Text('f', precision))
	}
	return out
}

func newBenchJSON(name string, r *workload.Report) *benchJSON {
	m := &reportJSON{
		Workers: r.Workers, Bytes: r.Bytes, Groundings: r.Groundings, Peak: r.Peak, OverPass: newSpreadJSON(r.Ratio),
		PerSecond: number(r.PerSecond(float64(r.Subgraphs))), GroundingsPS: number(r.PerSecond(float64(r.Groundings))),
		Words: r.Work.Words, WordBytesPS: number(r.PerCPUSecond(8 * float64(r.Work.Words))), Edges: r.Work.Edges, Rows: r.Work.Rows,
	}
	for _, s := range r.Stages {
		m.Stages = append(m.Stages, stageJSON{s.Name, newSpreadJSON(s.Wall), newSpreadJSON(s.CPU)})
	}
	return &benchJSON{Workload: name, Subgraphs: r.Subgraphs, Runs: r.Runs, Measured: m}
}

// bench prints what a workload cost.
func (e *environment) bench(asJSON bool, b *benchJSON) error {
	if asJSON {
		return e.json(b)
	}
	return e.results(b.text)
}

// text prints tables.
func (b *benchJSON) text(w io.Writer) error {
	fmt.Fprintf(w, "%s: %d subgraphs, medians of %d runs\n", b.Workload, b.Subgraphs, b.Runs)
	if b.Factor != nil {
		fmt.Fprintf(w, "the last one takes %s times the mean of the others\n", b.Factor.Text('f', 0))
	}
	if b.Measured != nil {
		if err := b.Measured.text(w); err != nil {
			return err
		}
	}
	if b.Scaling == nil {
		return nil
	}
	fmt.Fprintln(w)
	t := newTable("rrrrrrr", "workers", "wall ms", "least", "most", "speedup", "least", "most")
	for _, p := range b.Scaling {
		t.Row(append(append([]any{p.Workers}, p.Wall.cells(1e3, 2)...), p.Speedup.cells(1, 3)...)...)
	}
	return t.Write(w)
}

func (r *reportJSON) text(w io.Writer) error {
	fmt.Fprintln(w)
	t := newTable("lrrrrrr", "stage", "wall ms", "least", "most", "CPU ms", "least", "most")
	for _, s := range r.Stages {
		t.Row(append(append([]any{s.Name}, s.Wall.cells(1e3, 2)...), s.CPU.cells(1e3, 2)...)...)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t = newTable("lr")
	t.Row("workers", r.Workers)
	t.Row("subgraphs/s", r.PerSecond.Text('f', 1))
	if r.Groundings > 0 {
		t.Row("groundings/s", r.GroundingsPS.Text('e', 3))
		t.Row("words of bits", r.Words)
		t.Row("their GB/s of a core", (r.WordBytesPS/1e9).Text('f', 2))
		t.Row("edges", r.Edges)
		t.Row("rows", r.Rows)
	}
	t.Row("peak memory, MB", number(float64(r.Peak)/1e6).Text('f', 1))
	if r.Bytes > 0 {
		t.Row("mapped, MB", number(float64(r.Bytes)/1e6).Text('f', 1))
		t.Row("over the pass", fmt.Sprintf("%s (%s to %s)", r.OverPass.cells(1, 2)...))
	}
	return t.Write(w)
}
