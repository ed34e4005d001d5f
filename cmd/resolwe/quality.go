package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"resolwe"
)

// judge says on standard error how far sampled marginals are to be trusted: what is wrong with them always, how well
// sampling went with summary.
func (e *environment) judge(q *resolwe.Quality, s *resolwe.Stream, opt *resolwe.InferOptions, summary bool) {
	if summary && q.Sampled > 0 {
		e.log.Info(qualityText(q))
	}
	e.doubt(q, opt.Error)
	if q.Skipped+q.Cut == 0 {
		return
	}
	attrs := []any{"subgraphs", q.Subgraphs, "cut_short", q.Cut}
	if n := s.Len(); n >= 0 {
		attrs = append(attrs, "left_out", n-s.Skipped()-q.Subgraphs)
	}
	e.log.Warn("the time is over before inference was done", attrs...)
}

// doubt warns of samples that are too few.
func (e *environment) doubt(q *resolwe.Quality, target float64) {
	if q.Disagree > 0 {
		e.log.Warn("chains disagree, or are too short to tell: raise --samples or --chains",
			"subgraphs", q.Disagree, "worst", q.RHat.Subgraph, "rhat", q.RHat.Value, "atoms", q.RHat.Atoms)
	}
	if q.Stuck > 0 {
		e.log.Warn("atoms hardly moved though nothing fixes them: there are states that the chains did not reach",
			"subgraphs", q.Stuck, "worst", q.Still.Subgraph, "atoms", q.Still.Atoms)
	}
	if q.Short > 0 {
		e.log.Warn("samples cannot tell how good they are: no R-hat is defined, raise --samples", "subgraphs", q.Short)
	}
	if q.Imprecise > 0 {
		e.log.Warn("marginals are imprecise, they may be off by 0.01 in the mean: raise --samples",
			"subgraphs", q.Imprecise, "worst", q.Error.Subgraph, "error", q.Error.Value)
	}
	if target > 0 && q.Error.Value > target {
		e.log.Warn("not every subgraph reached --error: raise --samples",
			"subgraphs", q.Sampled-q.Precise, "worst", q.Error.Subgraph, "error", q.Error.Value)
	}
}

func qualityText(q *resolwe.Quality) string {
	parts := []string{fmt.Sprintf("%d of %d subgraphs were sampled, %.0f samples of each chain in the mean",
		q.Sampled, q.Subgraphs, float64(q.Samples)/float64(q.Sampled))}
	add := func(what string, format byte, digits int, w resolwe.Worst) {
		if w.Subgraph != "" {
			parts = append(parts, fmt.Sprintf("%s %s in %s", what, number(w.Value).Text(format, digits), w.Subgraph))
		}
	}
	add("worst R-hat", 'f', 3, q.RHat)
	add("least effective samples", 'f', 0, q.ESS)
	add("largest standard error", 'g', 2, q.Error)
	return strings.Join(parts, "; ")
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
	d.line(r.Subgraph, strconv.Itoa(g.Exact), strconv.Itoa(g.Sampled), strconv.Itoa(g.Samples), g.Stopped.String(),
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
