package main

import (
	"encoding/csv"
	"io"
	"strconv"

	"resolwe"
	"resolwe/cmd/internal/report"
)

// judge says on standard error how far sampled marginals are to be trusted: what is wrong with them always, how well
// sampling went with summary.
func (e *environment) judge(q *resolwe.Quality, s *resolwe.Stream, opt *resolwe.InferOptions, summary bool) {
	if summary && q.Sampled > 0 {
		e.log.Info(report.QualityText(q))
	}
	report.Doubt(e.log, q, opt.Error)
	if q.Skipped+q.Cut == 0 {
		return
	}
	attrs := []any{"subgraphs", q.Subgraphs, "cut_short", q.Cut}
	if n := s.Len(); n >= 0 {
		attrs = append(attrs, "left_out", n-s.Skipped()-q.Subgraphs)
	}
	e.log.Warn("the time is over before inference was done", attrs...)
}

// diagnosticsCSV writes a line for each subgraph. Errors show when it is closed.
type diagnosticsCSV struct{ out *csv.Writer }

func newDiagnosticsCSV(w io.Writer) diagnosticsCSV {
	d := diagnosticsCSV{csv.NewWriter(w)}
	d.line("subgraph", "exact", "sampled", "samples", "stopped", "max_rhat", "min_ess", "max_error", "eliminated")
	return d
}

func (d diagnosticsCSV) line(cells ...string) { _ = d.out.Write(cells) } // Error has it

func (d diagnosticsCSV) add(r *resolwe.Marginals) {
	g := &r.Diagnostics
	d.line(r.Subgraph, strconv.Itoa(g.Exact), strconv.Itoa(g.Sampled), strconv.Itoa(g.Samples), string(g.Stopped),
		cell(g.MaxRHat), cell(g.MinESS), cell(g.MaxError), strconv.Itoa(g.Eliminated))
}

// leftOut writes the line of a subgraph without marginals.
func (d diagnosticsCSV) leftOut(name string) { d.line(name, "", "", "0", "budget", "", "", "", "") }

func (d diagnosticsCSV) close() error {
	d.out.Flush()
	return d.out.Error()
}

// cell prints a number for CSV, nothing where it is undefined.
func cell(v float64) string {
	if number(v).Undefined() {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
